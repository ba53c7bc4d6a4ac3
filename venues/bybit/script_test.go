package bybit

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/connectortest"
)

const (
	scriptKey    = "XXXXXXXXXXXXXXXXXX"
	scriptSecret = "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"
)

// script is a venue with scripted answers that checks every signature, with a connector
// and an account.
type script struct {
	*connectortest.Server
	t         *testing.T
	connector *Connector
	account   *Account
	now       func() time.Time
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
	s := &script{Server: connectortest.NewServer(t), t: t, now: time.Now}
	s.Check, s.ClockName = s.check, "GET /v5/market/time"
	s.Clock = func() string {
		return fmt.Sprintf(`{"retCode":0,"retMsg":"OK","result":{"timeSecond":"%d","timeNano":"%d"},"time":1}`, s.now().Unix(), s.now().UnixNano())
	}
	o := Sim(s.RESTURL, s.StreamURL)
	o.Dial = s.Dial
	o.Timeout = 30 * time.Second
	o.BackoffMin, o.BackoffMax = 5*time.Millisecond, 20*time.Millisecond
	o.TickInterval = 20 * time.Millisecond
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

// ok adds a success with a result, reject an error.
func (s *script) ok(name, result string) {
	s.On(name, 200, fmt.Sprintf(`{"retCode":0,"retMsg":"OK","result":%s,"retExtInfo":{},"time":1696404669448}`, result))
}

func (s *script) reject(name string, code int, message string) {
	s.On(name, 200, fmt.Sprintf(`{"retCode":%d,"retMsg":%q,"result":{},"retExtInfo":{},"time":1696404669448}`, code, message))
}

// check checks a signed request against the venue's rules: the signature is over exactly
// what was sent, a GET has no body, the timestamp is in the window.
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
		s.t.Errorf("%s %s: key %q, body %q, want the key of the script and no body of a GET", r.Method, r.URL.Path, r.Header.Get("X-Bapi-Api-Key"), body)
	}
	ms, _ := strconv.ParseInt(timestamp, 10, 64)
	if ahead := time.UnixMilli(ms).Sub(s.now()); ahead >= time.Second {
		s.t.Errorf("%s %s: timestamp %v ahead of the venue, want less than 1 s", r.Method, r.URL.Path, ahead)
	}
}

const orderLife = connectortest.OrderLife

// limitOrder returns a valid request with a deadline after orderLife.
func limitOrder() venues.OrderRequest { return connectortest.LimitOrder("0.010") }

func orderWith(change func(*venues.OrderRequest)) venues.OrderRequest {
	r := limitOrder()
	change(&r)
	return r
}

var ours = venues.OrderRef{Symbol: "BTCUSDT", ClientOrderID: "vg00000001", VenueOrderID: "44ce1d85-3458-4ec3-af76-41a4cf80c9b3", Type: venues.TypeLimit}

// orderRow returns an order record; changes are pairs of old and new text.
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

var background = context.Background()
