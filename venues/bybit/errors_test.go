package bybit

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/restclient"
)

func answerOf(status int, body string) *restclient.Answer {
	return &restclient.Answer{Status: status, Header: http.Header{}, Body: []byte(body)}
}

func placing() request {
	return request{method: http.MethodPost, path: createPath, mutates: true}
}

// classified returns the error of an answer to an order request.
func classified(status int, body string) error {
	_, err := New(Sim("http://x", "ws://x")).classify(placing(), answerOf(status, body))
	return err
}

type meaning struct {
	code    venues.Code
	reason  string
	unknown bool
}

// expected is the meaning of each recorded error for an order; for 10001 see below.
var expected = map[int]meaning{
	5004:   {code: venues.CodeExchangeUnavailable, unknown: true},
	10000:  {code: venues.CodeExchangeUnavailable, unknown: true},
	10002:  {code: venues.CodeExchangeUnavailable, reason: "clock_skew"},
	10003:  {code: venues.CodeUnauthorized},
	10004:  {code: venues.CodeUnauthorized},
	10005:  {code: venues.CodeUnauthorized},
	10010:  {code: venues.CodeUnauthorized},
	10016:  {code: venues.CodeExchangeUnavailable, unknown: true},
	110001: {code: venues.CodeNotFound},
	110003: {code: venues.CodeInvalidRequest, reason: "price_band"},
	110007: {code: venues.CodeInsufficientBalance},
	110013: {code: venues.CodeLeverageChangeRejected},
	110017: {code: venues.CodeOrderRejected, reason: venues.ReasonNoPosition},
	110025: {code: venues.CodeInvalidRequest},
	110043: {code: venues.CodeLeverageChangeRejected},
	110094: {code: venues.CodeInvalidRequest, reason: "below_minimum_notional"},
}

// expectedParameter is the meaning of the messages of 10001.
var expectedParameter = map[string]meaning{
	"position idx not match position mode": {code: venues.CodeInvalidRequest, reason: "position_mode"},
	"Not supported symbols":                {code: venues.CodeSymbolNotTradable, reason: "unknown_symbol"},
}

func meaningOf(code int, message string) (meaning, bool) {
	if code != codeParameter {
		want, listed := expected[code]
		return want, listed
	}
	if strings.HasSuffix(message, "buy: [55998000,47634000] invalid") {
		return meaning{code: venues.CodeInvalidRequest, reason: "no_liquidity"}, true
	}
	if strings.HasPrefix(message, "empty value: api") {
		return meaning{code: venues.CodeUnauthorized}, true
	}
	if want, listed := expectedParameter[message]; listed {
		return want, true
	}
	return meaning{code: venues.CodeInvalidRequest}, true
}

func TestRecordedErrors(t *testing.T) {
	for _, file := range []string{"rest_errors.jsonl", "rest_leverage.jsonl", "rest_order_ack.jsonl", "ws_trade.jsonl"} {
		for _, r := range recordings(t, file) {
			var body struct {
				RetCode integer `json:"retCode"`
				RetMsg  string  `json:"retMsg"`
			}
			if err := json.Unmarshal(r.Msg, &body); err != nil {
				t.Fatal(err)
			}
			err := classified(http.StatusOK, string(r.Msg))
			if _, _, isEnvelope := parseEnvelope(r.Msg); !isEnvelope {
				if !errors.Is(err, venues.ErrOutcomeUnknown) {
					t.Errorf("%s: error %v, want an unknown outcome", r.Name, err)
				}
				continue
			}
			if body.RetCode == 0 {
				if err != nil {
					t.Errorf("%s: error %v, want none", r.Name, err)
				}
				continue
			}
			rejection, ok := errors.AsType[*venues.Error](err)
			want, listed := meaningOf(int(body.RetCode), body.RetMsg)
			if !ok || !listed {
				t.Errorf("%s: error %v, listed %v, want a listed rejection", r.Name, err, listed)
				continue
			}
			reason, _ := rejection.Details["reason"].(string)
			if rejection.Code != want.code || reason != want.reason || errors.Is(err, venues.ErrOutcomeUnknown) != want.unknown {
				t.Errorf("%s: error %v, reason %q, want %+v", r.Name, err, reason, want)
			}
			if rejection.VenueCode != strconv.Itoa(int(body.RetCode)) || strings.Contains(err.Error(), scriptKey) {
				t.Errorf("%s: venue code %s, message %q, want the code %d without the key", r.Name, rejection.VenueCode, rejection.VenueMessage, body.RetCode)
			}
		}
	}
}

func TestClassify(t *testing.T) {
	const good = `{"retCode":0,"retMsg":"OK","result":{}}`
	for _, c := range []struct {
		name    string
		status  int
		body    string
		code    venues.Code // empty for success
		unknown bool
	}{
		{"success", 200, good, "", false},
		{"code as a text", 200, `{"retCode":"0","result":{}}`, "", false},
		{"success of a bad status", 418, good, venues.CodeExchangeUnavailable, true},
		{"server error", 500, good, venues.CodeExchangeUnavailable, true},
		{"gateway time-out", 504, `<html>`, venues.CodeExchangeUnavailable, true},
		{"request time-out", 408, ``, venues.CodeExchangeUnavailable, true},
		{"refused by an authorisation layer", 401, `{"retCode":10003,"retMsg":"API key is invalid."}`, venues.CodeUnauthorized, false},
		{"refused with 403", 403, `{"retCode":10010,"retMsg":"Unmatched IP"}`, venues.CodeUnauthorized, false},
		{"limit", 200, `{"retCode":10006,"retMsg":"Too many visits!"}`, venues.CodeRateLimited, false},
		{"limit with 429", 429, `{"retCode":10006,"retMsg":"Too many visits!"}`, venues.CodeRateLimited, false},
		{"address limit", 403, `403, access too frequent`, venues.CodeRateLimited, false},
		{"another 403", 403, `<html>`, venues.CodeExchangeUnavailable, true},
		{"overload", 429, `{"retCode":0}`, venues.CodeExchangeUnavailable, true},
		{"maintenance", 200, `{"retCode":3100197,"retMsg":"Temporary banned due to the upgrade to UTA"}`, venues.CodeMaintenance, false},
		{"unlisted business code", 200, `{"retCode":110999,"retMsg":"new"}`, venues.CodeOrderRejected, false},
		{"unlisted gateway code", 200, `{"retCode":10999,"retMsg":"new"}`, venues.CodeExchangeUnavailable, true},
		{"code is a word", 200, `{"retCode":"none"}`, venues.CodeExchangeUnavailable, true},
		{"no code", 200, `{}`, venues.CodeExchangeUnavailable, true},
		{"a list", 200, `[]`, venues.CodeExchangeUnavailable, true},
		{"nothing", 200, ``, venues.CodeExchangeUnavailable, true},
	} {
		err := classified(c.status, c.body)
		if (err == nil) != (c.code == "") || err != nil && venues.CodeOf(err) != c.code || errors.Is(err, venues.ErrOutcomeUnknown) != c.unknown {
			t.Errorf("%s: error %v, want code %q, unknown outcome %v", c.name, err, c.code, c.unknown)
		}
	}
}

func TestMaintenance(t *testing.T) {
	const page = `<html>We are upgrading</html>`
	end := strconv.FormatInt(time.Now().Add(20*time.Minute).UnixMilli(), 10)
	status := func(state, services, products, suffixes, env string) string {
		return `{"list":[{"id":"1","title":"x","state":"` + state + `","begin":"1751596902000","end":"` + end + `","serviceTypes":` + services +
			`,"product":` + products + `,"uidSuffix":` + suffixes + `,"maintainType":1,"env":` + env + `}]}`
	}
	restarting := `{"retCode":10019,"retMsg":"restarting"}`
	for name, c := range map[string]struct {
		status       int
		body, notice string
		code         venues.Code
	}{
		"trading":             {200, restarting, status("ongoing", "[1]", "[1,2]", "[]", "1"), venues.CodeMaintenance},
		"private stream":      {200, `{"retCode":10016,"retMsg":"x"}`, status("ongoing", "[5,4]", "[1]", "[]", "1"), venues.CodeMaintenance},
		"a page":              {502, page, status("ongoing", "[2]", "[1]", "[]", "1"), venues.CodeMaintenance},
		"over":                {502, page, status("completed", "[2]", "[1]", "[]", "1"), venues.CodeExchangeUnavailable},
		"market data":         {502, page, status("ongoing", "[5]", "[1]", "[]", "1"), venues.CodeExchangeUnavailable},
		"another product":     {502, page, status("ongoing", "[1]", "[2,3]", "[]", "1"), venues.CodeExchangeUnavailable},
		"other accounts":      {502, page, status("ongoing", "[1]", "[1]", `["7"]`, "1"), venues.CodeExchangeUnavailable},
		"another environment": {502, page, status("ongoing", "[1]", "[1]", "[]", "2"), venues.CodeExchangeUnavailable},
		"none":                {200, restarting, `{"list":[]}`, venues.CodeExchangeUnavailable},
		"no notice":           {502, page, `"no"`, venues.CodeExchangeUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript(t)
			s.On(createOrder, c.status, c.body)
			s.ok("GET /v5/system/status", c.notice)
			_, err := s.account.Place(background, limitOrder())
			e, _ := errors.AsType[*venues.Error](err)
			if e == nil || e.Code != c.code || !errors.Is(err, venues.ErrOutcomeUnknown) {
				t.Fatal(err)
			}
			if c.code == venues.CodeMaintenance && (e.RetryAfter < 19*time.Minute || e.RetryAfter > 20*time.Minute) {
				t.Errorf("RetryAfter = %s, want the rest of the maintenance", e.RetryAfter)
			}
		})
	}
}

// A read changes nothing, so its error has no outcome.
func TestReadsHaveNoOutcome(t *testing.T) {
	for _, body := range []string{`{"retCode":10000}`, `<html>`, `{"retCode":110072}`, `{}`} {
		c := New(Sim("http://x", "ws://x"))
		if _, err := c.classify(get(realtimePath, nil, nil, restclient.PriorityOrder), answerOf(200, body)); err == nil || errors.Is(err, venues.ErrOutcomeUnknown) {
			t.Errorf("%s: error %v, want one without an unknown outcome", body, err)
		}
	}
}

func TestErrorsContainNoSecrets(t *testing.T) {
	for _, message := range []string{
		"error sign! origin_string[1701783394711" + scriptKey + "15000symbol=BTCUSDT]",
		"error sign! origin_string[1701783394711" + scriptKey,
		"empty value: apiTimestamp[] apiKey[" + scriptKey + "] apiSignature[" + scriptKey + "]: openapi sign params error!",
	} {
		err := classified(200, fmt.Sprintf(`{"retCode":10004,"retMsg":%q}`, message))
		if text := err.Error(); strings.Contains(text, scriptKey) || !strings.Contains(text, "[...]") {
			t.Errorf("%s, want [...] instead of the key", text)
		}
	}
}

// The classes do not contradict one another, and every code is definite unless marked
// otherwise.
func TestErrorTable(t *testing.T) {
	for code, v := range classes {
		err := classified(200, fmt.Sprintf(`{"retCode":%d,"retMsg":"x"}`, code))
		if venues.CodeOf(err) != v.Code || errors.Is(err, venues.ErrOutcomeUnknown) != v.Unknown {
			t.Errorf("%d: error %v, want %s, unknown outcome %v", code, err, v.Code, v.Unknown)
		}
	}
	for code := range leverageReasons {
		if _, listed := classes[code]; !listed && code != 110077 {
			t.Errorf("%d has a leverage reason and no class, want both", code)
		}
	}
}

// No answer makes the classification fail, and no uncertain answer is a success.
func FuzzClassify(f *testing.F) {
	f.Add(200, []byte(`{"retCode":0,"retMsg":"OK","result":{"orderId":"1"}}`))
	f.Add(200, []byte(`{"retCode":"110007","retMsg":"ab not enough for new order"}`))
	f.Add(403, []byte(`403, access too frequent`))
	f.Add(502, []byte(`<html>`))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		c := New(Sim("http://x", "ws://x"))
		result, err := c.classify(placing(), answerOf(status, string(body)))
		if err == nil && (status != 200 || !json.Valid(body)) {
			t.Fatalf("status %d, %q is a success: %s, want an error", status, body, result)
		}
	})
}
