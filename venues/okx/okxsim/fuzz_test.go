package okxsim_test

import (
	"testing"

	"venuegate/venues/okx/okxsim"
	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
)

func silent(t testing.TB) *okxsim.Sim {
	t.Helper()
	sim := create(t, okxsim.Options{Setup: simnet.Setup{Quiet: true}})
	return sim
}

// An order of a client results in a valid request or in a rejection.
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
			t.Errorf("accepted request = %+v, want a positive quantity, and a price unless it is a market order", request)
		}
		if _, listed := sim.Exchange().Instrument(request.Symbol); !listed {
			t.Errorf("accepted instrument %q, want listed", request.Symbol)
		}
	})
}

// An algo order of a client has one leg or two, or is rejected.
func FuzzAlgo(f *testing.F) {
	sim := silent(f)
	f.Add([]byte(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"sell","ordType":"oco","sz":"1","tpTriggerPx":"66000","tpOrdPx":"-1","slTriggerPx":"64000","slOrdPx":"-1"}`))
	f.Add([]byte(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"sell","ordType":"move_order_stop","sz":"1","callbackRatio":"0.01"}`))
	f.Add([]byte(`{"instId":"BTC-USDT-SWAP","tdMode":"cross","side":"buy","ordType":"trigger","closeFraction":"1","triggerPx":"66000","orderPx":"-1"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		if legs := sim.ParsedAlgo(body); legs == 0 || legs > 2 {
			t.Errorf("%d legs, want 1 or 2", legs)
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
		op, channels, ok := okxsim.DecodeCommand(data)
		if subscribes := op == "subscribe" || op == "unsubscribe"; ok && subscribes != (channels > 0) {
			t.Errorf("operation %q has %d channels, want some for a subscription and none otherwise", op, channels)
		}
		if sim.CheckedLogin(data) == "" {
			t.Error("a login without a signature succeeds, want an error")
		}
	})
}

// A line of a recording is a message of a known channel with a time, or is skipped.
func FuzzFrame(f *testing.F) {
	for _, line := range []string{recordedSnapshot, recordedUpdate, recordedTrade, `{"msg":{}}`, `{"msg":7}`, `{"arg":null,"data":[]}`} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		at, channel, ok := okxsim.ParseFrame(line)
		if ok && (at <= 0 || channel != "books" && channel != "trades") {
			t.Fatalf("message of channel %q at %s, want books or trades at a positive time", channel, at)
		}
	})
}
