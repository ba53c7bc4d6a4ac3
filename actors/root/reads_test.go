package root_test

import (
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues"
	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
)

func (d *harness) mustRead() (venues.Position, venues.Balance) {
	d.t.Helper()
	list, err := d.positions()
	if err != nil || len(list) != 1 {
		d.t.Fatalf("positions = %+v, %v, want one", list, err)
	}
	balance, err := d.usdt()
	if err != nil {
		d.t.Fatal(err)
	}
	return list[0], balance
}

// What the answer to an order says is in the positions and the account that are read next.
func TestReadsIncludeWhatWasAnswered(t *testing.T) {
	inMemory(t, func(t *testing.T, d *harness, _ simulator) {
		filled := func(requestID string, side venues.Side, qty string) {
			t.Helper()
			o, err := d.place(requestID, spec(side, venues.TypeMarket, qty, ""))
			if err != nil || o.Status != venues.StatusFilled {
				t.Fatalf("order is %s, %v, want filled", o.Status, err)
			}
		}
		filled("r1", venues.Buy, "0.05")
		p, first := d.mustRead()
		if got := venues.FormatDecimal(p.Qty); got != "0.05" || p.Side != venues.Long || !p.EntryPrice.Valid || !p.UnrealizedPnl.Valid {
			t.Errorf("position %+v, want 0.05 long with entry price and P&L", p)
		}
		if !first.UsedMargin.IsPositive() {
			t.Errorf("used margin %s, want it to include the position", first.UsedMargin)
		}
		filled("r2", venues.Buy, "0.03")
		p, second := d.mustRead()
		if got := venues.FormatDecimal(p.Qty); got != "0.08" || !second.UsedMargin.GreaterThan(first.UsedMargin) {
			t.Errorf("position %s with margin %s, want 0.08 with more than %s", got, second.UsedMargin, first.UsedMargin)
		}
		if _, err := d.place("r3", spec(venues.Buy, venues.TypeLimit, "0.1", "60000")); err != nil {
			t.Fatal(err)
		}
		if _, third := d.mustRead(); !third.UsedMargin.GreaterThan(second.UsedMargin) {
			t.Errorf("used margin %s with an open order, want more than %s", third.UsedMargin, second.UsedMargin)
		}
		filled("r4", venues.Sell, "0.08")
		if list, err := d.positions(); err != nil || len(list) != 0 {
			t.Errorf("positions = %+v, %v, want none", list, err)
		}
	})
}

// Unrealized P&L follows the mark price, although nothing is read from the venue for it.
func TestReadsFollowTheMarkPrice(t *testing.T) {
	inMemory(t, func(t *testing.T, d *harness, s simulator) {
		d.becomes(venues.StatusFilled, "r1", spec(venues.Sell, venues.TypeMarket, "0.05", ""))
		time.Sleep(5 * time.Second) // everything is read
		p, before := d.mustRead()
		mark := simcore.Decimal{Decimal: p.MarkPrice.Decimal.Sub(venues.MustDecimal("1000"))}
		if _, err := s.control.Market(simcore.MarketRequest{Symbol: "BTCUSDT", Mark: &mark}); err != nil {
			t.Fatal(err)
		}
		moved, after := d.mustRead()
		if gain := moved.UnrealizedPnl.Decimal.Sub(p.UnrealizedPnl.Decimal); venues.FormatDecimal(gain) != "50" {
			t.Errorf("the position gained %s, want 50", gain)
		}
		if gain, equity := after.UnrealizedPnl.Sub(before.UnrealizedPnl), after.Equity.Sub(before.Equity); venues.FormatDecimal(gain) != "50" || venues.FormatDecimal(equity) != "50" {
			t.Errorf("the account gained %s and its equity %s, want 50 and 50", gain, equity)
		}
	})
}

// Once the venue cannot be reached, reads are answered with the error for that.
func TestReadsFailWithoutTheVenue(t *testing.T) {
	inMemory(t, func(t *testing.T, d *harness, s simulator) {
		d.becomes(venues.StatusFilled, "r1", spec(venues.Buy, venues.TypeMarket, "0.05", ""))
		d.mustRead()
		if _, err := s.control.AddFault(simcore.FaultRequest{Do: simcore.FaultDropConnection}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		if _, err := d.positions(); venues.CodeOf(err) != venues.CodeExchangeUnavailable {
			t.Errorf("positions: %v, want %s", err, venues.CodeExchangeUnavailable)
		}
		if _, err := d.usdt(); venues.CodeOf(err) != venues.CodeExchangeUnavailable {
			t.Errorf("account: %v, want %s", err, venues.CodeExchangeUnavailable)
		}
	})
}

// An order that takes liquidity is answered soon with its fill, although the private stream
// reports nothing and the venue's clock is ahead: the fills are read.
func TestFillsAreReadWithoutTheStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := venueInMemory(t, venues.Binance, func(o *simnet.Setup) { o.ClockOffset = 700 * time.Millisecond })
		d := openOver(t, venues.Binance, s.connector, s)
		d.rests("first")
		if _, err := s.control.AddFault(simcore.FaultRequest{Do: simcore.FaultStalled, Match: simcore.FaultMatch{Path: "/private"}}); err != nil {
			t.Fatal(err)
		}
		order := spec(venues.Buy, venues.TypeLimit, "0.05", "65500")
		order.TimeInForce = venues.ImmediateOrCancel
		began := time.Now()
		if o, err := d.place("r1", order); err != nil || o.Status != venues.StatusFilled || time.Since(began) > answerMax {
			t.Errorf("order is %s after %s, %v, want filled within %s", o.Status, time.Since(began), err, answerMax)
		}
	})
}

// A post-only order is answered as soon as the private stream has reported that it rests or
// not, before the time after which it counts as resting.
func TestPostOnlyIsAnsweredWithoutAFixedWait(t *testing.T) {
	const decision = 50 * time.Millisecond
	inMemory(t, func(t *testing.T, d *harness, _ simulator) {
		d.rests("first")
		for requestID, c := range map[string]struct {
			price string
			want  venues.OrderStatus
		}{"rests": {"60000", venues.StatusOpen}, "takes": {"65500", venues.StatusCancelled}} {
			order := spec(venues.Buy, venues.TypeLimit, "0.05", c.price)
			order.PostOnly = true
			began := time.Now()
			if o, err := d.place(requestID, order); err != nil || o.Status != c.want || time.Since(began) > decision/2 {
				t.Errorf("%s: order is %s after %s, %v, want %s within %s", requestID, o.Status, time.Since(began), err, c.want, decision/2)
			}
		}
	})
}
