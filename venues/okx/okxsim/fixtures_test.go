package okxsim_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"venuegate/venues"
	"venuegate/venues/fixturetest"
)

// recordedIn returns the records of a recorded file for which holds is true, from
// messages and answers in any of the forms of the files: one for each line or one in
// all.
func recordedIn(t *testing.T, name string, holds func(message object) bool) []object {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(fixturetest.Read(t, venues.OKX, name)))
	var records []object
	for decoder.More() {
		var message object
		if err := decoder.Decode(&message); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		outer := message
		if answer, wrapped := message["response"].(object); wrapped {
			message = answer
		}
		rows, _ := message["data"].([]any)
		for _, row := range rows {
			if record, ok := row.(object); ok && holds(outer) {
				records = append(records, record)
			}
		}
	}
	if len(records) == 0 {
		t.Fatalf("%s: no such record, want at least one", name)
	}
	return records
}

// of selects recorded messages of a channel, or answers to a call.
func of(words string) func(object) bool {
	return func(message object) bool {
		arg, _ := message["arg"].(object)
		call, _ := message["call"].(string)
		return arg["channel"] == words || words != "" && strings.HasPrefix(call, words)
	}
}

func every(object) bool { return true }

// shaped compares a record with recorded ones: each of their members must be present
// with the same JSON type, and so must those of their objects and of the first element
// of their lists.
func shaped(t *testing.T, what string, got object, recorded []object, excused ...string) {
	t.Helper()
	reported := map[string]bool{}
	for _, want := range recorded {
		for name, value := range want {
			ours, there := got[name]
			switch {
			case reported[name], slices.Contains(excused, name):
			case !there:
				reported[name] = true
				t.Errorf("%s: %s is missing, want %q", what, name, value)
			case kind(ours) != kind(value):
				reported[name] = true
				t.Errorf("%s: %s is a %s, want a %s", what, name, kind(ours), kind(value))
			default:
				shapedInside(t, what+"."+name, ours, value)
			}
		}
	}
}

// shapedInside compares objects, and the first objects of lists.
func shapedInside(t *testing.T, what string, got, want any) {
	t.Helper()
	if ours, isList := got.([]any); isList {
		theirs := want.([]any)
		if len(ours) == 0 || len(theirs) == 0 {
			return
		}
		got, want = ours[0], theirs[0]
	}
	ours, isObject := got.(object)
	theirs, wanted := want.(object)
	if isObject && wanted {
		shaped(t, what, ours, []object{theirs})
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

// Every member of the recorded messages is sent, those of other products as an empty
// text.
func TestRecordsHaveTheRecordedShape(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		recordedIn(t, "ws_account_real_roq.jsonl", every) // skips the test where there are no recordings
		v := quiet(t)
		s, market := v.loggedIn("private"), v.stream("public")
		pushed := func(from *stream, arg, channel string) object {
			from.subscribe(arg)
			return from.push(channel, func(_, first object) bool { return len(first) > 0 })
		}
		s.subscribe(`{"channel":"orders","instType":"SWAP"}`)
		v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","clOrdId":"m1","side":"buy","ordType":"market","sz":"2"}`)
		filled := s.push("orders", state("filled"))
		v.order(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"sell","ordType":"market","sz":"1"}`)
		open := v.order(restingBuy)
		placed := v.post("/trade/order", strings.Replace(restingBuy, `"side"`, `"clOrdId":"ack","side"`, 1))
		trigger := v.post("/trade/order-algo", `{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","ordType":"trigger","sz":"1","triggerPx":"70000","orderPx":"-1"}`)
		amended := v.post("/trade/amend-order", `{"instId":"BTC-USDT-SWAP","ordId":"`+open+`","newSz":"2"}`)
		const answers = "rest_responses_2024_2025_real_ccxt.jsonl"
		for _, test := range []struct {
			file, words string
			got         object
			excused     []string
		}{
			{answers, "POST /api/v5/trade/order (market", placed.Data[0], nil},
			{answers, "POST /api/v5/trade/order-algo", trigger.Data[0], nil},
			{answers, "POST /api/v5/trade/amend-order", amended.Data[0], nil},
			{answers, "GET /api/v5/account/positions (", v.one(v.get("/account/positions")), nil},
			{answers, "GET /api/v5/account/positions-history", v.one(v.get("/account/positions-history")), nil},
			{answers, "GET /api/v5/trade/order (", v.get("/trade/orders-history?instType=SWAP").Data[0], nil},
			{answers, "GET /api/v5/trade/fills-history", v.get("/trade/fills-history?instType=SWAP").Data[0], nil},
			{answers, "GET /api/v5/account/bills", v.get("/account/bills").Data[0], nil},
			{answers, "GET /api/v5/market/ticker", v.one(v.get("/market/ticker?instId=" + btc)), nil},
			{answers, "GET /api/v5/trade/orders-algo-pending", v.one(v.get("/trade/orders-algo-pending?ordType=trigger")), []string{"activePxType", "ctVal", "notionalUsd", "uly"}}, // of 2022 only
			{answers, "GET /api/v5/account/leverage-info", v.one(v.get("/account/leverage-info?instId=" + btc + "&mgnMode=cross")), nil},
			{"rest_orders_history_swap_real_nautilus.json", "", v.get("/trade/orders-history?instType=SWAP").Data[0], nil},
			{"rest_orders_pending_real_roq.jsonl", "", v.get("/trade/orders-pending").Data[0], nil},
			{"rest_fills_spot_real_bbgo.json", "", v.get("/trade/fills").Data[0], nil},
			{"rest_instruments_swap_2022_real_trimmed20.json", "", v.one(v.get("/public/instruments?instType=SWAP&instId=" + btc)), nil},
			{"rest_instruments_spot_real_roq.json", "", v.one(v.get("/public/instruments?instType=SWAP&instId=" + btc)), nil},
			{"rest_position_tiers_2026_real.json", "", v.get("/public/position-tiers?instType=SWAP&tdMode=cross&instFamily=BTC-USDT").Data[0], nil},
			{"rest_account_balance_real_nautilus.json", "", v.one(v.get("/account/balance")), nil},
			{"ws_account_real_nautilus.json", "account", pushed(s, `{"channel":"account"}`, "account"), nil},
			{"ws_account_real_roq.jsonl", "account", pushed(s, `{"channel":"account"}`, "account"), nil},
			{"ws_positions_real.jsonl", "positions", pushed(s, `{"channel":"positions","instType":"ANY"}`, "positions"), nil},
			{"ws_balance_and_position_real.jsonl", "balance_and_position", pushed(s, `{"channel":"balance_and_position"}`, "balance_and_position"), nil},
			{"ws_orders_real_roq.jsonl", "orders", filled, nil},
			{"ws_orders_lifecycle_spot_market_real_bbgo.jsonl", "orders", filled, nil},
			{"ws_public_misc_real_roq.jsonl", "funding-rate", pushed(market, `{"channel":"funding-rate","instId":"BTC-USDT-SWAP"}`, "funding-rate"), nil},
			{"ws_public_2026_09_real.jsonl", "funding-rate", v.one(v.get("/public/funding-rate?instId=" + btc)), nil},
			{"ws_public_2026_09_real.jsonl", "mark-price", pushed(market, `{"channel":"mark-price","instId":"BTC-USDT-SWAP"}`, "mark-price"), nil},
			{"ws_public_2026_09_real.jsonl", "tickers", pushed(market, `{"channel":"tickers","instId":"BTC-USDT-SWAP"}`, "tickers"), nil},
			{"ws_public_2026_09_real.jsonl", "index-tickers", pushed(market, `{"channel":"index-tickers","instId":"BTC-USDT"}`, "index-tickers"), nil},
			{"ws_public_2026_09_real.jsonl", "books5", pushed(market, `{"channel":"books5","instId":"BTC-USDT-SWAP"}`, "books5"), nil},
			{"ws_public_misc_real_roq.jsonl", "bbo-tbt", pushed(market, `{"channel":"bbo-tbt","instId":"BTC-USDT-SWAP"}`, "bbo-tbt"), nil},
		} {
			holds := of(test.words)
			if test.words == "" {
				holds = every
			}
			shaped(t, test.file+" "+test.words, test.got, recordedIn(t, test.file, holds), test.excused...)
		}
	})
}
