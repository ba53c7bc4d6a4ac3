package venue

import (
	"errors"
	"testing"
	"time"

	"venuegate/venues"
)

var start = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

func instrument(symbol, tick string) venues.Instrument {
	return venues.Instrument{
		Symbol: symbol, VenueSymbol: symbol, Exchange: venues.Binance, Status: venues.InstrumentTrading,
		TickSize: venues.MustDecimal(tick), QtyStep: venues.MustDecimal("0.001"), MinQty: venues.MustDecimal("0.001"),
		MaxLeverage: venues.Some(venues.MustDecimal("125")),
	}
}

func TestInstrumentsKeepTheTimeOfTheirChange(t *testing.T) {
	s := newState(start, time.Minute)
	changes, next := s.instrumentsRead(start, []venues.Instrument{instrument("A", "0.1"), instrument("B", "0.1")}, nil)
	if changes.added != 2 || changes.removed != 0 || next.after != time.Minute {
		t.Errorf("first: %+v, %+v, want added 2, removed 0, after 1m", changes, next)
	}
	later := start.Add(time.Hour)
	halted := instrument("B", "0.10")
	halted.Status = venues.InstrumentHalted
	changes, _ = s.instrumentsRead(later, []venues.Instrument{instrument("A", "0.10"), halted, instrument("C", "1")}, nil)
	if changes.added != 1 || changes.removed != 0 || changes.changed != 1 || len(changes.rescaled) != 0 {
		t.Errorf("second: %+v, want added 1, removed 0, changed 1, 0 rescaled", changes)
	}
	for symbol, want := range map[string]time.Time{"A": start, "B": later, "C": later} {
		if i, _ := s.instruments.Find(symbol); !i.UpdatedAt.Equal(want) {
			t.Errorf("%s updated at %s, want %s", symbol, i.UpdatedAt, want)
		}
	}
	changes, _ = s.instrumentsRead(later, []venues.Instrument{instrument("A", "0.01")}, nil)
	if changes.removed != 2 || len(changes.rescaled) != 1 || changes.rescaled[0].Symbol != "A" {
		t.Errorf("third: %+v, want removed 2, 1 rescaled, Symbol A", changes)
	}
}

func TestFailedReadKeepsTheInstruments(t *testing.T) {
	s := newState(start, time.Minute)
	s.instrumentsRead(start, []venues.Instrument{instrument("A", "0.1")}, nil)
	for _, want := range []time.Duration{1, 2, 4, 8, 16, 30, 30} {
		if _, next := s.instrumentsRead(start, nil, nil); next.after != want*time.Second {
			t.Errorf("waits %s, want %d s", next.after, want)
		}
	}
	if s.health.LastError != errNoInstruments.Error() || len(s.instruments.All()) != 1 {
		t.Errorf("health = %+v with %d instruments, want %v and 1", s.health, len(s.instruments.All()), errNoInstruments)
	}
}

func TestHealth(t *testing.T) {
	s := newState(start, time.Minute)
	now := start
	fail := errors.New("refused")
	list := []venues.Instrument{instrument("A", "0.1")}
	for _, step := range []struct {
		name  string
		do    func()
		want  Status
		since int // seconds after start
	}{
		{"nothing yet", func() {}, StatusDown, 0},
		{"instruments", func() { s.instrumentsRead(now, list, nil) }, StatusDegraded, 2},
		{"clock", func() { s.clockCompared(now, 10*time.Millisecond, nil) }, StatusUp, 3},
		{"clock fails", func() { s.clockCompared(now, 0, fail) }, StatusDegraded, 4},
		{"instruments fail too", func() { s.instrumentsRead(now, nil, fail) }, StatusDegraded, 4},
		{"clock fails twice", func() { s.clockCompared(now, 0, fail) }, StatusDown, 6},
		{"clock is back", func() { s.clockCompared(now, 0, nil) }, StatusDegraded, 7},
		{"instruments are back", func() { s.instrumentsRead(now, list, nil) }, StatusUp, 8},
		{"skew", func() { s.clockCompared(now, -1001*time.Millisecond, nil) }, StatusDegraded, 9},
		{"no skew", func() { s.clockCompared(now, -time.Second, nil) }, StatusUp, 10},
		{"interrupted", func() { s.feedReported(now, Feed{Topics: 3, Interrupted: 1, Cause: fail}) }, StatusDegraded, 11},
		{"resumed", func() { s.feedReported(now, Feed{Topics: 3}) }, StatusUp, 12},
		{"a private stream is lost", func() { s.privateReported(now, Streams{Wanted: 2, Connected: 1}) }, StatusUp, 12},
		{"all private streams are lost", func() { s.privateReported(now, Streams{Wanted: 2}) }, StatusUp, 12},
		{"market data is lost too", func() { s.feedReported(now, Feed{Topics: 3, Interrupted: 3, Cause: fail}) }, StatusDegraded, 15},
		{"2 s later", func() { now = now.Add(time.Second); s.assess(now) }, StatusDegraded, 15},
		{"3 s later", func() { s.assess(now) }, StatusDown, 18},
		{"one is back", func() { s.privateReported(now, Streams{Wanted: 2, Connected: 1}) }, StatusDegraded, 19},
		{"all are back", func() { s.feedReported(now, Feed{Topics: 3}) }, StatusUp, 20},
		{"no market data is wanted", func() { s.feedReported(now, Feed{}) }, StatusUp, 20},
		{"the private streams alone are lost", func() { s.privateReported(now, Streams{Wanted: 2}) }, StatusDegraded, 22},
	} {
		now = now.Add(time.Second)
		step.do()
		since := start.Add(time.Duration(step.since) * time.Second)
		if s.health.Status != step.want || !s.health.Since.Equal(since) || (s.health.Reason == "") != (step.want == StatusUp) {
			t.Errorf("%s: %+v, want %s since %s", step.name, s.health, step.want, since)
		}
	}
	if s.health.LastError != "refused" || !s.health.LastErrorAt.Equal(start.Add(15*time.Second)) {
		t.Errorf("health = %+v, want the last error at 15s", s.health)
	}
}

func TestRefreshIsRateLimited(t *testing.T) {
	s := newState(start, time.Minute)
	s.listing.running = true
	if _, ok := s.refreshWait(start); ok {
		t.Error("second read during the first: scheduled, want it not scheduled")
	}
	s.instrumentsRead(start, []venues.Instrument{instrument("A", "0.1")}, nil)
	if wait, ok := s.refreshWait(start.Add(4 * time.Second)); !ok || wait != 6*time.Second {
		t.Errorf("%s, %t, want 6s", wait, ok)
	}
	if wait, _ := s.refreshWait(start.Add(time.Minute)); wait != 0 {
		t.Errorf("%s, want 0", wait)
	}
}

func TestMaintenanceIsReported(t *testing.T) {
	s := newState(start, time.Minute)
	for _, step := range []struct {
		name string
		err  error
		want bool
	}{
		{"maintenance", venues.Errorf(venues.CodeMaintenance, "the venue is under maintenance"), true},
		{"no answer", venues.Errorf(venues.CodeExchangeUnavailable, "no answer"), false},
		{"maintenance again", venues.Errorf(venues.CodeMaintenance, "the venue is under maintenance"), true},
		{"back", nil, false},
	} {
		if s.clockCompared(start, 0, step.err); s.health.Maintenance != step.want {
			t.Errorf("%s: Maintenance = %t, want %t", step.name, s.health.Maintenance, step.want)
		}
	}
}

// Some venues list leverages only once an account has requested them.
func TestInstrumentsWithoutLeveragesAreReadAgainSoon(t *testing.T) {
	s := newState(start, 15*time.Minute)
	bare := instrument("A", "0.1")
	bare.MaxLeverage = venues.Optional{}
	for _, want := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60} {
		if _, next := s.instrumentsRead(start, []venues.Instrument{bare}, nil); next.after != want*time.Second {
			t.Errorf("read again after %s, want %d s", next.after, want)
		}
	}
	if _, next := s.instrumentsRead(start, []venues.Instrument{instrument("B", "0.1"), bare}, nil); next.after != 15*time.Minute {
		t.Errorf("complete list: next read after %s, want 15m", next.after)
	}
	if _, next := s.instrumentsRead(start, []venues.Instrument{bare}, nil); next.after != time.Second {
		t.Errorf("list without leverages: next read after %s, want 1s", next.after)
	}
}
