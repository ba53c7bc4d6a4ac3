package root

import (
	"context"
	"errors"
	"testing"
	"time"

	"venuegate/actors/account"
	"venuegate/actors/actortest"
	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

// bareMarket has no instruments yet.
type bareMarket struct{ Market }

func (bareMarket) Instruments() *venues.InstrumentSet { return nil }

func TestTradingWithoutInstrumentsIsMaintenance(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		store := storetest.NewMemory()
		d := newDirectory(store, map[venues.Venue]Market{venues.Binance: bareMarket{}})
		config := account.Config{Customer: "c1", Exchange: venues.Binance}
		d.addAccount("c1", venues.Binance, account.NewClient(kit.System.Ref("nobody"), config, store, accountMarket{bareMarket{}}))
		_, err := d.Place(context.Background(), venues.PlaceOrder{Command: venues.Command{Customer: "c1"}, Exchange: venues.Binance})
		if venues.CodeOf(err) != venues.CodeMaintenance {
			t.Fatalf("%v, want code CodeMaintenance", err)
		}
		if _, err := d.Place(context.Background(), venues.PlaceOrder{Command: venues.Command{Customer: "c2"}, Exchange: venues.Binance}); venues.CodeOf(err) != venues.CodeNotFound {
			t.Fatalf("another customer: %v, want code CodeNotFound", err)
		}
	})
}

func TestOrdersOfAnAccountThatDoesNotAnswerAreReportedAsFailed(t *testing.T) {
	store := storetest.NewMemory()
	ctx := context.Background()
	fence, err := store.TakeOwnership(ctx, "c1")
	if err != nil {
		t.Fatal(err)
	}
	batch := persistence.Batch{Fence: fence}
	for id, status := range map[string]venues.OrderStatus{"open": venues.StatusOpen, "filled": venues.StatusFilled, "other": venues.StatusOpen} {
		o := persistence.OrderRecord{Customer: "c1", ClientOrderID: id, Order: venues.Order{
			OrderID: id, Exchange: venues.Bybit, Status: status, CreatedAt: venues.At(time.Now()),
			OrderSpec: venues.OrderSpec{Symbol: "BTCUSDT", Qty: venues.MustDecimal("1")},
		}}
		if id == "other" {
			o.Symbol = "ETHUSDT"
		}
		batch.Puts = append(batch.Puts, o)
	}
	if err := store.Commit(ctx, batch); err != nil {
		t.Fatal(err)
	}
	d := newDirectory(store, map[venues.Venue]Market{venues.Bybit: bareMarket{}})
	cmd := venues.CancelOrders{Command: venues.Command{Customer: "c1"}, Symbol: "BTCUSDT"}
	list, err := d.notCancelled(ctx, cmd, venues.Bybit, venues.Errorf(venues.CodeMaintenance, "starting"))
	if err != nil || len(list) != 1 || list[0].OrderID != "open" || list[0].Result != venues.CancelFailed || list[0].Error.Code != venues.CodeMaintenance {
		t.Fatalf("%+v, %v, want one, OrderID open, Result CancelFailed, Code CodeMaintenance", list, err)
	}
}

// A previous secret that is no longer valid is not unsealed.
func TestExpiredSecretIsNotUnsealed(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		tree := &Tree{Directory: newDirectory(storetest.NewMemory(), nil), deps: Deps{System: kit.System, UnsealSecret: func(sealed []byte, _ persistence.Key) (venues.Secret, error) {
			if string(sealed) == "broken" {
				return "", errors.New("no key opens it")
			}
			return venues.Secret(sealed), nil
		}}}
		record := persistence.Channel{
			ID: "hook_1", Customer: "c1", Kind: persistence.ChannelWebhook, Sealed: []byte("new"),
			Previous: []byte("old"), PreviousUntil: venues.At(time.Now().Add(time.Hour)),
		}
		if in, err := tree.inbound(record); err != nil || in.Secret.Reveal() != "new" || in.Previous.Reveal() != "old" {
			t.Errorf("channel during the overlap = %+v, error %v, want both secrets", in, err)
		}
		kit.Advance(time.Hour)
		record.Previous = []byte("broken")
		if in, err := tree.inbound(record); err != nil || in.Secret.Reveal() != "new" || in.Previous != "" {
			t.Errorf("channel after the overlap = %+v, error %v, want the new secret only", in, err)
		}
	})
}
