package account

import (
	"slices"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"venuegate/persistence"
	"venuegate/venues"
)

// warnings runs the effects that log and returns the messages with their fields.
func (b *fixture) warnings() []observer.LoggedEntry {
	b.t.Helper()
	core, logs := observer.New(zap.DebugLevel)
	a := &account{logger: zap.New(core), deps: Deps{Config: Config{Customer: "c1", Exchange: venues.Binance}}}
	for _, e := range b.pendingEffects {
		switch e := e.(type) {
		case warnStop, warnUnknown, warnLock:
			e.run(a, nil)
		}
	}
	return logs.All()
}

// wantWarnings checks the messages so far, and the fields of the last one.
func (b *fixture) wantWarnings(messages []string, fields map[string]any) {
	b.t.Helper()
	entries := b.warnings()
	var got []string
	for _, e := range entries {
		got = append(got, e.Message)
	}
	if !slices.Equal(got, messages) {
		b.t.Fatalf("warnings = %q, want %q", got, messages)
	}
	if len(entries) == 0 {
		return
	}
	last := entries[len(entries)-1]
	for name, want := range fields {
		if value := last.ContextMap()[name]; value != want {
			b.t.Errorf("%s: %s = %v, want %v", last.Message, name, value, want)
		}
	}
	if last.Level != zap.WarnLevel || last.ContextMap()["customer"] != "c1" || last.ContextMap()["exchange"] != "binance" {
		b.t.Errorf("%s: %s %v, want level warn, customer and exchange", last.Message, last.Level, last.ContextMap())
	}
}

func TestStopThatFiresIsLogged(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	in := limitOrder("r1")
	in.cmd.StopLoss = venues.Some(venues.MustDecimal("58000"))
	in.cmd.Origin = venues.Origin{RequestID: "desk-7", Traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}
	o := b.open(in, venues.StatusOpen)
	b.fillMore(o, "t1", "1")
	b.reportPosition("1")
	legs := b.placedWithin(time.Second)
	b.accept(legs...)
	b.wantWarnings(nil, nil)
	stop := legs[0]
	for range 2 { // the report is repeated
		r := stop.reportWith(venues.StatusFilled, "1")
		r.Fill = stop.fill("t2", "1", "58000")
		b.report(r)
	}
	b.wantWarnings([]string{"stop fired"}, map[string]any{
		"order_id": stop.OrderID, "symbol": "BTCUSDT", "kind": "stop_loss",
		"request_id": "desk-7", "traceparent": in.cmd.Origin.Traceparent,
	})
}

func TestStopThatFailsIsLogged(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	stop := b.open(stopOrder(), venues.StatusUntriggered)
	b.report(stop.reportWith(venues.StatusExpired, "0"))
	b.wantWarnings([]string{"stop failed"}, map[string]any{"order_id": stop.OrderID, "symbol": "BTCUSDT", "kind": "stop", "reason": "expired"})
}

// The alarm of a position that stays open is repeated in the journal; it is logged once.
func TestMissingProtectionIsLoggedOnce(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	b.state.protectionKeeper.Rules.Policy.KeepOpen = true
	o := b.fillEntry("1")
	b.reportPosition("1")
	for range 8 {
		for _, leg := range b.placedWithin(5 * time.Second) {
			b.rejectPlace(leg, "")
		}
	}
	if n := b.journalCount("unprotected"); n < 2 {
		t.Fatalf("%d alarms in the journal, want it repeated", n)
	}
	b.wantWarnings([]string{"stop failed"}, map[string]any{"order_id": o.OrderID, "kind": "protection", "reason": "unprotected"})
}

func TestUnknownOrderIsLoggedOnceAfterThirtySeconds(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	o := b.place(limitOrder("r1"))
	b.answerPlace(o, errTimeout)
	b.pass(unknownWarnAfter - time.Second)
	b.wantWarnings(nil, nil)
	b.pass(time.Second)
	b.wantWarnings([]string{"order unknown"}, map[string]any{"order_id": o.OrderID, "symbol": "BTCUSDT"})
	b.pass(10 * time.Minute)
	b.wantWarnings([]string{"order unknown"}, nil)
}

func TestRiskLockIsLogged(t *testing.T) {
	b := limited(t)
	b.realizeLoss(2, "1", "-200")
	b.wantWarnings([]string{"risk lock"}, map[string]any{"limit": "daily_loss", "threshold": "100"})
}

// The origin of a command is in the rows that it causes, and that of the next command in
// the next ones.
func TestOriginIsInTheJournal(t *testing.T) {
	b := newFixture(t, venues.Capabilities{})
	in := limitOrder("r1")
	in.cmd.Origin = venues.Origin{RequestID: "desk-7"}
	o := b.open(in, venues.StatusOpen)
	last := func() []persistence.JournalField { return b.journal[len(b.journal)-1].Fields }
	if want := (persistence.JournalField{Name: "x_request_id", Value: "desk-7"}); !slices.Contains(last(), want) {
		t.Errorf("fields = %v, want %v among them", last(), want)
	}
	b.cancel(o)
	b.confirmCancels(o)
	if slices.ContainsFunc(last(), func(f persistence.JournalField) bool { return f.Name == "x_request_id" }) {
		t.Errorf("fields after a cancel without an id = %v, want none", last())
	}
}
