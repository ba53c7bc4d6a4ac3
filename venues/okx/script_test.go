package okx

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/connectortest"
)

const (
	scriptKey        = "37c541a1-dc38-4ac9-8aed-7a8c2a7f2f2b"
	scriptSecret     = "22582BD0CFF14C41EDBF1AB98506286D"
	scriptPassphrase = "open sesame"
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
	netMode       = `{"code":"0","data":[{"acctLv":"2","posMode":"net_mode","perm":"read_only,trade","ip":"1.2.3.4"}],"msg":""}`
	longShortMode = `{"code":"0","data":[{"acctLv":"2","posMode":"long_short_mode","perm":"read_only,trade","ip":""}],"msg":""}`
	nothing       = `{"code":"0","data":[],"msg":""}`
	swaps         = `{"code":"0","data":[` +
		`{"instType":"SWAP","instId":"BTC-USDT-SWAP","ctType":"linear","ctVal":"0.01","ctMult":"1","ctValCcy":"BTC","settleCcy":"USDT","uly":"BTC-USDT","tickSz":"0.1","lotSz":"0.01","minSz":"0.01","maxLmtSz":"100000000","maxMktSz":"35000","lever":"100","state":"live","instIdCode":10459},` +
		`{"instType":"SWAP","instId":"ETH-USDT-SWAP","ctType":"linear","ctVal":"0.1","ctMult":"1","ctValCcy":"ETH","settleCcy":"USDT","uly":"ETH-USDT","tickSz":"0.01","lotSz":"0.01","minSz":"0.01","maxLmtSz":"100000000","maxMktSz":"90000","lever":"100","state":"live","instIdCode":null},` +
		`{"instType":"SWAP","instId":"BTC-USD-SWAP","ctType":"inverse","ctVal":"100","ctMult":"1","ctValCcy":"USD","settleCcy":"BTC","uly":"BTC-USD","tickSz":"0.1","lotSz":"1","minSz":"1","state":"live"},` +
		`{"instType":"SWAP","instId":"BAD-USDT-SWAP","ctType":"linear","ctVal":"","ctMult":"1","ctValCcy":"BAD","settleCcy":"USDT","tickSz":"0.1","lotSz":"1","minSz":"1","state":"live"}],"msg":""}`
)

func newScript(t *testing.T) *script {
	t.Helper()
	s := &script{Server: connectortest.NewServer(t), t: t, now: time.Now}
	s.Check, s.ClockName = s.check, "GET /api/v5/public/time"
	s.Clock = func() string { return fmt.Sprintf(`{"code":"0","msg":"","data":[{"ts":"%d"}]}`, s.now().UnixMilli()) }
	o := Sim(s.RESTURL, s.StreamURL)
	o.Dial = s.Dial
	o.Timeout = 30 * time.Second
	o.BackoffMin, o.BackoffMax, o.RenewOverlap = 5*time.Millisecond, 20*time.Millisecond, 50*time.Millisecond
	o.TickInterval = 20 * time.Millisecond
	s.connector = New(o)
	t.Cleanup(s.connector.Close)
	account, err := s.connector.OpenAccount(venues.Credentials{APIKey: scriptKey, APISecret: scriptSecret, Passphrase: scriptPassphrase})
	if err != nil {
		t.Fatal(err)
	}
	s.account = account.(*Account)
	s.On("GET /api/v5/public/instruments", 200, swaps)
	s.On("GET /api/v5/public/instruments", 200, nothing)
	s.On("GET /api/v5/account/config", 200, netMode)
	s.On("GET /api/v5/account/positions", 200, nothing)
	return s
}

// check checks a signed request against the venue's rules.
func (s *script) check(r *http.Request, body string) {
	key := r.Header.Get("OK-ACCESS-KEY")
	if strings.HasPrefix(r.URL.Path, "/api/v5/public/") || strings.HasPrefix(r.URL.Path, "/api/v5/market/") || strings.HasPrefix(r.URL.Path, "/api/v5/system/") {
		if key != "" {
			s.t.Errorf("%s: a public request contains the key, want none", r.URL.Path)
		}
		return
	}
	stamp := r.Header.Get("OK-ACCESS-TIMESTAMP")
	if _, err := time.Parse(timestampFormat, stamp); err != nil {
		s.t.Errorf("%s: timestamp %q is invalid, want no error", r.URL.Path, stamp)
	}
	if want := sign(scriptSecret, stamp, r.Method, r.URL.RequestURI(), body); r.Header.Get("OK-ACCESS-SIGN") != want {
		s.t.Errorf("%s %s: wrong signature, want %s", r.Method, r.URL.Path, want)
	}
	if key != scriptKey || r.Header.Get("OK-ACCESS-PASSPHRASE") != scriptPassphrase {
		s.t.Errorf("%s %s: key %q or passphrase is wrong, want those of the script", r.Method, r.URL.Path, key)
	}
	if r.Method == http.MethodPost && r.Header.Get("Content-Type") != "application/json" {
		s.t.Errorf("%s: content type %q, want application/json", r.URL.Path, r.Header.Get("Content-Type"))
	}
}

// wantSent compares the body of the newest request of a name with JSON.
func (s *script) wantSent(name, want string) {
	s.t.Helper()
	connectortest.SameJSON(s.t, name, s.Last(name).Payload, want)
}

const orderLife = connectortest.OrderLife

// limitOrder returns a valid request with a deadline after orderLife.
func limitOrder() venues.OrderRequest { return connectortest.LimitOrder("0.005") }

const (
	placedOrder = `{"code":"0","data":[{"clOrdId":"vg00000001","ordId":"2896576259728695296","sCode":"0","sMsg":"Order placed","tag":"","ts":"1758827099512"}],"inTime":"1758827099511856","msg":"","outTime":"1758827099513562"}`
	placedAlgo  = `{"code":"0","data":[{"algoClOrdId":"vg00000001","algoId":"2896574163517353984","clOrdId":"","sCode":"0","sMsg":"","tag":""}],"msg":""}`
)

// anOrder returns an order record; changes are pairs of old and new text.
func anOrder(changes ...string) string {
	return strings.NewReplacer(changes...).Replace(`{"instType":"SWAP","instId":"BTC-USDT-SWAP","ordId":"2896576259728695296","clOrdId":"vg00000001",` +
		`"algoId":"","algoClOrdId":"","side":"buy","posSide":"net","ordType":"limit","state":"live","sz":"0.5","px":"60000","accFillSz":"0",` +
		`"avgPx":"","reduceOnly":"false","category":"normal","cancelSource":"","cTime":"1758827099512","uTime":"1758827099513",` +
		`"fillSz":"0","fillPx":"","fillTime":"","tradeId":"","execType":"","fillFee":"0","fillFeeCcy":"","fillPnl":"0"}`)
}

// anAlgo returns an algo order record.
func anAlgo(changes ...string) string {
	return strings.NewReplacer(changes...).Replace(`{"instType":"SWAP","instId":"BTC-USDT-SWAP","algoId":"2896574163517353984","algoClOrdId":"vg00000001",` +
		`"side":"sell","posSide":"net","ordType":"conditional","state":"live","sz":"0.5","closeFraction":"","triggerPx":"","ordPx":"",` +
		`"slTriggerPx":"58000","slOrdPx":"-1","tpTriggerPx":"","tpOrdPx":"","reduceOnly":"true","ordId":"","ordIdList":[],"failCode":"",` +
		`"cTime":"1758827099512","uTime":"1758827099513"}`)
}

func answerOf(rows ...string) string {
	return `{"code":"0","data":[` + strings.Join(rows, ",") + `],"msg":""}`
}

func rejectedItem(code, message string) string {
	return fmt.Sprintf(`{"code":"1","data":[{"clOrdId":"","ordId":"","sCode":%q,"sMsg":%q,"tag":""}],"msg":"All operations failed"}`, code, message)
}

const (
	placeName = "POST /api/v5/trade/order"
	readOrder = "GET /api/v5/trade/order"
	readAlgo  = "GET /api/v5/trade/order-algo"
)

var background = context.Background()
