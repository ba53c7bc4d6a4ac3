package binancesim_test

import (
	"encoding/json"
	"testing"

	"venuegate/venues/binance/binancesim"
)

// book is a client's local book, kept by the documented rules.
type book struct {
	bids, asks map[string]string
	last       json.Number
}

func TestBookSyncsByTheDocumentedRules(t *testing.T) {
	v := start(t, binancesim.Options{Seed: 3})
	s := v.stream("/public/stream?streams=btcusdt@depth@100ms")
	first := s.next()["data"].(map[string]any)
	snapshot := v.public("/fapi/v1/depth?symbol=BTCUSDT&limit=1000").object(t)
	last := num(json.Number(jsonText(snapshot["lastUpdateId"])))
	message, synced := first, false
	prev := num("0")
	for range 8 {
		from, to, before := num(message["U"]), num(message["u"]), num(message["pu"])
		if !prev.IsZero() && !before.Equal(prev) {
			t.Fatalf("pu %s after u %s", before, prev)
		}
		prev = to
		if !synced && from.LessThanOrEqual(last) && to.GreaterThanOrEqual(last) || before.Equal(last) {
			synced = true
		}
		message = s.next()["data"].(map[string]any)
	}
	if !synced {
		t.Errorf("no event continues snapshot %s", last)
	}
	if n := len(snapshot["bids"].([]any)); n < 200 {
		t.Errorf("%d bids", n)
	}
}

func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func TestMarketStreams(t *testing.T) {
	v := start(t, binancesim.Options{Seed: 3})
	s := v.stream("/market/ws/btcusdt@aggTrade/btcusdt@markPrice@1s/btcusdt@kline_1m/btcusdt@depth@100ms")
	seen := map[string]bool{}
	for len(seen) < 3 {
		seen[s.next()["e"].(string)] = true
	}
	if seen["depthUpdate"] {
		t.Error("a book stream on the market path is not silent")
	}
	p := v.stream("/public/ws")
	p.send(`{"method":"SUBSCRIBE","params":["ethusdt@bookTicker","ethusdt@trade","ethusdt@depth5@100ms","ethusdt@aggTrade"],"id":7}`)
	if answer := p.next(); answer["result"] != nil || answer["id"] != json.Number("7") {
		t.Errorf("%v", answer)
	}
	seen = map[string]bool{}
	for len(seen) < 3 {
		seen[p.next()["e"].(string)] = true
	}
}
