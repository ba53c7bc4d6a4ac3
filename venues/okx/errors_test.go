package okx

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues"
	"venuegate/venues/fixturetest"
	"venuegate/venues/internal/restclient"
)

// The documented codes have the documented class. Where the connector's differs, it is
// more specific.
func TestDocumentedCodes(t *testing.T) {
	finer := map[string]bool{
		"50001": true,                // depends on the venue's state
		"50036": true, "50037": true, // after its deadline: definite, and not an error of the request
		"50102": true, "50112": true, "60004": true, "60006": true, // timestamp
		"51169": true, "51170": true, "51023": true, "51043": true, "51058": true, // no position
		"51112": true, "51148": true, "51206": true, // exceeds position
		"51511": true, // post-only
	}
	checked := 0
	for _, line := range fixturetest.Lines(fixture(t, "error_codes.tsv"))[1:] {
		cells := strings.Split(string(line), "\t")
		code, err := strconv.Atoi(cells[0])
		if err != nil || finer[cells[0]] {
			continue
		}
		want := venues.Code(cells[3])
		v, _ := classOf(code)
		switch {
		case cells[3] == "duplicate":
			if !v.Unknown || v.Reason != "duplicate_client_id" {
				t.Errorf("code = %d, v = %+v, want an unknown outcome with the reason duplicate_client_id", code, v)
			}
		case strings.HasPrefix(cells[3], "(look"), cells[3] == "ok", cells[3] == "reconnect":
		case v.Code != want:
			t.Errorf("%d %s: class %s, want %s (%s)", code, cells[1], v.Code, want, cells[6])
		}
		if strings.HasPrefix(cells[4], "OUTCOME UNKNOWN") && !v.Unknown {
			t.Errorf("%d: definite, want an unknown outcome", code)
		}
		checked++
	}
	if checked < 700 {
		t.Errorf("%d codes checked, want at least 700", checked)
	}
}

func TestRecordedErrors(t *testing.T) {
	s := newScript(t)
	want := map[string]struct {
		code   venues.Code
		reason string
	}{
		"51000": {venues.CodeInvalidRequest, ""}, "51121": {venues.CodeInvalidRequest, "quantity"},
		"51016": {venues.CodeExchangeUnavailable, "duplicate_client_id"}, "51010": {venues.CodeInvalidRequest, "account_mode"},
		"51119": {venues.CodeInsufficientBalance, ""}, "59107": {venues.CodeLeverageChangeRejected, ""},
		"59000": {venues.CodeLeverageChangeRejected, ""}, "51001": {venues.CodeSymbolNotTradable, "unknown_symbol"},
	}
	seen := 0
	for _, line := range fixturetest.Lines(fixture(t, "errors_real.jsonl")) {
		var recorded struct {
			Body json.RawMessage `json:"body"`
		}
		if err := json.Unmarshal(line, &recorded); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(recorded.Body), `"event"`) {
			continue // of a stream
		}
		_, err := s.connector.classify(request{mutates: true, itemized: true, path: "/x"}, &restclient.Answer{Status: 200, Body: recorded.Body})
		e, ok := errors.AsType[*venues.Error](err)
		if !ok {
			t.Fatalf("%s: no error, want a rejection", recorded.Body)
		}
		w, known := want[e.VenueCode]
		reason, _ := e.Details["reason"].(string)
		if !known || e.Code != w.code || reason != w.reason || e.VenueMessage == "" {
			t.Errorf("%s: error %+v, want %s with reason %q and the venue's message", recorded.Body, e, w.code, w.reason)
		}
		seen++
	}
	if seen != 10 {
		t.Errorf("%d errors, want 10", seen)
	}
	for _, line := range fixturetest.Lines(fixture(t, "ws_op_order_responses_real.jsonl")) {
		_, err := s.connector.classify(request{mutates: true, itemized: true, path: "/x"}, &restclient.Answer{Status: 200, Body: line})
		if rejected := strings.Contains(string(line), "51016"); (err != nil) != rejected {
			t.Errorf("%s: err = %v, want an error: %t", line, err, rejected)
		}
	}
}

// The venue's second code is a detail of the error if there is one.
func TestSubCodeOfARejection(t *testing.T) {
	s := newScript(t)
	for sub, want := range map[string]any{`"subCode":"","`: nil, `"subCode":"1000","`: "1000"} {
		body := strings.Replace(rejectedItem("51121", "lot"), `"sCode"`, sub+`sCode"`, 1)
		_, err := s.connector.classify(request{mutates: true, itemized: true, path: "/x"}, &restclient.Answer{Status: 200, Body: []byte(body)})
		e, is := errors.AsType[*venues.Error](err)
		if !is {
			t.Fatalf("%s: no error, want a rejection", body)
		}
		if got := e.Details["venueSubCode"]; got != want {
			t.Errorf("%s: details %v, want the code %v", body, e.Details, want)
		}
	}
}

// After anything but an explicit rejection the outcome of a change is unknown.
func TestClassification(t *testing.T) {
	const (
		fine = iota
		rejected
		unknown
	)
	for name, c := range map[string]struct {
		status int
		body   string
		code   venues.Code
		end    int
	}{
		"placed":                        {200, placedOrder, "", fine},
		"a message with success":        {200, strings.Replace(placedOrder, "Order placed", "Failure!", 1), "", fine},
		"lot size":                      {200, rejectedItem("51121", "lot"), venues.CodeInvalidRequest, rejected},
		"margin":                        {200, rejectedItem("51008", "Insufficient USDT margin"), venues.CodeInsufficientBalance, rejected},
		"auth":                          {401, `{"code":"50113","msg":"Invalid signature.","data":[]}`, venues.CodeUnauthorized, rejected},
		"limit, 200":                    {200, `{"code":"50011","msg":"Rate limit reached.","data":[]}`, venues.CodeRateLimited, rejected},
		"limit, 429":                    {429, `{"code":"50011","msg":"Too Many Requests"}`, venues.CodeRateLimited, rejected},
		"limit of a proxy":              {429, `slow down`, venues.CodeRateLimited, rejected},
		"busy":                          {429, `{"code":"50013","msg":"Systems are busy."}`, venues.CodeExchangeUnavailable, rejected},
		"429 that is no limit":          {429, rejectedItem("51115", "cancel first"), venues.CodeInvalidRequest, rejected},
		"429 of an unlisted code":       {429, `{"code":"70000","msg":"?"}`, venues.CodeRateLimited, rejected},
		"expired":                       {200, rejectedItem("50037", "Order expired."), venues.CodeOrderRejected, rejected},
		"unlisted code":                 {200, rejectedItem("51999", "new rule"), venues.CodeInvalidRequest, rejected},
		"unlisted family":               {200, rejectedItem("70001", "new rule"), venues.CodeOrderRejected, rejected},
		"timeout of the venue":          {400, `{"code":"50004","msg":"API endpoint request timeout."}`, venues.CodeExchangeUnavailable, unknown},
		"timeout of the order":          {500, rejectedItem("51149", "Order timed out."), venues.CodeExchangeUnavailable, unknown},
		"timeout of the order, 200":     {200, rejectedItem("51149", "Order timed out."), venues.CodeExchangeUnavailable, unknown},
		"system error":                  {500, `{"code":"50026","msg":"System error."}`, venues.CodeExchangeUnavailable, unknown},
		"rejection with a server error": {500, rejectedItem("51121", "lot"), venues.CodeInvalidRequest, unknown},
		"duplicate":                     {200, rejectedItem("51016", "exists"), venues.CodeExchangeUnavailable, unknown},
		"html":                          {502, `<html>Bad Gateway</html>`, venues.CodeExchangeUnavailable, unknown},
		"html with 200":                 {200, `<html>`, venues.CodeExchangeUnavailable, unknown},
		"empty":                         {200, ``, venues.CodeExchangeUnavailable, unknown},
		"no code":                       {200, `{}`, venues.CodeExchangeUnavailable, unknown},
		"code no number":                {200, `{"code":"ok","data":[]}`, venues.CodeExchangeUnavailable, unknown},
		"no item":                       {200, nothing, venues.CodeExchangeUnavailable, unknown},
		"two items":                     {200, answerOf(`{"sCode":"0"}`, `{"sCode":"0"}`), venues.CodeExchangeUnavailable, unknown},
		"item without code":             {200, answerOf(`{"ordId":"1"}`), venues.CodeExchangeUnavailable, unknown},
		"failed without item":           {200, `{"code":"1","msg":"Operation failed.","data":[]}`, venues.CodeExchangeUnavailable, unknown},
		"failed with a good item":       {200, `{"code":"1","msg":"","data":[{"sCode":"0"}]}`, venues.CodeExchangeUnavailable, unknown},
		"good with a bad status":        {500, placedOrder, venues.CodeExchangeUnavailable, unknown},
		"items no list":                 {200, `{"code":"0","data":{"sCode":"0"},"msg":""}`, venues.CodeExchangeUnavailable, unknown},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript(t)
			s.On(placeName, c.status, c.body)
			_, err := s.account.Place(background, limitOrder())
			switch {
			case (err == nil) != (c.end == fine):
				t.Fatal(err)
			case c.end == fine:
				return
			case venues.CodeOf(err) != c.code:
				t.Errorf("%v, want %s", err, c.code)
			case errors.Is(err, venues.ErrNotSent):
				t.Errorf("error %v, want none that is ErrNotSent", err)
			case errors.Is(err, venues.ErrOutcomeUnknown) != (c.end == unknown):
				t.Errorf("unknown outcome %v, want %v, error %v", c.end != unknown, c.end == unknown, err)
			}
			if n := len(s.Sent(placeName)); n != 1 {
				t.Errorf("%d requests sent, want 1", n)
			}
		})
	}
}

func TestReadsAreNeverUncertain(t *testing.T) {
	s := newScript(t)
	s.On("GET /api/v5/account/balance", 400, `{"code":"50004","msg":"timeout"}`)
	_, err := s.account.Balances(background)
	if err == nil || errors.Is(err, venues.ErrOutcomeUnknown) || errors.Is(err, venues.ErrNotSent) {
		t.Error(err)
	}
}

func TestRateLimitExhaustsItsBudgetOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(t)
		s.On(placeName, 200, `{"code":"50011","msg":"Rate limit reached.","data":[]}`)
		_, err := s.account.Place(background, limitOrder())
		e, _ := errors.AsType[*venues.Error](err)
		if e == nil || e.RetryAfter != rateWindow {
			t.Fatal(err)
		}
		late := limitOrder()
		late.Deadline = time.Now().Add(rateWindow / 2)
		if _, err := s.account.Place(background, late); !errors.Is(err, venues.ErrNotSent) || venues.CodeOf(err) != venues.CodeRateLimited {
			t.Errorf("second order: error %v, want rate_limited", err)
		}
		if n := len(s.Sent(placeName)); n != 1 {
			t.Errorf("%d requests sent, want 1", n)
		}
		s.On("POST /api/v5/trade/cancel-order", 200, placedOrder)
		s.On(readOrder, 200, answerOf(anOrder(`"live"`, `"canceled"`)))
		if _, err := s.account.Cancel(background, refOf(limitOrder())); err != nil {
			t.Errorf("cancel: error %v, want none", err)
		}
	})
}

// The account's limit holds orders back whatever request was rejected for it; requests that do
// not count as orders are still sent.
func TestAccountLimitHoldsOrdersBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(t)
		s.On("GET /api/v5/market/ticker", 200, answerOf(`{"last":"60000"}`))
		s.On("POST "+algoPath, 200, rejectedItem("50061", "You've reached the maximum order rate limit for this account."))
		s.On(placeName, 200, placedOrder)
		if _, err := s.account.Place(background, stopOrder(venues.TypeStopMarket, venues.Sell, "50000")); venues.CodeOf(err) != venues.CodeRateLimited {
			t.Fatalf("stop: error %v, want rate_limited", err)
		}
		order := limitOrder()
		order.Deadline = time.Now().Add(rateWindow / 2)
		if _, err := s.account.Place(background, order); !errors.Is(err, venues.ErrNotSent) || venues.CodeOf(err) != venues.CodeRateLimited {
			t.Errorf("order: error %v, want rate_limited and not sent", err)
		}
		if _, err := s.account.Place(background, stopOrder(venues.TypeStopMarket, venues.Sell, "50000")); errors.Is(err, venues.ErrNotSent) {
			t.Errorf("second stop: error %v, want it sent", err)
		}
	})
}

// An order with too many pending changes does not affect the others.
func TestTooManyPendingChangesAffectNoOtherOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(t)
		s.On("POST "+amendPath, 200, rejectedItem("51513", "Number of modification requests that are currently in progress for an order cannot exceed 3 times."))
		s.On("POST "+amendPath, 200, placedOrder)
		s.On(readOrder, 200, answerOf(anOrder()))
		order := limitOrder()
		amend := venues.AmendRequest{OrderRef: refOf(order), Side: order.Side, Qty: order.Qty, Price: order.Price, Deadline: order.Deadline}
		_, err := s.account.Amend(background, amend)
		if e, _ := errors.AsType[*venues.Error](err); e == nil || e.Code != venues.CodeRateLimited || e.RetryAfter != rateWindow {
			t.Fatal(err)
		}
		amend.Deadline = time.Now().Add(time.Second)
		if _, err := s.account.Amend(background, amend); err != nil {
			t.Errorf("second amend: error %v, want none", err)
		}
	})
}

func TestMaintenance(t *testing.T) {
	const unavailable = `{"code":"50001","msg":"Service temporarily unavailable. Please try again later.","data":[]}`
	end := strconv.FormatInt(time.Now().Add(20*time.Minute).UnixMilli(), 10)
	status := func(state, service, env string) string {
		return answerOf(`{"state":"` + state + `","serviceType":"` + service + `","env":"` + env + `","end":"` + end + `"}`)
	}
	const answer, page = "GET /api/v5/system/status", `<html>We are upgrading</html>`
	for name, c := range map[string]struct {
		rejection string
		status    string
		code      venues.Code
	}{
		"trading":             {unavailable, status("ongoing", "5", "1"), venues.CodeMaintenance},
		"streams":             {unavailable, status("ongoing", "0", "1"), venues.CodeMaintenance},
		"before it opens":     {unavailable, status("pre_open", "5", "1"), venues.CodeMaintenance},
		"a page":              {page, status("ongoing", "5", "1"), venues.CodeMaintenance},
		"busy":                {strings.Replace(unavailable, "50001", "50013", 1), status("ongoing", "9", "1"), venues.CodeMaintenance},
		"system error":        {strings.Replace(unavailable, "50001", "50026", 1), status("ongoing", "8", "1"), venues.CodeMaintenance},
		"planned":             {unavailable, status("scheduled", "5", "1"), venues.CodeExchangeUnavailable},
		"bots":                {unavailable, status("ongoing", "7", "1"), venues.CodeExchangeUnavailable},
		"another environment": {unavailable, status("ongoing", "5", "2"), venues.CodeExchangeUnavailable},
		"none":                {unavailable, nothing, venues.CodeExchangeUnavailable},
		"no notice":           {page, `<html>`, venues.CodeExchangeUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript(t)
			s.On(placeName, 503, c.rejection)
			s.On(answer, 200, c.status)
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

func refOf(r venues.OrderRequest) venues.OrderRef {
	return venues.OrderRef{Symbol: r.Symbol, ClientOrderID: r.ClientOrderID, Type: r.Type}
}

func FuzzEnvelope(f *testing.F) {
	f.Add(200, []byte(placedOrder))
	f.Add(500, []byte(rejectedItem("51149", "x")))
	f.Add(429, []byte(`{"code":"50011"}`))
	f.Add(200, []byte(`{"code":1}`))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		c := New(Sim("http://x", "ws://x"))
		_, err := c.classify(request{mutates: true, itemized: true, path: "/x"}, &restclient.Answer{Status: status, Body: body})
		if err != nil && venues.CodeOf(err) == venues.CodeInternal {
			t.Fatalf("%v of %s, want no internal error", err, body)
		}
	})
}
