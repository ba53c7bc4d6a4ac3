package hooks_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gofiber/fiber/v2"
	"go.uber.org/goleak"

	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/transport/api"
	"venuegate/transport/auth"
	"venuegate/transport/hooks"
	"venuegate/transport/pipetest"
	"venuegate/transport/reusetest"
	"venuegate/transport/signing"
	"venuegate/venues"
)

func TestMain(m *testing.M) {
	pipetest.WarmUp()
	goleak.VerifyTestMain(m,
		// The HTTP library has one clock goroutine for the process.
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
	)
}

const (
	secret   = "whsec_c2VjcmV0IG9mIHRoZSBmaXJzdCBob29r"
	hookID   = "hook_01M7W4110V0000000000000001"
	chartID  = "hook_01M7W4110V0000000000000002"
	urlPart  = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ"
	token    = "0123456789-abcdefghijklmnopqrstuvwxyz_ABCDE"
	orderOne = `{"action":"order","exchange":"binance","symbol":"BTCUSDT","side":"buy","qty":"0.01","requestId":"r-1"}`
)

// edge is the handlers on a server. It is also their channels, and records the
// signals that they accept.
type edge struct {
	testing.TB
	proofs   *hooks.Proofs
	app      *fiber.App
	source   netip.Addr
	channels map[string]hooks.Channel
	// origin is that of each request.
	origin venues.Origin
	// loading is whether channels are still being loaded.
	loading bool
	// onLookup, if set, is called with the id of each channel lookup.
	onLookup func(id string)

	mu       sync.Mutex
	accepted []venues.Signal
	answer   venues.SignalResponse
	err      error
	// blocked makes Accept wait for the end of its context.
	blocked bool
	// observed are the kind and the result of each request.
	observed []string
}

func (e *edge) Channel(id string) (hooks.Channel, error) {
	if e.onLookup != nil {
		e.onLookup(id)
	}
	c, known := e.channels[id]
	switch {
	case known:
		return c, nil
	case e.loading:
		return c, &venues.Error{Code: venues.CodeMaintenance, RetryAfter: time.Second}
	default:
		return c, venues.Errorf(venues.CodeNotFound, "no such channel")
	}
}

func (e *edge) Accept(ctx context.Context, s venues.Signal) (venues.SignalResponse, error) {
	if e.blocked {
		<-ctx.Done()
		return venues.SignalResponse{}, venues.Errorf(venues.CodeInternal, "not known")
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.accepted = append(e.accepted, s)
	return e.answer, e.err
}

func newEdge(t testing.TB) *edge {
	t.Helper()
	addressHash, tokenHash := sha256.Sum256([]byte(urlPart)), sha256.Sum256([]byte(token))
	e := &edge{
		TB: t, proofs: hooks.NewProofs(), source: netip.MustParseAddr("203.0.113.7"),
		channels: map[string]hooks.Channel{
			hookID: {
				Channel: persistence.Channel{ID: hookID, Customer: "c1", Kind: persistence.ChannelWebhook},
				Keys:    []*signing.Key{signing.NewKey(secret)},
			},
			chartID: {Channel: persistence.Channel{
				ID: chartID, Customer: "c1", Kind: persistence.ChannelChart, AddressHash: addressHash[:], TokenHash: tokenHash[:],
			}},
		},
		answer: venues.SignalResponse{RequestID: "r-1", OrderID: "ord_1", Status: "filled", FilledQty: venues.MustDecimal("0.01"), AvgPrice: venues.Some(venues.MustDecimal("64000.5"))},
	}
	store := storetest.NewMemory()
	t.Cleanup(func() { _ = store.Close() })
	h := hooks.New(hooks.Deps{
		Channels: e, Signals: e, Limiter: auth.NewMemoryLimiter(64), Failures: auth.NewAuthenticator(store), Proofs: e.proofs,
		Headers: signing.NewHeaders(""), Source: func(*fiber.Ctx) netip.Addr { return e.source },
		Observe: func(kind persistence.ChannelKind, result string) {
			e.observed = append(e.observed, string(kind)+" "+result)
		},
	})
	e.app = fiber.New(fiber.Config{Immutable: true, DisableStartupMessage: true, ErrorHandler: func(c *fiber.Ctx, err error) error {
		public, ok := errors.AsType[*venues.Error](err)
		if !ok {
			e.Errorf("error = %v, want a *venues.Error", err)
			public = venues.Errorf(venues.CodeInternal, "%v", err)
		}
		c.Set(fiber.HeaderRetryAfter, api.RetryAfter(public))
		return c.Status(api.Status(public.Code)).Send(api.AppendError(nil, public, "req_1"))
	}})
	e.app.Use(func(c *fiber.Ctx) error {
		c.SetUserContext(venues.WithOrigin(c.UserContext(), e.origin))
		return c.Next()
	})
	e.app.Post(hooks.WebhookPath, h.Webhook)
	e.app.Post(hooks.ChartPath, h.Chart)
	return e
}

// response is the response to a request.
type response struct {
	t      testing.TB
	status int
	header http.Header
	body   map[string]any
}

// want fails the test unless the response has the status and the error code.
func (a response) want(status int, code venues.Code) response {
	a.t.Helper()
	got, _ := a.body["error"].(map[string]any)
	if a.status != status || (code != "" && got["code"] != string(code)) {
		a.t.Errorf("response = %d %v, want %d %s", a.status, a.body, status, code)
	}
	return a
}

func (a response) details() map[string]any {
	e, _ := a.body["error"].(map[string]any)
	details, _ := e["details"].(map[string]any)
	return details
}

func (e *edge) post(path, body string, headers ...string) response {
	e.Helper()
	request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, "http://venuegate"+path, strings.NewReader(body))
	if err != nil {
		e.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	got, err := e.app.Test(request, -1)
	if err != nil {
		e.Fatal(err)
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	if err != nil {
		e.Fatal(err)
	}
	a := response{t: e, status: got.StatusCode, header: got.Header}
	if err := json.Unmarshal(text, &a.body); err != nil {
		e.Errorf("body = %q, want JSON: %v", text, err)
	}
	return a
}

// sign returns the headers of a body that is sent at a time.
func sign(key, body string, at time.Time) []string {
	signature, timestamp := signing.NewKey(key).Sign(at.Unix(), []byte(body))
	return []string{"X-Service-Signature", signature, "X-Service-Timestamp", timestamp}
}

// signed posts a body to the webhook channel, signed now.
func (e *edge) signed(body string) response {
	e.Helper()
	return e.post("/v1/hooks/in/"+hookID, body, sign(secret, body, time.Now())...)
}

// chart posts a body to the chart channel.
func (e *edge) chart(body string, headers ...string) response {
	e.Helper()
	return e.post("/v1/hooks/chart/"+hooks.Address(chartID, urlPart), body, headers...)
}

func TestSignedSignalIsAccepted(t *testing.T) {
	e := newEdge(t)
	a := e.signed(orderOne).want(http.StatusAccepted, "")
	want := `{"accepted":true,"avgPrice":"64000.5","duplicate":false,"filledQty":"0.01","orderId":"ord_1","requestId":"r-1","status":"filled"}`
	if text, _ := json.Marshal(a.body); string(text) != want {
		t.Errorf("body = %s, want %s", text, want)
	}
	s := e.accepted[0]
	if s.Customer != "c1" || s.ChannelID != hookID || s.Action != venues.ActionOrder || s.Exchange != venues.Binance ||
		s.Type != venues.TypeMarket || s.RequestID != "r-1" || s.Implied || s.Source != venues.SourceWebhook || s.ReceivedAt.IsZero() {
		t.Errorf("signal = %+v, want that of %s", s, orderOne)
	}
	if a.header.Get("RateLimit-Limit") != "60" || a.header.Get("RateLimit-Remaining") != "59" {
		t.Errorf("headers = %v, want 59 of 60 requests remaining", a.header)
	}
}

// A signal has the origin of its request, and its way through the service begins with it.
func TestSignalHasTheOriginOfItsRequest(t *testing.T) {
	e := newEdge(t)
	e.origin = venues.Origin{RequestID: "req_7"}
	e.signed(orderOne).want(http.StatusAccepted, "")
	s := e.accepted[0]
	if s.Origin != e.origin {
		t.Errorf("origin = %+v, want %+v", s.Origin, e.origin)
	}
	if s.Hops == nil || venues.At(s.Hops.Received()) != s.ReceivedAt || s.Hops.Ended(venues.HopAuthenticated) == 0 {
		t.Errorf("hops = %+v, want those of a request received at %s, with the authentication ended", s.Hops, s.ReceivedAt)
	}
}

func TestRepeatedSignalIsReportedAsDuplicate(t *testing.T) {
	e := newEdge(t)
	e.answer.Duplicate = true
	if a := e.signed(orderOne).want(http.StatusOK, ""); a.body["duplicate"] != true {
		t.Errorf("body = %v, want duplicate true", a.body)
	}
}

func TestResultsAreObserved(t *testing.T) {
	e := newEdge(t)
	e.signed(orderOne).want(http.StatusAccepted, "")
	e.answer.Duplicate = true
	e.signed(orderOne).want(http.StatusOK, "")
	e.post("/v1/hooks/in/"+hookID, orderOne, sign("another", orderOne, time.Now())...).want(http.StatusUnauthorized, venues.CodeBadSignature)
	e.post("/v1/hooks/in/hook_unknown", orderOne).want(http.StatusNotFound, venues.CodeNotFound)
	e.chart("{}").want(http.StatusUnauthorized, venues.CodeUnauthorized)
	want := []string{"webhook accepted", "webhook duplicate", "webhook bad_signature", "webhook not_found", "chart unauthorized"}
	if !slices.Equal(e.observed, want) {
		t.Errorf("observed = %q, want %q", e.observed, want)
	}
	for _, each := range want {
		if _, result, _ := strings.Cut(each, " "); !slices.Contains(hooks.Results(), result) {
			t.Errorf("Results() = %q, want %s among them", hooks.Results(), result)
		}
	}
}

// A request without requestId is the same signal when it is sent again, also with
// its digits in another case, but not when it is signed at another time.
func TestRequestIDIsImpliedByTheSignature(t *testing.T) {
	e := newEdge(t)
	body := strings.Replace(orderOne, `,"requestId":"r-1"`, "", 1)
	now := time.Now()
	headers := sign(secret, body, now)
	e.post("/v1/hooks/in/"+hookID, body, headers...).want(http.StatusAccepted, "")
	headers[1] = "sha256=" + strings.ToUpper(strings.TrimPrefix(headers[1], "sha256="))
	e.post("/v1/hooks/in/"+hookID, body, headers...).want(http.StatusAccepted, "")
	e.post("/v1/hooks/in/"+hookID, body, sign(secret, body, now.Add(time.Second))...).want(http.StatusAccepted, "")
	first, again, later := e.accepted[0], e.accepted[1], e.accepted[2]
	if first.RequestID == "" || !first.Implied || first.RequestID != again.RequestID || first.RequestID == later.RequestID {
		t.Errorf("request ids = %q, %q, %q; want the first two equal, the third different", first.RequestID, again.RequestID, later.RequestID)
	}
	if len(first.RequestID) > api.RequestIDCharsMax {
		t.Errorf("request id %q has %d characters, want at most %d", first.RequestID, len(first.RequestID), api.RequestIDCharsMax)
	}
}

func TestInvalidSignaturesAreRejected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEdge(t)
		now := time.Now()
		path := "/v1/hooks/in/" + hookID
		other := sign("whsec_of_another_hook", orderOne, now)
		for name, c := range map[string]struct {
			headers []string
			reason  string
		}{
			"missing":              {nil, "missing_signature"},
			"no timestamp":         {sign(secret, orderOne, now)[:2], "missing_signature"},
			"of another hook":      {other, "signature_mismatch"},
			"of another body":      {sign(secret, orderOne+" ", now), "signature_mismatch"},
			"too old":              {sign(secret, orderOne, now.Add(-301*time.Second)), "stale_timestamp"},
			"from the future":      {sign(secret, orderOne, now.Add(301*time.Second)), "stale_timestamp"},
			"without its scheme":   {[]string{"X-Service-Signature", strings.Repeat("a", 64), "X-Service-Timestamp", strconv.FormatInt(now.Unix(), 10)}, "malformed_signature"},
			"a timestamp in words": {[]string{"X-Service-Signature", sign(secret, orderOne, now)[1], "X-Service-Timestamp", "now"}, "malformed_signature"},
		} {
			a := e.post(path, orderOne, c.headers...).want(http.StatusUnauthorized, venues.CodeBadSignature)
			if got := a.details()["reason"]; got != c.reason {
				t.Errorf("%s: reason = %v, want %s", name, got, c.reason)
			}
			tolerance, serverTime := a.details()["toleranceSec"], a.details()["serverTime"]
			if c.reason == "stale_timestamp" && (tolerance != 300.0 || serverTime == nil) {
				t.Errorf("%s: details = %v, want toleranceSec 300 and serverTime", name, a.details())
			}
			if c.reason != "stale_timestamp" && (tolerance != nil || serverTime != nil) {
				t.Errorf("%s: details = %v, want neither toleranceSec nor serverTime", name, a.details())
			}
		}
		if len(e.accepted) != 0 {
			t.Errorf("accepted signals = %d, want 0", len(e.accepted))
		}
	})
}

// An event of the service that is posted to a hook with the same secret has a valid
// signature, but no action.
func TestReflectedEventIsNoSignal(t *testing.T) {
	e := newEdge(t)
	event := string(api.AppendEvent(nil, "evt_1", "order.filled", venues.At(time.Now()), []byte(`{"orderId":"ord_1"}`)))
	e.signed(event).want(http.StatusBadRequest, venues.CodeInvalidRequest)
	if len(e.accepted) != 0 {
		t.Errorf("accepted signals = %d, want 0", len(e.accepted))
	}
}

func TestForgedRequestsDoNotCountAgainstTheChannel(t *testing.T) {
	e := newEdge(t)
	for range 30 {
		e.post("/v1/hooks/in/"+hookID, orderOne, sign("whsec_wrong", orderOne, time.Now())...).want(http.StatusUnauthorized, venues.CodeBadSignature)
	}
	a := e.post("/v1/hooks/in/"+hookID, orderOne, sign("whsec_wrong", orderOne, time.Now())...).want(http.StatusTooManyRequests, venues.CodeRateLimited)
	if a.header.Get("Retry-After") == "" {
		t.Error("Retry-After is empty, want seconds")
	}
	if got, want := fmt.Sprint(a.body["error"].(map[string]any)["details"]), "map[limit:30 scope:source]"; got != want {
		t.Errorf("details = %s, want %s", got, want)
	}
	for range 60 { // signed requests are accepted, even from that address
		e.signed(orderOne).want(http.StatusAccepted, "")
	}
	a = e.signed(orderOne).want(http.StatusTooManyRequests, venues.CodeRateLimited)
	if a.header.Get("Retry-After") == "" {
		t.Error("Retry-After is empty, want seconds")
	}
	if got, want := fmt.Sprint(a.body["error"].(map[string]any)["details"]), "map[limit:60 scope:channel]"; got != want {
		t.Errorf("details = %s, want %s", got, want)
	}
	if len(e.accepted) != 60 {
		t.Errorf("accepted signals = %d, want 60", len(e.accepted))
	}
}

func TestInvalidBodiesAreRejected(t *testing.T) {
	for name, body := range map[string]string{
		"empty":              ``,
		"an array":           `[]`,
		"truncated":          `{"action":"order"`,
		"trailing data":      orderOne + `{}`,
		"a member twice":     `{"action":"notify","action":"order","comment":"x"}`,
		"no action":          `{"exchange":"binance"}`,
		"an unknown action":  `{"action":"sell-everything"}`,
		"a number":           strings.Replace(orderOne, `"0.01"`, `0.01`, 1),
		"an exponent":        strings.Replace(orderOne, `"0.01"`, `"1e-2"`, 1),
		"zero quantity":      strings.Replace(orderOne, `"0.01"`, `"0"`, 1),
		"a long requestId":   strings.Replace(orderOne, `r-1`, strings.Repeat("r", 65), 1),
		"a limit unpriced":   strings.Replace(orderOne, `"side"`, `"orderType":"limit","side"`, 1),
		"a stop above a buy": strings.Replace(orderOne, `"side"`, `"stopLoss":"2","takeProfit":"1","side"`, 1),
		"no comment":         `{"action":"notify"}`,
		"no symbol":          `{"action":"close"}`,
		"invalid UTF-8":      "{\"action\":\"notify\",\"comment\":\"\xff\"}",
		"deep nesting":       `{"action":"notify","comment":"x","x":` + strings.Repeat("[", 20) + strings.Repeat("]", 20) + `}`,
	} {
		e := newEdge(t)
		if a := e.signed(body); a.status != http.StatusBadRequest {
			t.Errorf("%s: response = %d %v, want 400", name, a.status, a.body)
		}
		if len(e.accepted) != 0 {
			t.Errorf("%s: accepted signals = %d, want 0", name, len(e.accepted))
		}
	}
	e := newEdge(t)
	if a := e.signed(`{"action":"notify","comment":"`+strings.Repeat("x", api.HookBodyBytesMax)+`"}`).want(400, venues.CodeInvalidRequest); a.details()["limit"] != float64(api.HookBodyBytesMax) {
		t.Errorf("details = %v, want limit %d", a.details(), api.HookBodyBytesMax)
	}
	e.post("/v1/hooks/in/"+hookID, orderOne, append(sign(secret, orderOne, time.Now()), "Content-Type", "text/plain")...).want(400, venues.CodeInvalidRequest)
}

func TestChannelAcceptsSignalsFromItsAddressesOnly(t *testing.T) {
	e := newEdge(t)
	for _, id := range []string{hookID, chartID} {
		c := e.channels[id]
		c.Allow = []string{"198.51.100.0/24"}
		e.channels[id] = c
	}
	body := fmt.Sprintf(`{"action":"notify","comment":"x","channelToken":%q}`, token)
	e.chart(body).want(http.StatusUnauthorized, venues.CodeUnauthorized)
	e.signed(orderOne).want(http.StatusUnauthorized, venues.CodeUnauthorized)
	e.source = netip.MustParseAddr("198.51.100.9")
	e.chart(body).want(http.StatusAccepted, "")
	e.signed(orderOne).want(http.StatusAccepted, "")
}

// The sender gets a response in time even if the store is slow.
func TestResponseIsSentWithinTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEdge(t)
		e.blocked = true
		began := time.Now()
		e.signed(orderOne).want(http.StatusInternalServerError, venues.CodeInternal)
		if took := time.Since(began); took != api.HookAnswerWait {
			t.Errorf("response after %s, want %s", took, api.HookAnswerWait)
		}
	})
}

// A channel that is not known yet after a start is not reported as absent.
func TestChannelThatIsBeingLoadedIsMaintenance(t *testing.T) {
	e := newEdge(t)
	e.channels, e.loading = nil, true
	e.signed(orderOne).want(http.StatusServiceUnavailable, venues.CodeMaintenance)
	e.chart(fmt.Sprintf(`{"action":"notify","comment":"x","channelToken":%q}`, token)).want(http.StatusServiceUnavailable, venues.CodeMaintenance)
	e.post("/v1/hooks/chart/x", orderOne).want(http.StatusNotFound, venues.CodeNotFound)
}

func TestRejectionOfTheChannelIsReturned(t *testing.T) {
	e := newEdge(t)
	e.err = venues.Errorf(venues.CodeRiskRejected, "more than the channel may trade").With("rule", "maxQty")
	if a := e.signed(orderOne).want(http.StatusUnprocessableEntity, venues.CodeRiskRejected); a.details()["rule"] != "maxQty" {
		t.Errorf("details = %v, want rule maxQty", a.details())
	}
}

func TestBothSecretsAreValidDuringARotation(t *testing.T) {
	e := newEdge(t)
	c := e.channels[hookID]
	c.Keys = []*signing.Key{signing.NewKey("whsec_new"), signing.NewKey(secret)}
	e.channels[hookID] = c
	e.signed(orderOne).want(http.StatusAccepted, "")
	e.post("/v1/hooks/in/"+hookID, orderOne, sign("whsec_new", orderOne, time.Now())...).want(http.StatusAccepted, "")
}

// FuzzHook checks that no body leads to a 500 and that no unsigned body becomes a
// signal.
func FuzzHook(f *testing.F) {
	f.Add([]byte(orderOne), true)
	f.Add([]byte(`{"action":"close","exchange":"bybit","symbol":"ETHUSDT"}`), true)
	f.Add([]byte(`{"action":"notify","comment":"=HYPERLINK(1)"}`), false)
	f.Add([]byte("{\"a\":\xff}"), true)
	f.Fuzz(func(t *testing.T, body []byte, genuine bool) {
		e := newEdge(t)
		key := secret
		if !genuine {
			key = "whsec_other"
		}
		a := e.post("/v1/hooks/in/"+hookID, string(body), sign(key, string(body), time.Now())...)
		if a.status >= 500 || (!genuine && len(e.accepted) > 0) || (len(e.accepted) > 0) != (a.status == http.StatusAccepted) {
			t.Errorf("response = %d %v with %d signals accepted, want none unless it is signed and 202", a.status, a.body, len(e.accepted))
		}
	})
}

// A signal must not point into its request: its actor has the signal long after the
// request was answered.
func TestRetainedDataDoesNotChange(t *testing.T) {
	e := newEdge(t)
	var retained reusetest.Retained
	e.onLookup = func(id string) { retained.Retain("channel id", id) }
	const signal = `{"action":"order","exchange":"binance","symbol":"MARKUSDT","side":"buy","qty":"1","requestId":"r-MARK","comment":"MARK","MARK":1}`
	for mark := range reusetest.Marks() {
		body := strings.ReplaceAll(signal, "MARK", mark)
		e.signed(body).want(http.StatusAccepted, "")
		retained.Retain("signed signal", e.accepted[len(e.accepted)-1])
		e.chart(strings.TrimSuffix(body, "}")+`,"channelToken":"`+token+`"}`).want(http.StatusAccepted, "")
		retained.Retain("chart signal", e.accepted[len(e.accepted)-1])
		e.post("/v1/hooks/in/hook_"+mark, body, sign(secret, body, time.Now())...).want(http.StatusNotFound, venues.CodeNotFound)
	}
	retained.Check(t, "signed signal", "chart signal", "channel id")
}
