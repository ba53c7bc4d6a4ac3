package binance

import (
	"context"
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

	"venuegate/venues"
)

const (
	scriptKey    = "dbefbc809e3e83c283a984c3a1459732ea7db1360ca80c5c2c8867408d28cc83"
	scriptSecret = "2b5eb11e18796d12d88f13dc27dbbd02c2cc51ff7059765ed9821957d82bb4d9"
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
	params url.Values
	at     time.Time
}

const (
	oneWay = `{"feeTier":0,"canTrade":true,"canDeposit":true,"canWithdraw":true,"dualSidePosition":false,"updateTime":0,"multiAssetsMargin":false,"tradeGroupId":-1}`
	hedged = `{"feeTier":0,"canTrade":true,"canDeposit":true,"canWithdraw":true,"dualSidePosition":true,"updateTime":0,"multiAssetsMargin":false,"tradeGroupId":-1}`
)

func newScript(t *testing.T) *script { return newScriptWith(t, func(*Options) {}) }

// newScriptWith makes a script whose connector has other options.
func newScriptWith(t *testing.T, change func(*Options)) *script {
	t.Helper()
	s := &script{t: t, answers: make(map[string][]scripted), now: time.Now}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	o := Sim(server.URL, "ws"+strings.TrimPrefix(server.URL, "http"))
	o.Timeout = 2 * time.Second
	o.BackoffMin, o.BackoffMax, o.RenewOverlap = 5*time.Millisecond, 20*time.Millisecond, 50*time.Millisecond
	o.tickInterval = 20 * time.Millisecond
	change(&o)
	s.connector = New(o)
	t.Cleanup(s.connector.Close)
	account, err := s.connector.OpenAccount(venues.Credentials{APIKey: scriptKey, APISecret: scriptSecret})
	if err != nil {
		t.Fatal(err)
	}
	s.account = account.(*Account)
	s.on("GET /fapi/v1/accountConfig", 200, oneWay)
	s.on("GET /fapi/v1/leverageBracket", 200, `[]`)
	return s
}

// on adds an answer to a request.
func (s *script) on(name string, status int, body string) {
	s.add(name, scripted{status: status, body: body})
}

func (s *script) add(name string, a scripted) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[name] = append(s.answers[name], a)
}

// only replaces what was told before.
func (s *script) only(name string, status int, body string) {
	s.mu.Lock()
	delete(s.answers, name)
	s.mu.Unlock()
	s.on(name, status, body)
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
	params, _ := url.ParseQuery(strings.Trim(r.URL.RawQuery+"&"+string(body), "&"))
	s.mu.Lock()
	s.requests = append(s.requests, scriptRequest{name: name, params: params, at: time.Now()})
	queue := s.answers[name]
	if len(queue) > 1 {
		s.answers[name] = queue[1:]
	}
	s.mu.Unlock()
	switch {
	case name == "GET /fapi/v1/time" && len(queue) == 0:
		fmt.Fprintf(w, `{"serverTime":%d}`, s.now().UnixMilli())
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

// check holds a signed request against the venue's rules: signature last and
// right, key in the header, everything of a change in the body.
func (s *script) check(r *http.Request, body string) {
	text := r.URL.RawQuery + body
	signedText, signature, isSigned := strings.Cut(text, "&signature=")
	if !isSigned {
		signedText, signature, isSigned = strings.Cut(text, "signature=")
	}
	if !isSigned {
		return
	}
	if want := sign(scriptSecret, signedText, ""); signature != want {
		s.t.Errorf("%s %s: signature %s of %s, want %s", r.Method, r.URL.Path, signature, signedText, want)
	}
	if r.Header.Get("X-Mbx-Apikey") != scriptKey {
		s.t.Errorf("%s %s: key %q", r.Method, r.URL.Path, r.Header.Get("X-Mbx-Apikey"))
	}
}

// sent lists the parameters of the requests of a name.
func (s *script) sent(name string) []url.Values {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []url.Values
	for _, r := range s.requests {
		if r.name == name {
			all = append(all, r.params)
		}
	}
	return all
}

// last is what the newest request of a name said, without what signing adds.
func (s *script) last(name string) string {
	s.t.Helper()
	all := s.sent(name)
	if len(all) == 0 {
		s.t.Fatalf("%s was not asked", name)
	}
	p := all[len(all)-1]
	for _, added := range []string{"timestamp", "recvWindow", "signature"} {
		p.Del(added)
	}
	return p.Encode()
}

// recvWindow of a request, in milliseconds.
func recvWindowOf(p url.Values) int64 {
	n, _ := strconv.ParseInt(p.Get("recvWindow"), 10, 64)
	return n
}

// limitOrder is a valid request with a minute to live.
func limitOrder() venues.OrderRequest {
	return venues.OrderRequest{
		OrderSpec: venues.OrderSpec{
			Symbol: "BTCUSDT", Side: venues.Buy, Type: venues.TypeLimit, Qty: venues.MustDecimal("0.010"),
			Price: dec("60000.0"), TimeInForce: venues.GoodTillCancel,
		},
		ClientOrderID: "vg00000001", Deadline: time.Now().Add(3 * time.Second),
	}
}

const openOrder = `{"orderId":4087922044,"symbol":"BTCUSDT","status":"NEW","clientOrderId":"vg00000001","price":"60000.00","origQty":"0.010",` +
	`"executedQty":"0.000","cumQty":"0.000","timeInForce":"GTC","type":"LIMIT","reduceOnly":false,"closePosition":false,"side":"BUY",` +
	`"positionSide":"BOTH","stopPrice":"0.00","workingType":"CONTRACT_PRICE","priceProtect":false,"origType":"LIMIT","updateTime":1739781831932}`

var background = context.Background()
