package bybitsim_test

import (
	"encoding/json"
	"testing"

	"venuegate/venues/bybit/bybitsim"
)

func FuzzOrderIDs(f *testing.F) {
	f.Add(int64(1), "44ce1d85-3458-4ec3-af76-41a4cf80c9b3")
	f.Add(int64(3_700_000_000_000_000_000), "")
	f.Fuzz(func(t *testing.T, id int64, text string) {
		if back, ok := bybitsim.NumberOf(bybitsim.UUIDOf(id)); !ok || back != id {
			t.Fatalf("number of the UUID of %d = %d, %t, want the same number", id, back, ok)
		}
		bybitsim.NumberOf(text)
	})
}

func FuzzOp(f *testing.F) {
	f.Add([]byte(`{"op":"subscribe","args":["orderbook.50.BTCUSDT"],"req_id":"1"}`))
	f.Add([]byte(`{"op":"auth","args":["key",1662350400000,"00"]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, _, ok := bybitsim.DecodeOp(data); ok && !json.Valid(data) {
			t.Fatalf("DecodeOp accepts %q, want an error for invalid JSON", data)
		}
	})
}

func FuzzOrder(f *testing.F) {
	f.Add([]byte(order()))
	f.Add([]byte(`{"qty":"1e9"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if bybitsim.DecodesOrder(data) && !json.Valid(data) {
			t.Fatalf("DecodesOrder accepts %q, want an error for invalid JSON", data)
		}
	})
}

func FuzzFrame(f *testing.F) {
	f.Add([]byte(`{"t":"recv","ts":1786310819.52,"data":"{\"topic\":\"tickers.BTCUSDT\",\"type\":\"delta\",\"data\":{}}"}`))
	f.Add([]byte(`{"t":"recv","ts":-1e9,"data":"{}"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		if topic, data, ok := bybitsim.ParseFrame(line); ok && (topic == "" || !json.Valid(data)) {
			t.Fatalf("frame of %q = topic %q with %s, want a topic with valid JSON", line, topic, data)
		}
	})
}
