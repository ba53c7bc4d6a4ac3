package binance

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/connectortest"
)

const (
	scriptKey    = "dbefbc809e3e83c283a984c3a1459732ea7db1360ca80c5c2c8867408d28cc83"
	scriptSecret = "2b5eb11e18796d12d88f13dc27dbbd02c2cc51ff7059765ed9821957d82bb4d9"
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
	oneWay = `{"feeTier":0,"canTrade":true,"canDeposit":true,"canWithdraw":true,"dualSidePosition":false,"updateTime":0,"multiAssetsMargin":false,"tradeGroupId":-1}`
	hedged = `{"feeTier":0,"canTrade":true,"canDeposit":true,"canWithdraw":true,"dualSidePosition":true,"updateTime":0,"multiAssetsMargin":false,"tradeGroupId":-1}`
)

func newScript(t *testing.T) *script { return newScriptWith(t, func(*Options) {}) }

// newScriptWith returns a script whose connector has other options.
func newScriptWith(t *testing.T, change func(*Options)) *script {
	t.Helper()
	s := &script{Server: connectortest.NewServer(t), t: t, now: time.Now}
	s.Check, s.ClockName = s.check, "GET /fapi/v1/time"
	s.Clock = func() string { return fmt.Sprintf(`{"serverTime":%d}`, s.now().UnixMilli()) }
	o := Sim(s.RESTURL, s.StreamURL)
	o.Dial = s.Dial
	o.Timeout = 30 * time.Second
	o.BackoffMin, o.BackoffMax, o.RenewOverlap = 5*time.Millisecond, 20*time.Millisecond, 50*time.Millisecond
	o.TickInterval = 20 * time.Millisecond
	change(&o)
	s.connector = New(o)
	t.Cleanup(s.connector.Close)
	account, err := s.connector.OpenAccount(venues.Credentials{APIKey: scriptKey, APISecret: scriptSecret})
	if err != nil {
		t.Fatal(err)
	}
	s.account = account.(*Account)
	s.On("GET /fapi/v1/accountConfig", 200, oneWay)
	s.On("GET /fapi/v1/leverageBracket", 200, `[]`)
	return s
}

// check checks a signed request against the venue's rules: a correct signature in the
// last place, the key in the header, all parameters of a change in the body.
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
		s.t.Errorf("%s %s: key %q, want %q", r.Method, r.URL.Path, r.Header.Get("X-Mbx-Apikey"), scriptKey)
	}
}

// sent returns the parameters of the requests of a name.
func (s *script) sent(name string) []url.Values {
	requests := s.Sent(name)
	all := make([]url.Values, len(requests))
	for n, r := range requests {
		all[n] = paramsOf(r)
	}
	return all
}

// paramsOf returns the parameters in the query or body of a request.
func paramsOf(r connectortest.Request) url.Values {
	params, err := url.ParseQuery(r.Payload)
	if err != nil {
		return nil
	}
	return params
}

// last returns the newest request of a name, without the parameters added by signing.
func (s *script) last(name string) string {
	s.t.Helper()
	p := paramsOf(s.Last(name))
	for _, added := range []string{"timestamp", "recvWindow", "signature"} {
		p.Del(added)
	}
	return p.Encode()
}

// recvWindowOf returns the receive window of a request, in milliseconds.
func recvWindowOf(p url.Values) int64 {
	n, _ := strconv.ParseInt(p.Get("recvWindow"), 10, 64)
	return n
}

const orderLife = connectortest.OrderLife

// limitOrder returns a valid request with a deadline after orderLife.
func limitOrder() venues.OrderRequest { return connectortest.LimitOrder("0.010") }

const openOrder = `{"orderId":4087922044,"symbol":"BTCUSDT","status":"NEW","clientOrderId":"vg00000001","price":"60000.00","origQty":"0.010",` +
	`"executedQty":"0.000","cumQty":"0.000","timeInForce":"GTC","type":"LIMIT","reduceOnly":false,"closePosition":false,"side":"BUY",` +
	`"positionSide":"BOTH","stopPrice":"0.00","workingType":"CONTRACT_PRICE","priceProtect":false,"origType":"LIMIT","updateTime":1739781831932}`

var background = context.Background()
