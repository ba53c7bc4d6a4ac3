package root_test

import (
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// A signal against a protected position reverses it on every venue: the old
// protection is over before the other side is opened, and the new position has
// its own.
func TestASignalReversesAProtectedPosition(t *testing.T) {
	eachVenue(t, func(t *testing.T, venue venues.Venue) {
		d, _ := openDeskAt(t, venue)
		at := venues.At(time.Now())
		hook := persistence.Channel{
			ID: "hook_1", Customer: "c1", Kind: persistence.ChannelWebhook, CreatedAt: at,
			Rules: persistence.ChannelRules{Opposite: persistence.OppositeReverse, MaxQty: venues.Some(venues.MustDecimal("0.05"))},
		}
		if err := d.tree.ConfigurePart(t.Context(), hook, persistence.JournalEntry{ID: "jrn_1", At: at, Kind: "admin.hook", Subject: hook.ID}); err != nil {
			t.Fatal(err)
		}
		entry := d.entry("r1")
		signal := venues.Signal{
			Customer: "c1", ChannelID: hook.ID, Action: venues.ActionOrder, Exchange: venue, Symbol: "BTCUSDT", Side: venues.Sell, Type: venues.TypeMarket,
			Qty:      venues.Some(venues.MustDecimal("0.05")),
			StopLoss: venues.Some(venues.MustDecimal("70000")), TakeProfit: venues.Some(venues.MustDecimal("60000")),
			RequestID: "s1", Source: venues.SourceWebhook, ReceivedAt: venues.At(time.Now()), BodyHash: []byte("body"),
		}
		taken, err := d.tree.Accept(t.Context(), signal)
		if err != nil {
			t.Fatal(err)
		}
		var done persistence.SignalRecord
		d.wait("end of the plan", func() bool {
			if done, err = d.store.Signal(t.Context(), "c1", taken.SignalID); err != nil {
				t.Fatal(err)
			}
			return done.Status.IsFinal()
		})
		if done.Status != persistence.SignalDone || len(done.OrderIDs) != 2 {
			t.Fatalf("%+v %+v", done, done.Error)
		}
		opened := d.eventually(done.OrderIDs[1], legsAre(venues.ProtectionLive, venues.ProtectionLive))
		if opened.Side != venues.Sell || opened.Status != venues.StatusFilled {
			t.Fatalf("opened %+v", opened)
		}
		old := d.eventually(entry.OrderID, legsAre(venues.ProtectionCancelled, venues.ProtectionCancelled))
		if old.UpdatedAt.After(opened.CreatedAt.Time) {
			t.Errorf("the old protection ended at %s, the new position was opened at %s", old.UpdatedAt, opened.CreatedAt)
		}
		d.wait("short position", func() bool {
			positions, _, err := d.tree.Positions(t.Context(), venues.ReadAccount{Command: venues.Command{Customer: "c1"}, Exchange: venue})
			return err == nil && len(positions) == 1 && positions[0].Side == venues.Short && positions[0].Qty.Equal(venues.MustDecimal("0.05"))
		})
	})
}
