package venuegate_test

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/shopspring/decimal"

	"venuegate/transport/api"
	venuegate "venuegate/transport/clients/go"
)

// The client has a method for every operation of the document that needs a key.
func TestEveryOperationHasAMethod(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromData(api.OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	var documented []string
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			if tag := op.Tags[0]; tag != "Service" && tag != "Signals" {
				documented = append(documented, method+" "+path)
			}
		}
	}
	slices.Sort(documented)
	if got := slices.Sorted(slices.Values(venuegate.Operations())); !slices.Equal(got, documented) {
		t.Errorf("operations = %q, want those of the document %q", got, documented)
	}
}

// The types are those of the document as it is now. That every detail is, the interop tests
// check, which generate them again.
func TestTypesAreCurrent(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromData(api.OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	body := func(op *openapi3.Operation) *openapi3.Schema {
		return op.RequestBody.Value.Content["application/json"].Schema.Value
	}
	schemas, paths := doc.Components.Schemas, doc.Paths
	for _, c := range []struct {
		of     any
		schema *openapi3.Schema
	}{
		{venuegate.Order{}, schemas["Order"].Value},
		{venuegate.Fill{}, schemas["Fill"].Value},
		{venuegate.Position{}, schemas["Position"].Value},
		{venuegate.Account{}, schemas["Account"].Value},
		{venuegate.Instrument{}, schemas["Instrument"].Value},
		{venuegate.Event{}, schemas["Event"].Value},
		{venuegate.CancelResult{}, schemas["CancelResult"].Value},
		{venuegate.LeverageChange{}, schemas["LeverageChange"].Value},
		{venuegate.VenueFailure{}, schemas["VenueFailures"].Value.Items.Value},
		{venuegate.OrderRequest{}, schemas["OrderRequest"].Value},
		{venuegate.OrderAmendment{}, body(paths.Find("/v1/orders/{id}").Patch)},
		{venuegate.PositionClose{}, body(paths.Find("/v1/positions/close").Post)},
		{venuegate.LeverageRequest{}, body(paths.Find("/v1/positions/leverage").Post)},
	} {
		var members []string
		for _, f := range reflect.VisibleFields(reflect.TypeOf(c.of)) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			members = append(members, name)
		}
		slices.Sort(members)
		if want := slices.Sorted(maps.Keys(c.schema.Properties)); !slices.Equal(members, want) {
			t.Errorf("%T: members = %q, want %q", c.of, members, want)
		}
	}
}

// script answers requests one after the other.
type script struct {
	t       *testing.T
	answers []func() (*http.Response, error)
	// paths and bodies are of the requests so far.
	paths, bodies []string
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Error(err)
	}
	s.paths, s.bodies = append(s.paths, r.Method+" "+r.URL.RequestURI()), append(s.bodies, string(body))
	if len(s.bodies) > len(s.answers) {
		s.t.Errorf("request %d: %s %s, want no more than %d", len(s.bodies), r.Method, r.URL, len(s.answers))
		return nil, io.ErrUnexpectedEOF
	}
	return s.answers[len(s.bodies)-1]()
}

// status answers with a status, a body and a Retry-After.
func status(code int, body, retryAfter string) func() (*http.Response, error) {
	return func() (*http.Response, error) {
		header := http.Header{}
		if retryAfter != "" {
			header.Set("Retry-After", retryAfter)
		}
		return &http.Response{StatusCode: code, Status: http.StatusText(code), Header: header, Body: io.NopCloser(strings.NewReader(body))}, nil
	}
}

// failed answers with the code of an error.
func failed(code int, name, details string) func() (*http.Response, error) {
	return status(code, `{"error":{"code":"`+name+`","message":"m","details":`+details+`,"requestId":"req_1","docUrl":"/docs/errors#`+name+`"}}`, "")
}

// lost is a response that does not arrive.
func lost() (*http.Response, error) { return nil, io.ErrUnexpectedEOF }

// refused is a connection that cannot be opened.
func refused() (*http.Response, error) {
	return nil, &net.OpError{Op: "dial", Err: errors.New("connection refused")}
}

// client returns a client whose requests a script answers.
func client(t *testing.T, answers ...func() (*http.Response, error)) (*venuegate.Client, *script) {
	t.Helper()
	s := &script{t: t, answers: answers}
	c, err := venuegate.NewClient(venuegate.Options{URL: "http://service/", Key: "k", HTTP: &http.Client{Transport: s}})
	if err != nil {
		t.Fatal(err)
	}
	return c, s
}

const placed = `{"orderId":"ord_1","exchange":"okx","symbol":"BTCUSDT","status":"open","qty":"0.10","filledQty":"0"}`

var marketOrder = venuegate.OrderRequest{
	Exchange: venuegate.ExchangeOkx, Symbol: "BTCUSDT", Side: venuegate.SideBuy, Type: venuegate.OrderTypeMarket, Qty: decimal.RequireFromString("0.1"),
}

// requestIDs returns the requestIds of the requests so far.
func (s *script) requestIDs() []string {
	ids := make([]string, len(s.bodies))
	for i, body := range s.bodies {
		var order struct {
			RequestID string `json:"requestId"`
		}
		if err := json.Unmarshal([]byte(body), &order); err != nil {
			s.t.Error(err)
		}
		ids[i] = order.RequestID
	}
	return ids
}

// An order is repeated with one requestId, after Retry-After and with growing delays, and the
// answer that it exists is its result.
func TestPlaceOrderIsRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := client(t, status(http.StatusTooManyRequests, `{}`, "7"), lost, failed(503, "maintenance", `{}`),
			failed(409, "duplicate_request", `{"sameBody":true,"order":`+placed+`}`))
		began := time.Now()
		order, err := c.PlaceOrder(t.Context(), marketOrder)
		if err != nil || order.OrderId != "ord_1" || order.Qty.String() != "0.1" {
			t.Errorf("order = %+v, %v, want ord_1", order, err)
		}
		if ids := s.requestIDs(); len(ids) != 4 || ids[0] == "" || len(slices.Compact(ids)) != 1 {
			t.Errorf("requestIds = %q, want one in all requests", ids)
		}
		if !strings.Contains(s.bodies[0], `"qty":"0.1"`) {
			t.Errorf("body = %s, want decimals as texts", s.bodies[0])
		}
		if took := time.Since(began); took < 10*time.Second || took > 13*time.Second {
			t.Errorf("duration = %s, want 7 s, 1 to 2 s and 2 to 4 s", took)
		}
	})
}

func TestErrorsOfOrders(t *testing.T) {
	id := "mine"
	withID := marketOrder
	withID.RequestId = &id
	several := func(n int, answer func() (*http.Response, error)) []func() (*http.Response, error) {
		return slices.Repeat([]func() (*http.Response, error){answer}, n)
	}
	limited := status(http.StatusTooManyRequests, `{}`, "1")
	for name, c := range map[string]struct {
		answers   []func() (*http.Response, error)
		uncertain bool
		code      venuegate.ErrorCode
	}{
		"rejected":               {several(1, failed(422, "insufficient_balance", `{"available":"1"}`)), false, venuegate.ErrorCodeInsufficientBalance},
		"another body":           {several(1, failed(409, "duplicate_request", `{"sameBody":false,"order":`+placed+`}`)), false, venuegate.ErrorCodeDuplicateRequest},
		"revoked":                {several(1, failed(401, "unauthorized", `{}`)), false, venuegate.ErrorCodeUnauthorized},
		"no response":            {several(venuegate.AttemptsMax, lost), true, ""},
		"not running":            {several(venuegate.AttemptsMax, refused), false, ""},
		"limited":                {several(venuegate.AttemptsMax, limited), false, ""},
		"lost, then limited":     {append(several(1, lost), several(venuegate.AttemptsMax-1, limited)...), true, ""},
		"lost, then revoked":     {append(several(1, lost), failed(401, "unauthorized", `{}`)), true, venuegate.ErrorCodeUnauthorized},
		"lost, then rejected":    {append(several(1, lost), failed(422, "order_rejected", `{}`)), false, venuegate.ErrorCodeOrderRejected},
		"the venue is not there": {several(venuegate.AttemptsMax, failed(502, "exchange_unavailable", `{}`)), true, venuegate.ErrorCodeExchangeUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, s := client(t, c.answers...)
				_, err := client.PlaceOrder(t.Context(), withID)
				unknown, uncertain := errors.AsType[*venuegate.OutcomeError](err)
				if err == nil || uncertain != c.uncertain || uncertain && unknown.RequestID != id {
					t.Errorf("error = %v, want one, of unknown outcome %v", err, c.uncertain)
				}
				if e, _ := errors.AsType[*venuegate.APIError](err); c.code != "" && (e == nil || e.Code != c.code || e.DocURL != "/docs/errors#"+string(c.code)) {
					t.Errorf("error = %v, want code %s", err, c.code)
				}
				if len(s.bodies) != len(c.answers) {
					t.Errorf("requests = %d, want %d", len(s.bodies), len(c.answers))
				}
			})
		})
	}
}

func TestPathsAndParameters(t *testing.T) {
	c, s := client(t, status(200, `{"items":[],"nextCursor":null}`, ""), status(200, placed, ""), status(200, placed, ""))
	limit, symbol := 1_000_000, "BTC/USDT:USDT"
	if _, err := c.ListOrders(t.Context(), venuegate.ListOrdersParams{Limit: &limit, Symbol: &symbol}); err != nil {
		t.Error(err)
	}
	if _, err := c.Order(t.Context(), "ord/1"); err != nil {
		t.Error(err)
	}
	if _, err := c.AmendOrder(t.Context(), "ord_1", venuegate.OrderAmendment{StopLoss: &decimal.NullDecimal{}}); err != nil {
		t.Error(err)
	}
	if want := []string{"GET /v1/orders?limit=1000000&symbol=BTC%2FUSDT%3AUSDT", "GET /v1/orders/ord%2F1", "PATCH /v1/orders/ord_1"}; !slices.Equal(s.paths, want) {
		t.Errorf("requests = %q, want %q", s.paths, want)
	}
	if want := `{"stopLoss":null}`; s.bodies[2] != want {
		t.Errorf("body = %s, want %s", s.bodies[2], want)
	}
}

func TestAddressesAreChecked(t *testing.T) {
	for _, address := range []string{"", "127.0.0.1:8080", "ws://127.0.0.1", "http://"} {
		if _, err := venuegate.NewClient(venuegate.Options{URL: address}); err == nil {
			t.Errorf("address %q: accepted, want an error", address)
		}
	}
}
