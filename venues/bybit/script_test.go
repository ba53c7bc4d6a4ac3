package bybit

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
	"go.uber.org/goleak"

	"venuegate/venues"
	"venuegate/venues/internal/restclient"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

const (
	scriptKey    = "XXXXXXXXXXXXXXXXXX"
	scriptSecret = "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"
)

// script is a venue that answers as it is told, one answer after the other, the
// last one for ever. It checks every signature.
type script struct {
	t         *testing.T
	connector *Connector
	account   *Account
	mu        sync.Mutex
	answers   map[string][]scripted
	requests  []scriptRequest
	now       func() time.Time
	stream    func(r *http.Request, c *websocket.Conn) // serves stream connections
}

type scripted struct {
	status int
	header http.Header
	body   string
	hang   bool
}

type scriptRequest struct {
	name   string // method and path
	query  url.Values
	body   string
	header http.Header
}

const (
	createOrder    = "POST /v5/order/create"
	amendOrder     = "POST /v5/order/amend"
	cancelOrder    = "POST /v5/order/cancel"
	listPositions  = "GET /v5/position/list"
	readInfo       = "GET /v5/account/info"
	readWallet     = "GET /v5/account/wallet-balance"
	writeLeverage  = "POST /v5/position/set-leverage"
	readRealtime   = "GET /v5/order/realtime"
	readHistory    = "GET /v5/order/history"
	readExecutions = "GET /v5/execution/list"

	emptyRow  = `{"list":[{"symbol":"BTCUSDT","positionIdx":0,"leverage":"10","size":"0","side":""}],"nextPageCursor":"BTCUSDT%2C1%2C0"}`
	hedgeRows = `{"list":[{"symbol":"BTCUSDT","positionIdx":1,"leverage":"10","size":"0","side":""},{"symbol":"BTCUSDT","positionIdx":2,"leverage":"10","size":"0","side":""}]}`
	accepted  = `{"orderId":"44ce1d85-3458-4ec3-af76-41a4cf80c9b3","orderLinkId":"vg00000001"}`
	nothing   = `{"list":[],"nextPageCursor":""}`
)

func newScript(t *testing.T) *script {
	t.Helper()
	s := &script{t: t, answers: make(map[string][]scripted), now: time.Now}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	o := Sim(server.URL, "ws"+strings.TrimPrefix(server.URL, "http"))
	o.Timeout = 2 * time.Second
	o.BackoffMin, o.BackoffMax = 5*time.Millisecond, 20*time.Millisecond
	o.tickInterval = 20 * time.Millisecond
	s.connector = New(o)
	t.Cleanup(s.connector.Close)
	account, err := s.connector.OpenAccount(venues.Credentials{APIKey: scriptKey, APISecret: scriptSecret})
	if err != nil {
		t.Fatal(err)
	}
	s.account = account.(*Account)
	s.ok(readInfo, `{"marginMode":"REGULAR_MARGIN","unifiedMarginStatus":5}`)
	s.ok(listPositions, emptyRow)
	return s
}

// ok adds a success with a result, no a refusal.
func (s *script) ok(name, result string) {
	s.add(name, scripted{status: 200, body: fmt.Sprintf(`{"retCode":0,"retMsg":"OK","result":%s,"retExtInfo":{},"time":1696404669448}`, result)})
}

func (s *script) no(name string, code int, message string) {
	s.add(name, scripted{status: 200, body: fmt.Sprintf(`{"retCode":%d,"retMsg":%q,"result":{},"retExtInfo":{},"time":1696404669448}`, code, message)})
}

func (s *script) add(name string, a scripted) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[name] = append(s.answers[name], a)
}

// forget drops what was told of a request.
func (s *script) forget(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.answers, name)
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if websocket.IsWebSocketUpgrade(r) {
		upgrader := websocket.Upgrader{}
		if c, err := upgrader.Upgrade(w, r, nil); err == nil {
			defer c.Close()
			s.stream(r, c)
		}
		return
	}
	body, _ := io.ReadAll(r.Body)
	name := r.Method + " " + r.URL.Path
	s.check(r, string(body))
	s.mu.Lock()
	s.requests = append(s.requests, scriptRequest{name: name, query: r.URL.Query(), body: string(body), header: r.Header})
	queue := s.answers[name]
	if len(queue) > 1 {
		s.answers[name] = queue[1:]
	}
	s.mu.Unlock()
	switch {
	case name == "GET /v5/market/time" && len(queue) == 0:
		fmt.Fprintf(w, `{"retCode":0,"retMsg":"OK","result":{"timeSecond":"%d","timeNano":"%d"},"time":1}`, s.now().Unix(), s.now().UnixNano())
	case len(queue) == 0:
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprintf(w, `<html>nothing was told of %s</html>`, name)
	case queue[0].hang:
		<-r.Context().Done()
	default:
		for header, values := range queue[0].header {
			w.Header()[header] = values
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(queue[0].status)
		_, _ = io.WriteString(w, queue[0].body)
	}
}

// check holds a signed request against the venue's rules: the signature is over
// exactly what was sent, a GET has no body, the time is in the window.
func (s *script) check(r *http.Request, body string) {
	signature := r.Header.Get("X-Bapi-Sign")
	if signature == "" {
		return
	}
	timestamp, window := r.Header.Get("X-Bapi-Timestamp"), r.Header.Get("X-Bapi-Recv-Window")
	if want := sign(scriptSecret, timestamp, scriptKey, window, r.URL.RawQuery+body); signature != want {
		s.t.Errorf("%s %s: signature %s, want %s", r.Method, r.URL.Path, signature, want)
	}
	if r.Header.Get("X-Bapi-Api-Key") != scriptKey || (r.Method == http.MethodGet) != (body == "") {
		s.t.Errorf("%s %s: key %q, body %q", r.Method, r.URL.Path, r.Header.Get("X-Bapi-Api-Key"), body)
	}
	ms, _ := strconv.ParseInt(timestamp, 10, 64)
	if ahead := time.UnixMilli(ms).Sub(s.now()); ahead >= time.Second {
		s.t.Errorf("%s %s: %v ahead of the venue", r.Method, r.URL.Path, ahead)
	}
}

// sent lists the requests of a name.
func (s *script) sent(name string) []scriptRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []scriptRequest
	for _, r := range s.requests {
		if r.name == name {
			all = append(all, r)
		}
	}
	return all
}

// body is what the newest request of a name said.
func (s *script) body(name string) string {
	s.t.Helper()
	all := s.sent(name)
	if len(all) == 0 {
		s.t.Fatalf("%s was not asked", name)
	}
	return all[len(all)-1].body
}

// hurry makes requests time out soon.
func (s *script) hurry(timeout time.Duration) {
	s.connector.rest.Close()
	s.connector.rest = restclient.New(restclient.Options{BaseURL: s.connector.options.RESTURL, Timeout: timeout}, s.connector.gate)
}

// limitOrder is a valid request with a few seconds to live.
func limitOrder() venues.OrderRequest {
	return venues.OrderRequest{
		OrderSpec: venues.OrderSpec{
			Symbol: "BTCUSDT", Side: venues.Buy, Type: venues.TypeLimit, Qty: venues.MustDecimal("0.010"),
			Price: dec("60000.0"), TimeInForce: venues.GoodTillCancel,
		},
		ClientOrderID: "vg00000001", Deadline: time.Now().Add(3 * time.Second),
	}
}

func orderWith(change func(*venues.OrderRequest)) venues.OrderRequest {
	r := limitOrder()
	change(&r)
	return r
}

var ours = venues.OrderRef{Symbol: "BTCUSDT", ClientOrderID: "vg00000001", VenueOrderID: "44ce1d85-3458-4ec3-af76-41a4cf80c9b3", Type: venues.TypeLimit}

// orderRow is an order as the venue tells it, changed as wanted.
func orderRow(changes ...string) string {
	const row = `{"symbol":"BTCUSDT","orderId":"44ce1d85-3458-4ec3-af76-41a4cf80c9b3","orderLinkId":"vg00000001","side":"Buy","positionIdx":0,` +
		`"orderStatus":"New","cancelType":"UNKNOWN","rejectReason":"EC_NoError","timeInForce":"GTC","price":"60000","qty":"0.01","avgPrice":"",` +
		`"leavesQty":"0.01","cumExecQty":"0","orderType":"Limit","stopOrderType":"","triggerPrice":"","reduceOnly":false,"closeOnTrigger":false,` +
		`"createType":"CreateByUser","updatedTime":"1737725795596"}`
	return strings.NewReplacer(changes...).Replace(row)
}

func listOf(rows ...string) string {
	return `{"list":[` + strings.Join(rows, ",") + `],"nextPageCursor":"more%3A1"}`
}

// sameJSON compares by value.
func sameJSON(a, b string) bool {
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return false
	}
	left, _ := json.Marshal(x)
	right, _ := json.Marshal(y)
	return string(left) == string(right)
}

var background = context.Background()
