package root_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"venuegate/actors/root"
	"venuegate/persistence"
	"venuegate/venues"
)

// Signals of every action take the whole path, and no order and no cancel reaches the venue.
func TestTestModeSendsNothing(t *testing.T) { dryRun(t, 1_000) }

// dryRun sends signals of every action to a channel in test mode.
func dryRun(t *testing.T, signals int) {
	t.Helper()
	d := open(t)
	resting := d.becomes(venues.StatusOpen, "resting", spec(venues.Buy, venues.TypeLimit, "1", "20000"))
	hook := configureHook(t, d.tree, persistence.Channel{ID: "hook_1", Customer: "c1", Kind: persistence.ChannelWebhook, TestMode: true})
	before := d.sim.Control().Ledger().Orders
	const senders = 32
	actions := []venues.SignalAction{venues.ActionOrder, venues.ActionClose, venues.ActionCancelAll, venues.ActionNotify}
	var wait sync.WaitGroup
	work := make(chan int)
	for range senders {
		wait.Go(func() {
			for i := range work {
				answer, err := d.tree.Accept(t.Context(), venues.Signal{
					Customer: "c1", ChannelID: hook.ID, Action: actions[i%len(actions)], Exchange: venues.Binance, Symbol: "BTCUSDT",
					Side: venues.Buy, Qty: venues.Some(venues.MustDecimal("0.01")), Type: venues.TypeMarket, Comment: "test",
					RequestID: fmt.Sprintf("r%d", i), Source: venues.SourceWebhook, ReceivedAt: venues.At(time.Now()),
				})
				if err != nil || !strings.Contains("test pending", answer.Status) || answer.OrderID != "" {
					t.Errorf("signal %d: answer = %+v, error %v, want status test or pending without an order", i, answer, err)
				}
			}
		})
	}
	for i := range signals {
		work <- i
	}
	close(work)
	wait.Wait()
	if after := d.sim.Control().Ledger().Orders; len(after) != len(before) {
		t.Errorf("orders at the venue = %d, want %d", len(after), len(before))
	}
	record, err := d.store.Order(t.Context(), "c1", resting.OrderID)
	if err != nil || record.Status != venues.StatusOpen {
		t.Errorf("the resting order is %s, %v, want Status StatusOpen", record.Status, err)
	}
}

func configureHook(t *testing.T, tree *root.Tree, c persistence.Channel) *root.Inbound {
	t.Helper()
	c.Sealed = []byte("sealed")
	row := persistence.JournalEntry{ID: "jrn_" + c.ID, At: venues.At(time.Now()), Kind: "admin.hook", Subject: c.ID}
	if err := tree.ConfigurePart(t.Context(), c, row); err != nil {
		t.Fatal(err)
	}
	in, err := tree.Channel(c.ID)
	if err != nil {
		t.Fatalf("configured channel: error %v, want none", err)
	}
	return in
}
