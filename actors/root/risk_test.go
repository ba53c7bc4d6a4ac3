package root_test

import (
	"encoding/json"
	"slices"
	"time"

	"venuegate/persistence"
)

// closedPosition is the payload of position.closed.
type closedPosition struct {
	Exchange, Symbol, Side, Qty, EntryPrice, ExitPrice, RealizedPnl, Fee, Reason, OpenedAt string
}

// events lists the stored events of a type.
func (d *desk) events(kind persistence.EventType) []persistence.Event {
	d.t.Helper()
	all, err := d.store.Events(d.t.Context(), "c1", "", 1000)
	if err != nil {
		d.t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(e persistence.Event) bool { return e.Type != kind })
}

// until waits for a condition.
func (d *desk) until(what string, is func() bool) {
	d.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			d.t.Fatalf("not in time: %s", what)
		}
	}
}

// positionClosed waits for the nth event position.closed.
func (d *desk) positionClosed(n int) closedPosition {
	d.t.Helper()
	d.until("position.closed", func() bool { return len(d.events(persistence.EventPositionClosed)) >= n })
	events := d.events(persistence.EventPositionClosed)
	if len(events) != n {
		d.t.Fatalf("%d events, want %d", len(events), n)
	}
	var p closedPosition
	if err := json.Unmarshal(events[n-1].Data, &p); err != nil {
		d.t.Fatal(err)
	}
	return p
}
