package api_test

import (
	"errors"
	"testing"
	"time"

	"venuegate/transport/api"
	"venuegate/venues"
)

func TestEveryCodeHasAStatus(t *testing.T) {
	want := map[venues.Code]int{
		"invalid_request": 400, "unauthorized": 401, "bad_signature": 401, "scope_required": 403, "not_found": 404,
		"duplicate_request": 409, "insufficient_balance": 422, "symbol_not_tradable": 422, "leverage_change_rejected": 422,
		"rate_limited": 429, "exchange_unavailable": 502, "maintenance": 503,
		"order_rejected": 422, "trading_locked": 422, "risk_rejected": 422, "internal_error": 500,
	}
	for _, code := range venues.Codes() {
		if got := api.Status(code); got != want[code] {
			t.Errorf("status of %s = %d, want %d", code, got, want[code])
		}
	}
	if got := api.Status("made_up"); got != 500 {
		t.Errorf("status of an unknown code = %d, want 500", got)
	}
}

func TestAppendError(t *testing.T) {
	e := venues.Errorf(venues.CodeInsufficientBalance, "not enough").
		With("required", d("100.50")).With("available", some("7")).Because(errors.New("secret cause"))
	e.VenueCode, e.VenueMessage = "-2019", "Margin is insufficient."
	wantJSON(t, api.AppendError(nil, e, "req_1"), `{"error":{"code":"insufficient_balance","message":"not enough",
		"details":{"available":"7","required":"100.5","venueCode":"-2019","venueMessage":"Margin is insufficient."},
		"requestId":"req_1","docUrl":"/docs/errors#insufficient_balance"}}`)
	wantJSON(t, api.AppendError(nil, venues.Errorf(venues.CodeNotFound, "none"), "req_2"),
		`{"error":{"code":"not_found","message":"none","details":{},"requestId":"req_2","docUrl":"/docs/errors#not_found"}}`)
	wantJSON(t, api.AppendError(nil, venues.InvalidFields(venues.FieldError{Field: "qty", Rule: "missing"}), "r"),
		`{"error":{"code":"invalid_request","message":"qty: missing","details":{"fields":[{"field":"qty","rule":"missing"}]},"requestId":"r","docUrl":"/docs/errors#invalid_request"}}`)
	wantJSON(t, api.AppendError(nil, api.TooLarge(262144), "r"),
		`{"error":{"code":"invalid_request","message":"the body is larger than 262144 bytes","details":{"limit":262144},"requestId":"r","docUrl":"/docs/errors#invalid_request"}}`)
}

// A header may hold bytes that are not UTF-8. The error body is still valid JSON and
// names the header.
func TestDetailsThatAreNotUTF8(t *testing.T) {
	err, _ := errors.AsType[*venues.Error](api.CheckMedia("text/\xff", "", api.MediaJSON))
	wantJSON(t, api.AppendError(nil, err, "r"), `{"error":{"code":"invalid_request","message":"Content-Type: not_applicable",
		"details":{"fields":[{"field":"Content-Type","rule":"not_applicable","given":"text/�","allowed":"application/json"}]},"requestId":"r","docUrl":"/docs/errors#invalid_request"}}`)
}

func TestDetailsOfEveryKind(t *testing.T) {
	order := venues.Order{OrderID: "ord_1", Status: venues.StatusRejected}
	record := string(api.AppendOrder(nil, &order))
	e := venues.Errorf(venues.CodeDuplicateRequest, "m").
		With("a", order).With("b", &order).With("c", true).With("d", 3).With("e", at(1)).With("f", at(1).Time).
		With("g", venues.StatusOpen).With("h", []string{"x"}).With("i", venues.Optional{}).With("j", func() {}).
		With("venueCode", "own")
	e.VenueCode, e.VenueMessage = "other", ""
	wantJSON(t, api.AppendError(nil, e, ""), `{"error":{"code":"duplicate_request","message":"m","details":{
		"a":`+record+`,"b":`+record+`,"c":true,"d":3,"e":"2026-11-20T09:19:00.001Z","f":"2026-11-20T09:19:00.001Z",
		"g":"open","h":["x"],"i":null,"j":null,"venueCode":"own","venueMessage":""},"requestId":"","docUrl":"/docs/errors#duplicate_request"}}`)
}

func TestRetryAfterRoundsUp(t *testing.T) {
	for _, c := range []struct {
		code venues.Code
		wait time.Duration
		want string
	}{
		{venues.CodeRateLimited, 0, "1"},
		{venues.CodeRateLimited, time.Nanosecond, "1"},
		{venues.CodeRateLimited, time.Second, "1"},
		{venues.CodeRateLimited, time.Second + 1, "2"},
		{venues.CodeMaintenance, 90 * time.Second, "90"},
		{venues.CodeMaintenance, -time.Second, "1"},
		{venues.CodeNotFound, time.Second, ""},
	} {
		if got := api.RetryAfter(&venues.Error{Code: c.code, RetryAfter: c.wait}); got != c.want {
			t.Errorf("Retry-After of %s after %v = %q, want %q", c.code, c.wait, got, c.want)
		}
	}
}
