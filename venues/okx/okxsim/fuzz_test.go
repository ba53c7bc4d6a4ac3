package okxsim_test

import (
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"venuegate/venues/okx/okxsim"
	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
)

func silent(t testing.TB) *okxsim.Sim {
	t.Helper()
	sim := create(t, okxsim.Options{Setup: simnet.Setup{Quiet: true}})
	return sim
}

// Whatever a client sends as an order either makes a sane request or none.
func FuzzOrder(f *testing.F) {
	sim := silent(f)
	f.Add([]byte(restingBuy))
	f.Add([]byte(`{"instIdCode":10459,"tdMode":"cross","side":"sell","ordType":"market","sz":"1","reduceOnly":"true"}`))
	f.Add([]byte(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","ordType":"fok","px":"1e9","sz":"-1","attachAlgoOrds":[{}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		request, ok := sim.ParsedOrder(body)
		if !ok {
			return
		}
		if !request.Qty.IsPositive() || request.Type == simcore.Limit && !request.Price.IsPositive() {
			t.Errorf("accepted %+v", request)
		}
		if _, listed := sim.Exchange().Instrument(request.Symbol); !listed {
			t.Errorf("accepted instrument %q", request.Symbol)
		}
	})
}

// Whatever a client sends as an algo order has one leg, two, or is refused.
func FuzzAlgo(f *testing.F) {
	sim := silent(f)
	f.Add([]byte(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"sell","ordType":"oco","sz":"1","tpTriggerPx":"66000","tpOrdPx":"-1","slTriggerPx":"64000","slOrdPx":"-1"}`))
	f.Add([]byte(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"sell","ordType":"move_order_stop","sz":"1","callbackRatio":"0.01"}`))
	f.Add([]byte(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","ordType":"trigger","closeFraction":"1","triggerPx":"66000","orderPx":"-1"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		if legs := sim.ParsedAlgo(body); legs == 0 || legs > 2 {
			t.Errorf("%d legs", legs)
		}
	})
}

// A message of a client names channels exactly where it subscribes.
func FuzzCommand(f *testing.F) {
	sim := silent(f)
	f.Add([]byte(`{"id":"1","op":"subscribe","args":[{"channel":"books","instId":"BTC-USDT-SWAP"}]}`))
	f.Add([]byte(`{"op":"login","args":[{"apiKey":"a","passphrase":"b","timestamp":"1704876947","sign":"c"}]}`))
	f.Add([]byte(`{"id":"2","op":"order","args":[{"instIdCode":10459}],"expTime":"x"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		op, channels, ok := okxsim.ParsedCommand(data)
		if subscribes := op == "subscribe" || op == "unsubscribe"; ok && subscribes != (channels > 0) {
			t.Errorf("%s names %d channels", op, channels)
		}
		if sim.CheckedLogin(data) == "" {
			t.Error("logged in without a signature")
		}
	})
}

// drawSide is one side of a book, prices falling.
func drawSide(t *rapid.T, name string) []simcore.Level {
	prices := rapid.SliceOfNDistinct(rapid.Int64Range(1, 60), 0, 30, rapid.ID[int64]).Draw(t, name)
	levels := []simcore.Level{}
	for price := int64(60); price > 0; price-- {
		for _, p := range prices {
			if p == price {
				qty := rapid.Int64Range(1, 3).Draw(t, "qty")
				levels = append(levels, simcore.Level{Price: decimal.NewFromInt(price), Qty: decimal.NewFromInt(qty)})
			}
		}
	}
	return levels
}

// The difference of two sides, applied to the first, is the second.
func TestDifferenceTurnsOneSideIntoTheOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := drawSide(t, "before"), drawSide(t, "after")
		kept := map[string]string{}
		for _, l := range before {
			kept[l.Price.String()] = l.Qty.String()
		}
		for _, row := range okxsim.Difference(before, after, true) {
			if row[1] == "0" {
				delete(kept, row[0])
			} else {
				kept[row[0]] = row[1]
			}
		}
		if len(kept) != len(after) {
			t.Fatalf("%v, want %v", kept, after)
		}
		for _, l := range after {
			if kept[l.Price.String()] != l.Qty.String() {
				t.Fatalf("%s is %s, want %s", l.Price, kept[l.Price.String()], l.Qty)
			}
		}
	})
}

// FuzzFrame: a line of a recording is a message of a known channel at a time
// that has a name, or nothing.
func FuzzFrame(f *testing.F) {
	for _, line := range []string{recordedSnapshot, recordedUpdate, recordedTrade, `{"msg":{}}`, `{"msg":7}`, `{"arg":null,"data":[]}`} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		at, channel, ok := okxsim.ParsedFrame(line)
		if ok && (at <= 0 || channel != "books" && channel != "trades") {
			t.Fatalf("%s at %s", channel, at)
		}
	})
}
