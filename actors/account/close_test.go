package account_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"venuegate/actors/actortest"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

// TestRepeatOfACloseIsADuplicate: the repeat is recognized although the position is closed.
func TestRepeatOfACloseIsADuplicate(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory(), newVenue(), "account")
		h.venue.setPositions(venues.Position{Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("2")})
		time.Sleep(2 * time.Second)
		again := venues.ClosePosition{Symbol: "BTCUSDT", RequestID: "close", BodyHash: []byte("body")}
		first, err := h.client.Close(context.Background(), again)
		if err != nil || !first.Qty.Equal(venues.MustDecimal("2")) || first.Side != venues.Sell || !first.ReduceOnly {
			t.Fatalf("Close = %+v, %v, want a reduce-only sell order of 2", first, err)
		}
		h.venue.setPositions()
		time.Sleep(2 * time.Second)
		if _, err := h.client.Close(context.Background(), again); venues.CodeOf(err) != venues.CodeDuplicateRequest {
			t.Fatalf("error of the repeat = %v, want %s", err, venues.CodeDuplicateRequest)
		}
	})
}

// The execution that opened a position may arrive later than the request to close it.
func TestCloseReadsThePositionsBeforeItFindsNone(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory(), newVenue(), "account")
		if open, err := h.client.Positions(context.Background()); err != nil || len(open) > 0 {
			t.Fatalf("Positions = %v, %v, want none", open, err)
		}
		h.venue.setPositions(venues.Position{Symbol: "BTCUSDT", Side: venues.Long, Qty: venues.MustDecimal("2")})
		if order, err := h.client.Close(context.Background(), venues.ClosePosition{Symbol: "BTCUSDT"}); err != nil || !order.Qty.Equal(venues.MustDecimal("2")) {
			t.Fatalf("Close = %+v, %v, want an order of 2", order, err)
		}
		h.venue.setPositions()
		time.Sleep(2 * time.Second)
		if _, err := h.client.Close(context.Background(), venues.ClosePosition{Symbol: "BTCUSDT"}); err == nil {
			t.Fatal("a close without a position was accepted, want an error")
		}
	})
}

func TestCloseInHedgeModeDoesNotGuessTheSide(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory(), newVenue(), "account")
		two := venues.MustDecimal("2")
		h.venue.setPositions(venues.Position{Symbol: "BTCUSDT", Side: venues.Long, Qty: two}, venues.Position{Symbol: "BTCUSDT", Side: venues.Short, Qty: two})
		time.Sleep(2 * time.Second)
		_, err := h.client.Close(context.Background(), venues.ClosePosition{Symbol: "BTCUSDT"})
		e, _ := errors.AsType[*venues.Error](err)
		if e == nil || e.Code != venues.CodeOrderRejected || e.Details["reason"] != "two_positions" || h.venue.placed != 0 {
			t.Fatalf("Close = %v with %d orders placed, want %s with reason two_positions and none", err, h.venue.placed, venues.CodeOrderRejected)
		}
	})
}

// TestCloseOfAnUnknownSymbol: the close is rejected like every other order for the
// symbol.
func TestCloseOfAnUnknownSymbol(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		h := open(kit, storetest.NewMemory(), newVenue(), "account")
		time.Sleep(2 * time.Second)
		_, err := h.client.Close(context.Background(), venues.ClosePosition{Symbol: "NOPEUSDT"})
		if e, _ := errors.AsType[*venues.Error](err); e == nil || e.Code != venues.CodeSymbolNotTradable || e.Details["symbol"] != "NOPEUSDT" {
			t.Fatalf("Close = %v, want %s for NOPEUSDT", err, venues.CodeSymbolNotTradable)
		}
	})
}

// TestCloseFailsWithoutThePositions: the venue does not return its positions, so nothing
// was placed, and the outcome is known.
func TestCloseFailsWithoutThePositions(t *testing.T) {
	actortest.Run(t, func(kit *actortest.Kit) {
		venue := &slowVenue{ledgerVenue: newVenue()}
		h := open(kit, storetest.NewMemory(), venue, "account")
		kit.Advance(time.Minute)
		venue.slow.Store(true)
		within := func(call func(ctx context.Context) error) error {
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			defer cancel()
			return call(ctx)
		}
		reads := func(ctx context.Context) error { _, err := h.client.Positions(ctx); return err }
		if err := within(reads); venues.CodeOf(err) != venues.CodeExchangeUnavailable {
			t.Errorf("Positions = %v, want %s", err, venues.CodeExchangeUnavailable)
		}
		closes := func(ctx context.Context) error {
			_, err := h.client.Close(ctx, venues.ClosePosition{Symbol: "BTCUSDT", RequestID: "c1"})
			return err
		}
		if err := within(closes); venues.CodeOf(err) != venues.CodeExchangeUnavailable {
			t.Errorf("Close = %v, want %s", err, venues.CodeExchangeUnavailable)
		}
	})
}
