package root_test

import (
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
	"venuegate/venues/simcore"
)

// A signal against a protected position reverses it on every venue: the old protection has
// ended before the other side is opened, and the new position has its own.
func TestSignalReversesAProtectedPosition(t *testing.T) {
	eachVenue(t, func(t *testing.T, venue venues.Venue) {
		d, _ := openAt(t, venue)
		entry := d.entry("r1")
		done := d.planned(d.reverse())
		if done.Status != persistence.SignalDone || len(done.OrderIDs) != 2 {
			t.Fatalf("%+v %+v, want Status SignalDone, 2 OrderIDs", done, done.Error)
		}
		opened := d.eventually(done.OrderIDs[1], legsAre(venues.ProtectionLive, venues.ProtectionLive))
		if opened.Side != venues.Sell || opened.Status != venues.StatusFilled {
			t.Fatalf("opened %+v, want Side Sell, Status StatusFilled", opened)
		}
		old := d.eventually(entry.OrderID, legsAre(venues.ProtectionCancelled, venues.ProtectionCancelled))
		if old.UpdatedAt.After(opened.CreatedAt.Time) {
			t.Errorf("old protection ended at %s, want it before the new position at %s", old.UpdatedAt, opened.CreatedAt)
		}
		d.wantPosition(venues.Short, "0.05")
	})
}

// A market that fills the close in part: the rest stays protected, and is closed when the
// market can fill it.
func TestReverseClosesTheRestInAThinMarket(t *testing.T) {
	eachVenue(t, func(t *testing.T, venue venues.Venue) {
		d, s := openAt(t, venue)
		entry := d.entry("r1")
		deep := func(levels int) {
			if _, err := s.control.Market(simcore.MarketRequest{Symbol: "BTCUSDT", Depth: &levels}); err != nil {
				t.Fatal(err)
			}
		}
		deep(0)
		s.bid(t, "0.02", "64900")
		taken := d.reverse()
		var begun persistence.SignalRecord
		d.wait("first close", func() bool {
			begun = d.signal(taken)
			return len(begun.OrderIDs) > 0
		})
		first := d.eventually(begun.OrderIDs[0], func(r persistence.OrderRecord) bool { return r.Status.IsClosed() })
		if !first.FilledQty.Equal(venues.MustDecimal("0.02")) {
			t.Fatalf("filled quantity of the first close = %s, want 0.02", first.FilledQty)
		}
		d.wantPosition(venues.Long, "0.03")
		if left, err := d.store.Order(t.Context(), "c1", entry.OrderID); err != nil || !legsAre(venues.ProtectionLive, venues.ProtectionLive)(left) {
			t.Errorf("protection of the rest = %+v, error %v, want two live legs", left.Protection, err)
		}
		deep(220) // until now the venue takes no more
		done := d.planned(taken)
		if done.Status != persistence.SignalDone || len(done.OrderIDs) < 3 {
			t.Fatalf("%+v %+v, want Status SignalDone, at least 3 OrderIDs", done, done.Error)
		}
		d.wantPosition(venues.Short, "0.05")
		d.eventually(entry.OrderID, legsAre(venues.ProtectionCancelled, venues.ProtectionCancelled))
	})
}

// reverse sends a signal against the position to a channel that reverses.
func (d *harness) reverse() (signalID string) {
	d.t.Helper()
	at := venues.At(time.Now())
	hook := persistence.Channel{
		ID: "hook_1", Customer: "c1", Kind: persistence.ChannelWebhook, CreatedAt: at,
		Rules: persistence.ChannelRules{Opposite: persistence.OppositeReverse, MaxQty: venues.Some(venues.MustDecimal("0.05"))},
	}
	if err := d.tree.ConfigurePart(d.t.Context(), hook, persistence.JournalEntry{ID: "jrn_1", At: at, Kind: "admin.hook", Subject: hook.ID}); err != nil {
		d.t.Fatal(err)
	}
	taken, err := d.tree.Accept(d.t.Context(), venues.Signal{
		Customer: "c1", ChannelID: hook.ID, Action: venues.ActionOrder, Exchange: d.exchange, Symbol: "BTCUSDT", Side: venues.Sell, Type: venues.TypeMarket,
		Qty:      venues.Some(venues.MustDecimal("0.05")),
		StopLoss: venues.Some(venues.MustDecimal("70000")), TakeProfit: venues.Some(venues.MustDecimal("60000")),
		RequestID: "s1", Source: venues.SourceWebhook, ReceivedAt: at, BodyHash: []byte("body"),
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return taken.SignalID
}

// planned waits for the end of a signal's plan.
func (d *harness) planned(id string) (done persistence.SignalRecord) {
	d.t.Helper()
	d.wait("end of the plan", func() bool {
		done = d.signal(id)
		return done.Status.IsFinal()
	})
	return done
}

func (d *harness) signal(id string) persistence.SignalRecord {
	d.t.Helper()
	r, err := d.store.Signal(d.t.Context(), "c1", id)
	if err != nil {
		d.t.Fatal(err)
	}
	return r
}

func (d *harness) wantPosition(side venues.PositionSide, qty string) {
	d.t.Helper()
	d.wait(string(side)+" position of "+qty, func() bool {
		positions, _, err := d.tree.Positions(d.t.Context(), venues.ReadAccount{Command: venues.Command{Customer: "c1"}, Exchange: d.exchange})
		return err == nil && len(positions) == 1 && positions[0].Side == side && positions[0].Qty.Equal(venues.MustDecimal(qty))
	})
}

// bid adds an order of another account to the book.
func (s *simulator) bid(t *testing.T, qty, price string) {
	t.Helper()
	other, err := s.control.CreateAccount(simcore.AccountBody{})
	if err != nil {
		t.Fatal(err)
	}
	account, err := s.connector.OpenAccount(venues.Credentials{
		APIKey: venues.Secret(other.APIKey), APISecret: venues.Secret(other.APISecret), Passphrase: venues.Secret(other.Passphrase),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := account.Place(t.Context(), venues.OrderRequest{
		OrderSpec: spec(venues.Buy, venues.TypeLimit, qty, price), ClientOrderID: "other1", Deadline: time.Now().Add(testTimeout),
	}); err != nil {
		t.Fatal(err)
	}
}
