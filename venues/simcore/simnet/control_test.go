package simnet_test

import (
	"encoding/json"
	"testing"

	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

// Errors of the control API have the form of the service's errors: a code, a message,
// and in the details the field with the rule that it violates.
func TestControlErrorsNameTheField(t *testing.T) {
	t.Parallel()
	v, _ := newVenue(t, simnet.Setup{Quiet: true})
	client := simtest.Start(t, v)
	for _, c := range []struct {
		path, body, code string
		status           int
		field, rule      string
		reason           string
	}{
		{"/market", `{"symbol":"BTCUSDT","prise":"1"}`, "invalid_request", 400, "prise", "unknown_name", ""},
		{"/market", `{"symbol":"BTCUSDT","price":"1e5"}`, "invalid_request", 400, "price", "wrong_type", ""},
		{"/market", `{"symbol":7}`, "invalid_request", 400, "symbol", "wrong_type", ""},
		{"/market", `{"symbol":"BTCUSDT","symbol":"BTCUSDT"}`, "invalid_request", 400, "body", "malformed", ""},
		{"/market", `{"symbol":"BTCUSDT"} {}`, "invalid_request", 400, "body", "malformed", ""},
		{"/market", `[]`, "invalid_request", 400, "body", "wrong_type", ""},
		{"/market", `{"symbol":"NOBODY","price":"1"}`, "invalid_request", 400, "", "", "unknown_symbol"},
		{"/market", `{"symbol":"BTCUSDT","price":"1.5"}`, "invalid_request", 400, "", "", "price_off_tick"},
		{"/accounts/nobody", `{}`, "not_found", 404, "", "", "unknown_account"},
		{"/faults", `{"do":"dance"}`, "invalid_request", 400, "do", "unknown_value", ""},
		{"/faults", `{"do":"mute","times":-1}`, "invalid_request", 400, "times", "out_of_range", ""},
		{"/faults", `{"do":"mute","probability":"1.1"}`, "invalid_request", 400, "probability", "out_of_range", ""},
		{"/faults", `{"do":"mute","probability":"18446744073709.5"}`, "invalid_request", 400, "probability", "out_of_range", ""},
		{"/faults", `{"do":"delay","args":{"delayMs":600001}}`, "invalid_request", 400, "args.delayMs", "out_of_range", ""},
		{"/faults", `{"do":"delay","args":{"delaMs":1}}`, "invalid_request", 400, "args.delaMs", "unknown_name", ""},
	} {
		r := client.Control("POST", c.path, c.body)
		var answer struct {
			Error struct {
				Code, Message string
				Details       struct {
					Fields []struct{ Field, Rule string }
					Reason string
				}
			}
		}
		if err := json.Unmarshal(r.Body, &answer); err != nil {
			t.Fatalf("%s %s: %v: %s", c.path, c.body, err, r.Body)
		}
		e := answer.Error
		if r.Status != c.status || e.Code != c.code || e.Message == "" || e.Details.Reason != c.reason {
			t.Errorf("%s %s: %d %s, want %d %s with a message and reason %q", c.path, c.body, r.Status, r.Body, c.status, c.code, c.reason)
		}
		if c.field != "" && (len(e.Details.Fields) != 1 || e.Details.Fields[0].Field != c.field || e.Details.Fields[0].Rule != c.rule) {
			t.Errorf("%s %s: fields = %v, want %s: %s alone", c.path, c.body, e.Details.Fields, c.field, c.rule)
		}
	}
}
