package api_test

import (
	"testing"
	"time"

	"venuegate/transport/api"
	"venuegate/venues"
)

func TestQueryReturnsValuesAndDefaults(t *testing.T) {
	q := api.ParseQuery("exchange=okx&symbol=BTC%2FUSDT%3AUSDT&limit=7&from=2026-11-20T10:19:00%2B01:00&to=2026-11-21&requestId=r&x=1",
		"exchange", "symbol", "limit", "from", "to", "requestId", "status", "orderId")
	if got := q.Exchange("exchange"); got != venues.OKX {
		t.Errorf("exchange = %q, want okx", got)
	}
	if got := q.Symbol("symbol"); got != "BTC/USDT:USDT" {
		t.Errorf("symbol = %q, want BTC/USDT:USDT", got)
	}
	if got := q.Limit("limit", 100, 500); got != 7 {
		t.Errorf("limit = %d, want 7", got)
	}
	if got := q.Time("from"); !got.Equal(time.Date(2026, 11, 20, 9, 19, 0, 0, time.UTC)) {
		t.Errorf("from = %v, want 2026-11-20T09:19:00Z", got)
	}
	if got := q.Time("to"); !got.Equal(time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("to = %v, want 2026-11-21T00:00:00Z", got)
	}
	if got := q.RequestID("requestId"); got != "r" {
		t.Errorf("requestId = %q, want r", got)
	}
	if got := api.QueryOneOf(q, "status", venues.StatusOpen, venues.StatusOpen); got != venues.StatusOpen {
		t.Errorf("status = %q, want open", got)
	}
	if got := q.Identifier("orderId"); got != "" || q.Err() != nil {
		t.Errorf("orderId = %q, error %v, want none", got, q.Err())
	}
	empty := api.ParseQuery("", "limit")
	if got := empty.Limit("limit", 100, 500); got != 100 || !empty.Empty() || empty.Err() != nil {
		t.Errorf("limit = %d, error %v, want 100", got, empty.Err())
	}
}

func TestQueryRejectsBadValues(t *testing.T) {
	for raw, want := range map[string]string{
		"limit=0": "limit out_of_range", "limit=501": "limit out_of_range", "limit=-1": "limit out_of_range",
		"limit=1e2": "limit out_of_range", "limit=007": "limit out_of_range", "limit=": "limit out_of_range",
		"limit=99999999999999999999": "limit out_of_range",
		"from=yesterday":             "from not_a_time", "from=": "from not_a_time", "from=1700000000": "from not_a_time",
		"from=2026-11-20T09:19:00": "from not_a_time", "from=2026-13-01": "from not_a_time",
		"from=0001-01-01T00:00:00Z": "from out_of_range", "from=9999-01-01T00:00:00Z": "from out_of_range",
		"status=OPEN": "status unknown_value", "status=": "status unknown_value",
		"orderId=a/b": "orderId malformed", "orderId=": "orderId malformed",
		"requestId=%20": "requestId malformed",
		"Limit=5":       "Limit wrong_case", "limit=5&limit=6": "limit duplicate", "limit=%": "query malformed",
	} {
		q := api.ParseQuery(raw, "limit", "from", "status", "orderId", "requestId")
		q.Limit("limit", 100, 500)
		q.Time("from")
		api.QueryOneOf(q, "status", "open", "open", "closed")
		q.Identifier("orderId")
		q.RequestID("requestId")
		wantFieldErrors(t, q.Err(), want)
	}
}
