package okxsim_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"venuegate/venues"
	"venuegate/venues/fixturetest"
)

// fixture returns the first record of a recorded payload of the venue.
func fixture(t *testing.T, name string) object {
	t.Helper()
	raw := fixturetest.Read(t, venues.OKX, name)
	var payload struct{ Data []object }
	if err := json.NewDecoder(bytes.NewReader(raw)).Decode(&payload); err != nil || len(payload.Data) == 0 {
		t.Fatalf("%s: %d rows, %v, want at least one", name, len(payload.Data), err)
	}
	return payload.Data[0]
}

// shaped compares the fields of a record with those of a recorded one: each, except
// the excused ones, must be present with the same JSON type.
func shaped(t *testing.T, got, want object, excused ...string) {
	t.Helper()
	skip := map[string]bool{}
	for _, name := range excused {
		skip[name] = true
	}
	for name, value := range want {
		ours, there := got[name]
		switch {
		case skip[name]:
		case !there:
			t.Errorf("field %s is missing", name)
		case kind(ours) != kind(value):
			t.Errorf("field %s is a %s, want a %s", name, kind(ours), kind(value))
		}
	}
}

func kind(value any) string {
	switch value.(type) {
	case string:
		return "string"
	case bool:
		return "bool"
	case []any:
		return "list"
	case object:
		return "object"
	default:
		return "number"
	}
}

func TestRecordsHaveTheRecordedShape(t *testing.T) {
	v := quiet(t)
	v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","clOrdId":"m1","side":"buy","ordType":"market","sz":"1"}`)
	shaped(t, v.one(v.get("/trade/orders-history?instType=SWAP")), fixture(t, "rest_orders_history_swap_real_nautilus.json"))
	shaped(t, v.one(v.get("/public/instruments?instType=SWAP&instId="+btc)), fixture(t, "rest_instruments_swap_2022_real_trimmed20.json"))
	shaped(t, v.one(v.get("/account/balance")), fixture(t, "rest_account_balance_real_nautilus.json"),
		"notionalUsdForBorrow", "notionalUsdForFutures", "notionalUsdForOption", "notionalUsdForSwap")
	shaped(t, v.one(v.get("/account/positions")), fixture(t, "ws_positions_real.jsonl"),
		// Fields of margin trading and options.
		"baseBal", "quoteBal", "posCcy", "liab", "liabCcy", "optVal", "deltaBS", "deltaPA", "gammaBS", "gammaPA",
		"thetaBS", "thetaPA", "vegaBS", "vegaPA", "pTime")
}
