package binancesim_test

import (
	"encoding/json"
	"strings"
	"testing"

	"venuegate/venues/binance/binancesim"
)

func FuzzParams(f *testing.F) {
	f.Add("symbol=BTCUSDT&side=BUY", "quantity=1&signature=ab")
	f.Add("a=%20&a=b&signature=%zz", "")
	f.Add("&&==", "&signature=1&signature=2")
	f.Fuzz(func(t *testing.T, query, body string) {
		values, signed, ok := binancesim.ParsedParams(query, body)
		if !ok {
			return
		}
		if _, leaked := values["signature"]; leaked || strings.HasPrefix(signed, "signature=") {
			t.Fatalf("signed text = %q, want it without the signature", signed)
		}
		if len(signed) > len(query)+len(body) {
			t.Fatalf("signed text = %q, want at most the %d bytes of the request", signed, len(query)+len(body))
		}
	})
}

func FuzzBatch(f *testing.F) {
	f.Add(`[{"symbol":"BTCUSDT","quantity":1}]`)
	f.Add(`[{},{},{},{},{},{}]`)
	f.Add(`{"a":[1e999]}`)
	f.Fuzz(func(t *testing.T, text string) {
		if n := binancesim.ParsedBatch(text); n == 0 || n > 5 {
			t.Fatalf("%d elements, want 1 to 5", n)
		}
	})
}

func FuzzCommand(f *testing.F) {
	f.Add([]byte(`{"method":"SUBSCRIBE","params":["btcusdt@depth"],"id":1}`))
	f.Add([]byte(`{"method":"LIST_SUBSCRIPTIONS","id":18446744073709551615}`))
	f.Add([]byte(`{"id":-1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		method, names, ok := binancesim.DecodeCommand(data)
		if ok && (!json.Valid(data) || method == "" || len(names) > 1024) {
			t.Fatalf("command %q is accepted with method %q and %d names, want valid JSON, a method and at most 1024 names", data, method, len(names))
		}
	})
}

func FuzzFrame(f *testing.F) {
	f.Add([]byte(`1723161255030314667 {"stream":"btcusdt@trade","data":{"p":"1"}}`))
	f.Add([]byte(`1626992741.06217: {"stream":"sushiusdt@bookTicker","data":{}}`))
	f.Add([]byte(`https://venue/depth?symbol=CTKUSDT&limit=1000 -> 1626992742.283408: {"lastUpdateId":1}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		at, _, data, ok := binancesim.ParseFrame(line)
		if ok && (at < 0 || !json.Valid(data)) {
			t.Fatalf("frame of %q = %s at %s, want valid JSON at a positive time", line, data, at)
		}
	})
}

func FuzzAPIRequest(f *testing.F) {
	f.Add([]byte(`{"id":"a","method":"order.place","params":{"b":"x","a":1,"signature":"s"}}`))
	f.Add([]byte(`{"id":1,"method":"v1/order.cancel","params":{"timestamp":"1"}}`))
	f.Add([]byte(`{"id":null,"method":"session.status"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		method, id, ok := binancesim.ParsedAPIRequest(data)
		if !json.Valid([]byte(id)) {
			t.Fatalf("id %q, want valid JSON", id)
		}
		if ok && method == "" {
			t.Fatalf("request %s is accepted without a method, want an error", data)
		}
	})
}
