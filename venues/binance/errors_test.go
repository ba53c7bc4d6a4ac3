package binance

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"venuegate/venues"
	"venuegate/venues/fixturetest"
	"venuegate/venues/internal/connectortest"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
)

func answerOf(status int, body string) *restclient.Answer {
	return &restclient.Answer{Status: status, Header: http.Header{}, Body: []byte(body)}
}

func placing() request {
	return request{method: http.MethodPost, path: orderPath, mutates: true}
}

// classified returns the error of an answer to an order request.
func classified(status int, body string) error {
	return New(Sim("http://x", "ws://x")).classify(placing(), answerOf(status, body))
}

// expected is the meaning of each recorded error for an order.
var expected = map[int]struct {
	code    venues.Code
	reason  string
	unknown bool
}{
	-1003: {code: venues.CodeRateLimited},
	-1007: {code: venues.CodeExchangeUnavailable, unknown: true},
	-1008: {code: venues.CodeExchangeUnavailable, reason: "throttled"},
	-1015: {code: venues.CodeRateLimited},
	-1016: {code: venues.CodeMaintenance},
	-1021: {code: venues.CodeExchangeUnavailable, reason: "clock_skew"},
	-1022: {code: venues.CodeUnauthorized},
	-1102: {code: venues.CodeInvalidRequest},
	-1106: {code: venues.CodeInvalidRequest, reason: "position_mode"},
	-1111: {code: venues.CodeInvalidRequest},
	-1116: {code: venues.CodeInvalidRequest},
	-1121: {code: venues.CodeSymbolNotTradable, reason: "unknown_symbol"},
	-1125: {code: venues.CodeExchangeUnavailable},
	-2011: {code: venues.CodeNotFound},
	-2013: {code: venues.CodeNotFound},
	-2014: {code: venues.CodeUnauthorized},
	-2015: {code: venues.CodeUnauthorized},
	-2019: {code: venues.CodeInsufficientBalance},
	-2021: {code: venues.CodeInvalidRequest, reason: "would_trigger"},
	-2022: {code: venues.CodeOrderRejected, reason: "no_position"},
	-2027: {code: venues.CodeInvalidRequest, reason: "max_position"},
	-2028: {code: venues.CodeLeverageChangeRejected},
	-4015: {code: venues.CodeInvalidRequest},
	-4028: {code: venues.CodeLeverageChangeRejected},
	-4046: {code: venues.CodeInvalidRequest},
	-4054: {code: venues.CodeInvalidRequest},
	-4059: {code: venues.CodeInvalidRequest},
	-4061: {code: venues.CodeInvalidRequest, reason: "position_mode"},
	-4067: {code: venues.CodeInvalidRequest},
	-4068: {code: venues.CodeInvalidRequest},
	-4116: {code: venues.CodeExchangeUnavailable, reason: "duplicate_client_id", unknown: true},
	-4120: {code: venues.CodeInvalidRequest},
	-4131: {code: venues.CodeInvalidRequest, reason: "no_liquidity"},
	-4140: {code: venues.CodeSymbolNotTradable, reason: "symbol_status"},
	-4141: {code: venues.CodeSymbolNotTradable, reason: "symbol_status"},
	-4161: {code: venues.CodeLeverageChangeRejected},
	-4164: {code: venues.CodeInvalidRequest, reason: "below_minimum_notional"},
	-5021: {code: venues.CodeOrderRejected, reason: "fok_not_filled"},
	-5022: {code: venues.CodeOrderRejected, reason: "post_only_would_take"},
}

func TestRecordedErrors(t *testing.T) {
	for _, e := range fixturetest.Objects[struct {
		Status  int
		Code    *int
		Msg     string
		Context string
	}](t, venues.Binance, "errors.jsonl") {
		body := fmt.Sprintf(`{"msg":%q}`, e.Msg)
		if e.Code != nil {
			body = fmt.Sprintf(`{"code":%d,"msg":%q}`, *e.Code, e.Msg)
		}
		err := classified(e.Status, body)
		rejection, ok := errors.AsType[*venues.Error](err)
		if !ok {
			t.Errorf("%s: error %v, want a *venues.Error", e.Context, err)
			continue
		}
		if e.Code == nil { // the two 503 without a code
			wantUnknown := strings.HasPrefix(e.Msg, "Unknown error")
			if rejection.Code != venues.CodeExchangeUnavailable || errors.Is(err, venues.ErrOutcomeUnknown) != wantUnknown {
				t.Errorf("%s: error %v, want exchange_unavailable, unknown outcome %v", e.Context, err, wantUnknown)
			}
			continue
		}
		want, listed := expected[*e.Code]
		reason, _ := rejection.Details["reason"].(string)
		switch {
		case !listed:
			t.Errorf("%d (%s): no expectation in the test", *e.Code, e.Context)
		case rejection.Code != want.code || reason != want.reason || errors.Is(err, venues.ErrOutcomeUnknown) != want.unknown:
			t.Errorf("%d: error %v, reason %q, want %+v", *e.Code, err, reason, want)
		case rejection.VenueCode != strconv.Itoa(*e.Code) || rejection.VenueMessage != payload.Bounded(e.Msg):
			t.Errorf("%d: venue code %s, message %q, want the same code and %q", *e.Code, rejection.VenueCode, rejection.VenueMessage, payload.Bounded(e.Msg))
		}
	}
}

// Two rejections of reducing orders are similar and require different remedies.
func TestRejectedReductions(t *testing.T) {
	for code, want := range map[int]string{-2024: "exceeds_position", -4118: venues.ReasonOpenOrders} {
		err := classified(400, fmt.Sprintf(`{"code":%d,"msg":"no"}`, code))
		if e, ok := errors.AsType[*venues.Error](err); !ok || e.Details["reason"] != want || errors.Is(err, venues.ErrOutcomeUnknown) {
			t.Errorf("%d: error %v, want a definite rejection with the reason %s", code, err, want)
		}
	}
}

func TestClassify(t *testing.T) {
	for _, c := range []struct {
		name    string
		status  int
		body    string
		code    venues.Code // empty for success
		unknown bool
	}{
		{"success", 200, `{"orderId":1}`, "", false},
		{"success of a command", 200, `{"code":200,"msg":"success"}`, "", false},
		{"success with a code of text", 200, `{"algoId":1,"code":"200","msg":"success"}`, "", false},
		{"success of a list", 200, `[]`, "", false},
		{"200 with an error", 200, `{"code":-2022,"msg":"ReduceOnly Order is rejected."}`, venues.CodeOrderRejected, false},
		{"200 with HTML", 200, `<html>ok</html>`, venues.CodeExchangeUnavailable, true},
		{"200 with nothing", 200, ``, venues.CodeExchangeUnavailable, true},
		{"200 cut short", 200, `{"orderId":1`, venues.CodeExchangeUnavailable, true},
		{"302", 302, ``, venues.CodeExchangeUnavailable, true},
		{"400 without a code", 400, `{"msg":"?"}`, venues.CodeExchangeUnavailable, true},
		{"400 with HTML", 400, `<html>`, venues.CodeExchangeUnavailable, true},
		{"403 with a code", 403, `{"code":-2015,"msg":"x"}`, venues.CodeUnauthorized, false},
		{"403 of the firewall", 403, `<html>`, venues.CodeExchangeUnavailable, true},
		{"408", 408, ``, venues.CodeExchangeUnavailable, true},
		{"408 with -1007", 408, `{"code":-1007,"msg":"Timeout"}`, venues.CodeExchangeUnavailable, true},
		{"500 with a definite code", 500, `{"code":-2019,"msg":"x"}`, venues.CodeExchangeUnavailable, true},
		{"502 with HTML", 502, `<html>Bad Gateway</html>`, venues.CodeExchangeUnavailable, true},
		{"503 unknown", 503, `{"msg":"Unknown error, please check your request or try again later."}`, venues.CodeExchangeUnavailable, true},
		{"503 unavailable", 503, `{"msg":"Service Unavailable."}`, venues.CodeExchangeUnavailable, false},
		{"503 internal error", 503, `{"code":-1001,"msg":"Internal error; unable to process your request. Please try again."}`, venues.CodeExchangeUnavailable, true},
		{"503 throttled", 503, `{"code":-1008,"msg":"x"}`, venues.CodeExchangeUnavailable, false},
		{"503 shutting down", 503, `{"code":-1016,"msg":"x"}`, venues.CodeMaintenance, true},
		{"-1000", 400, `{"code":-1000,"msg":"x"}`, venues.CodeExchangeUnavailable, true},
		{"broken limit under another status", 400, `{"code":-1003,"msg":"Too many requests"}`, venues.CodeRateLimited, false},
		{"unlisted -10xx", 400, `{"code":-1077,"msg":"x"}`, venues.CodeExchangeUnavailable, true},
		{"unlisted -11xx", 400, `{"code":-1177,"msg":"x"}`, venues.CodeInvalidRequest, false},
		{"unlisted -2xxx", 400, `{"code":-2999,"msg":"x"}`, venues.CodeOrderRejected, false},
		{"unlisted -4xxx", 400, `{"code":-4999,"msg":"x"}`, venues.CodeInvalidRequest, false},
		{"unlisted -5xxx", 400, `{"code":-5999,"msg":"x"}`, venues.CodeInvalidRequest, false},
		{"code with an exponent", 400, `{"code":-1e3,"msg":"x"}`, venues.CodeExchangeUnavailable, true},
		{"code beyond all numbers", 400, `{"code":-99999999999999999999,"msg":"x"}`, venues.CodeExchangeUnavailable, true},
	} {
		err := classified(c.status, c.body)
		switch {
		case c.code == "":
			if err != nil {
				t.Errorf("%s: err = %v, want no error", c.name, err)
			}
		case err == nil || venues.CodeOf(err) != c.code || errors.Is(err, venues.ErrOutcomeUnknown) != c.unknown:
			t.Errorf("%s: %v, want %s, unknown %v", c.name, err, c.code, c.unknown)
		}
		read := request{method: http.MethodGet, path: orderPath}
		if errors.Is(New(Sim("http://x", "ws://x")).classify(read, answerOf(c.status, c.body)), venues.ErrOutcomeUnknown) {
			t.Errorf("%s: the error of a read has an unknown outcome, want none", c.name)
		}
	}
}

func TestMaintenance(t *testing.T) {
	for name, c := range map[string]struct {
		status       int
		body, notice string
		code         venues.Code
	}{
		"announced":     {503, `{"msg":"Service Unavailable."}`, `{"status":1,"msg":"system_maintenance"}`, venues.CodeMaintenance},
		"a page":        {502, `<html>`, `{"status":1,"msg":"system_maintenance"}`, venues.CodeMaintenance},
		"shutting down": {503, `{"code":-1016,"msg":"x"}`, `{"status":0,"msg":"normal"}`, venues.CodeMaintenance},
		"not announced": {502, `<html>`, `{"status":0,"msg":"normal"}`, venues.CodeExchangeUnavailable},
		"no notice":     {502, `<html>`, `<html>`, venues.CodeExchangeUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScriptWith(t, func(o *Options) { o.KeyURL = o.RESTURL })
			s.On("POST /fapi/v1/order", c.status, c.body)
			s.On("GET /sapi/v1/system/status", 200, c.notice)
			_, err := s.account.Place(background, limitOrder())
			e, _ := errors.AsType[*venues.Error](err)
			if e == nil || e.Code != c.code || errors.Is(err, venues.ErrOutcomeUnknown) != (name != "announced") {
				t.Fatal(err)
			}
			if c.code == venues.CodeMaintenance && e.RetryAfter != time.Minute {
				t.Errorf("RetryAfter = %s, want 1m", e.RetryAfter)
			}
		})
	}
}

// The host of the keys has a firewall of its own.
func TestFirewallOfKeyHostDoesNotStopTrading(t *testing.T) {
	s := newScriptWith(t, func(o *Options) { o.KeyURL = o.RESTURL })
	s.On("GET /sapi/v1/account/apiRestrictions", 403, `<html>`)
	if _, err := s.account.KeyInfo(background); venues.CodeOf(err) != venues.CodeExchangeUnavailable {
		t.Error(err)
	}
	if d := s.connector.Gate.FrozenFor(); d != 0 {
		t.Errorf("frozen for %s, want 0", d)
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.UnixMilli(1698710400001).Add(-90 * time.Second)
	const banned = "Way too many requests; IP(203.0.113.7) banned until 1698710400001. Please use the websocket."
	for _, c := range []struct {
		header, message string
		want            time.Duration
	}{
		{"", "", time.Minute},
		{"7", "", 7 * time.Second},
		{" 7 ", "", 7 * time.Second},
		{"", banned, 90 * time.Second},
		{"30", banned, 90 * time.Second},
		{"120", banned, 120 * time.Second},
		{"soon", "", time.Minute},
		{"-5", "", time.Minute},
		{"999999999999", "", time.Minute * 0},
		{"86400000", "", banMax},
		{"", "banned until 99999999999999999", banMax},
		{"", "banned until 1", time.Minute},
	} {
		got := retryAfter(http.Header{"Retry-After": {c.header}}, c.message, now)
		if c.want == 0 {
			if got <= 0 || got > banMax {
				t.Errorf("header %q, message %q: wait %v, want at most %v", c.header, c.message, got, banMax)
			}
			continue
		}
		if got != c.want {
			t.Errorf("header %q, message %q: wait %v, want %v", c.header, c.message, got, c.want)
		}
	}
}

// An exceeded rate limit freezes everything, an exceeded order limit only the account's
// orders.
func TestLimitsFreeze(t *testing.T) {
	s := newScript(t)
	s.Add("POST /fapi/v1/order", connectortest.Answer{Status: 429, Header: http.Header{"Retry-After": {"40"}}, Body: `{"code":-1015,"msg":"Too many new orders"}`})
	s.On("DELETE /fapi/v1/order", 200, strings.Replace(openOrder, `"NEW"`, `"CANCELED"`, 1))
	_, err := s.account.Place(background, limitOrder())
	limited, ok := errors.AsType[*venues.Error](err)
	if !ok || limited.Code != venues.CodeRateLimited || limited.RetryAfter != 40*time.Second || errors.Is(err, venues.ErrOutcomeUnknown) {
		t.Fatalf("error %v, want rate_limited for 40 s", err)
	}
	if _, err = s.account.Place(background, limitOrder()); !errors.Is(err, venues.ErrNotSent) || venues.CodeOf(err) != venues.CodeRateLimited {
		t.Errorf("next order: error %v, want rate_limited, not sent", err)
	}
	if len(s.sent("POST /fapi/v1/order")) != 1 {
		t.Error("an order was sent above the limit")
	}
	if _, err = s.account.Cancel(background, venues.OrderRef{Symbol: "BTCUSDT", ClientOrderID: "vg00000001", Type: venues.TypeLimit}); err != nil {
		t.Errorf("cancel: error %v, want none", err)
	}

	s.Add("GET /fapi/v1/openOrders", connectortest.Answer{Status: 418, Header: http.Header{"Retry-After": {"120"}}, Body: `{"code":-1003,"msg":"Way too many requests"}`})
	if _, err = s.account.OpenOrders(background); venues.CodeOf(err) != venues.CodeRateLimited {
		t.Errorf("ban: error %v, want rate_limited", err)
	}
	before := s.RequestCount()
	_, err = s.account.Cancel(background, venues.OrderRef{Symbol: "BTCUSDT", ClientOrderID: "vg00000001", Type: venues.TypeLimit})
	if !errors.Is(err, venues.ErrNotSent) || s.RequestCount() != before {
		t.Errorf("request during the ban: error %v, want ErrNotSent", err)
	}
}

func TestFirewallFreezes(t *testing.T) {
	s := newScript(t)
	s.On("GET /fapi/v1/openOrders", 403, "<html>Request blocked</html>")
	_, err := s.account.OpenOrders(background)
	blocked, ok := errors.AsType[*venues.Error](err)
	if !ok || blocked.Code != venues.CodeExchangeUnavailable || blocked.Details["reason"] != "blocked" {
		t.Fatalf("error %v, want exchange_unavailable, blocked", err)
	}
	if _, err := s.account.OpenOrders(background); venues.CodeOf(err) != venues.CodeRateLimited {
		t.Errorf("request while blocked: error %v, want rate_limited", err)
	}
}

func TestVenueTextIsBounded(t *testing.T) {
	long := strings.Repeat("ж", 500)
	err := classified(400, fmt.Sprintf(`{"code":-4003,"msg":"a\u0000b\n<i>%s"}`, long))
	rejection, _ := errors.AsType[*venues.Error](err)
	if rejection == nil || len(rejection.VenueMessage) > payload.TextBytesMax || !strings.HasPrefix(rejection.VenueMessage, "a?b?<i>ж") {
		t.Errorf("error %v, want a message of at most %d bytes that begins with a?b?<i>ж", err, payload.TextBytesMax)
	}
}

func TestMinimumNotionalIsReported(t *testing.T) {
	err := classified(400, `{"code":-4164,"msg":"Order's notional must be no smaller than 100.00 (unless you choose reduce only)."}`)
	rejection, _ := errors.AsType[*venues.Error](err)
	if rejection == nil || rejection.Details["minNotional"] != "100" {
		t.Errorf("error %v, want the minimum notional 100", err)
	}
}
