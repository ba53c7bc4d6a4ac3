package simcore_test

import (
	"encoding/json"
	"testing"
	"time"

	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simtest"
)

func addFault(t *testing.T, f *simcore.FaultInjector, text string) {
	t.Helper()
	var request simcore.FaultRequest
	if err := json.Unmarshal([]byte(text), &request); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Add(request); err != nil {
		t.Fatal(err)
	}
}

func TestFaultsMatch(t *testing.T) {
	var f simcore.FaultInjector
	addFault(t, &f, `{"match":{"path":"/v1/order","op":"post"},"do":"timeout_after","times":2}`)
	addFault(t, &f, `{"match":{"path":"/public","op":"btcusdt@depth"},"do":"gap"}`)
	addFault(t, &f, `{"match":{},"do":"delay","args":{"delayMs":5},"times":1}`)
	for i, step := range []struct {
		stream   bool
		path, op string
		want     simcore.FaultAction
	}{
		{false, "/v1/orders", "POST", simcore.FaultTimeoutAfter},
		{false, "/v1/order", "GET", simcore.FaultDelay},
		{false, "/v1/order", "POST", simcore.FaultTimeoutAfter},
		{false, "/v1/order", "POST", ""},
		{true, "/v1/order", "POST", ""},
		{true, "/public/ws", "btcusdt@depth@100ms", simcore.FaultGap},
		{true, "/public/ws", "btcusdt@trade", ""},
		{false, "/public/ws", "btcusdt@depth", ""},
	} {
		match := f.MatchRequest
		if step.stream {
			match = f.MatchMessage
		}
		if got, _ := match(step.path, step.op); got.Do != step.want {
			t.Errorf("step %d: fault = %q, want %q", i, got.Do, step.want)
		}
	}
	list := f.List()
	if list[0].Applied != 2 || list[1].Applied != 1 || list[2].Applied != 1 {
		t.Errorf("faults = %+v, want applied 2, 1 and 1 times", list)
	}
	f.Clear()
	if _, applies := f.MatchMessage("/public", "btcusdt@depth"); applies || len(f.List()) != 0 {
		t.Error("a cleared fault is listed or applies, want none")
	}
}

func TestFaultsMatchHandshakes(t *testing.T) {
	for text, want := range map[string]bool{
		`{"match":{"path":"/private"},"do":"maintenance"}`:                  true,
		`{"match":{"path":"/private","op":"get"},"do":"drop_connection"}`:   true,
		`{"match":{"path":"/private"},"do":"drop_connection"}`:              false,
		`{"match":{"path":"/private"},"do":"mute"}`:                         false,
		`{"match":{"path":"/public"},"do":"status"}`:                        false,
		`{"match":{"path":"/private","op":"ORDER"},"do":"drop_connection"}`: false,
	} {
		var f simcore.FaultInjector
		addFault(t, &f, text)
		if _, applies := f.MatchHandshake("/private/ws"); applies != want {
			t.Errorf("%s applies = %t, want %t", text, applies, want)
		}
	}
}

func TestFaultProbability(t *testing.T) {
	applied := func(seed string) []bool {
		var f simcore.FaultInjector
		addFault(t, &f, `{"match":{},"do":"gap","probability":"0.25","seed":`+seed+`}`)
		var results []bool
		for range 1000 {
			_, applies := f.MatchMessage("/", "x")
			results = append(results, applies)
		}
		return results
	}
	first, second, other := applied("1"), applied("1"), applied("2")
	count, differs := 0, false
	for i := range first {
		if first[i] != second[i] {
			t.Fatal("results differ with equal seeds, want equal")
		}
		differs = differs || first[i] != other[i]
		if first[i] {
			count++
		}
	}
	if count < 200 || count > 300 || !differs {
		t.Errorf("applied %d of 1000 times, seeds differ %t, want 200 to 300, true", count, differs)
	}
}

func TestInvalidFaultsAreRejected(t *testing.T) {
	for _, text := range []string{
		`{"do":"explode"}`, `{"do":"gap","times":-1}`, `{"do":"gap","probability":"1.5"}`, `{"do":"delay","args":{"delayMs":-1}}`,
	} {
		var request simcore.FaultRequest
		if err := json.Unmarshal([]byte(text), &request); err != nil {
			t.Fatal(err)
		}
		var f simcore.FaultInjector
		if _, err := f.Add(request); err == nil {
			t.Errorf("%s is accepted, want an error", text)
		}
	}
	var request simcore.FaultRequest
	if err := json.Unmarshal([]byte(`{"do":"gap","probability":1e9}`), &request); err == nil {
		t.Error("an exponent is accepted, want an error")
	}
}

func TestFaultArguments(t *testing.T) {
	args := simcore.FaultArgs{Body: json.RawMessage(`{"code":1}`), Code: json.RawMessage(`-1007`), DelayMs: 20}
	if args.Text() != `{"code":1}` || args.CodeText() != "-1007" || args.Delay(time.Second) != 20*time.Millisecond {
		t.Errorf("text %s, code %s, delay %s, want {\"code\":1}, -1007, 20ms", args.Text(), args.CodeText(), args.Delay(time.Second))
	}
	args = simcore.FaultArgs{Old: "New", New: "Quantum"}
	simtest.Equal(t, "rewritten", string(args.Rewritten([]byte("New and New"))), "Quantum and Quantum")
	args = simcore.FaultArgs{Body: json.RawMessage(`"<html>"`), Code: json.RawMessage(`"51008"`)}
	if args.Text() != "<html>" || args.CodeText() != "51008" || args.Delay(time.Second) != time.Second {
		t.Errorf("text %s, code %s, delay %s, want <html>, 51008, 1s", args.Text(), args.CodeText(), args.Delay(time.Second))
	}
}
