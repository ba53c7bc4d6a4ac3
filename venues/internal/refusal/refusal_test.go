package refusal_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/refusal"
	"venuegate/venues/internal/restclient"
)

func TestFaultsRepeatWhatTheVenueSaid(t *testing.T) {
	table := refusal.NewTable([]refusal.Verdict{
		{Code: venues.CodeOrderRejected, Reason: venues.ReasonNoPosition, Text: "nothing to reduce", Of: []int{-7, 8}},
		{Code: venues.CodeMaintenance, Of: []int{9}},
	})
	e := table[8].Fault(8, "no\n"+strings.Repeat("x", 1000))
	if e.Code != venues.CodeOrderRejected || e.Message != "nothing to reduce" || e.VenueCode != "8" || e.Details["reason"] != venues.ReasonNoPosition ||
		!strings.HasPrefix(e.VenueMessage, "no?") || len(e.VenueMessage) > payload.TextBytesMax {
		t.Errorf("%+v", e)
	}
	if e := table[9].Fault(0, ""); e.Message != "refused by the venue" || e.VenueCode != "" || e.Details != nil || e.RetryAfter != restclient.MaintenanceRetry {
		t.Errorf("%+v", e)
	}
	if _, listed := table[7]; listed || len(table) != 3 {
		t.Errorf("%v", table)
	}
}

func TestIsADefiniteNo(t *testing.T) {
	no := error(refusal.Limited().Fault(7, ""))
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"nil": {nil, false}, "another": {io.EOF, false}, "it": {no, true}, "wrapped": {fmt.Errorf("place: %w", no), true},
		"not sent": {restclient.NotSent(no), false}, "unknown": {restclient.OutcomeUnknown(no), false}, "no code": {refusal.Status(502).Fault(0, ""), false},
	} {
		if got := refusal.Is(c.err, 6, 7); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if refusal.Is(no, 6) || refusal.CodeOf(no) != 7 || refusal.CodeOf(io.EOF) != 0 {
		t.Errorf("%d, %d", refusal.CodeOf(no), refusal.CodeOf(io.EOF))
	}
}

func details(err error) string {
	e, ok := errors.AsType[*venues.Error](err)
	if !ok {
		return err.Error()
	}
	return fmt.Sprint(e.Code, " ", e.Details)
}

func TestWhatARefusalIsToldWith(t *testing.T) {
	no := error(refusal.Verdict{Code: venues.CodeInsufficientBalance}.Fault(7, "no"))
	amount := func(text string) func() (decimal.Decimal, error) {
		return func() (decimal.Decimal, error) { return decimal.NewFromString(text) }
	}
	balances := []venues.Balance{{Currency: "BTC", Available: decimal.NewFromInt(1)}, {Currency: "USDT", Available: decimal.NewFromInt(2)}}
	long := []venues.Position{{Symbol: "BTCUSDT", Side: venues.Long}}
	order := func(symbol string, side venues.Side) *venues.OrderRequest {
		r := &venues.OrderRequest{}
		r.Symbol, r.Side = symbol, side
		return r
	}
	for want, got := range map[string]error{
		"insufficient_balance map[available:2 required:1.5]":             refusal.WithMargin(no, amount(refusal.Available(balances, "USDT").String()), amount("1.50")),
		"insufficient_balance map[available:0]":                          refusal.WithMargin(no, amount(refusal.Available(balances, "USDC").String()), amount("unreadable")),
		"insufficient_balance map[reason:exceeds_position]":              refusal.WithReduction(no, order("BTCUSDT", venues.Sell), long),
		"insufficient_balance map[]":                                     refusal.WithReduction(no, order("BTCUSDT", venues.Buy), long),
		"leverage_change_rejected map[maxLeverage:100 reason:above_max]": refusal.WithLeverage(no, venues.ReasonAboveMax, venues.Some(decimal.NewFromInt(100))),
		"leverage_change_rejected map[]":                                 refusal.WithLeverage(no, "", venues.Optional{}),
	} {
		if details(got) != want {
			t.Errorf("%s, want %s", details(got), want)
		}
	}
	if told := details(refusal.WithReduction(no, order("ETHUSDT", venues.Sell), long)); told != "insufficient_balance map[]" {
		t.Error(told)
	}
	if unknown := restclient.OutcomeUnknown(no); !errors.Is(refusal.WithLeverage(unknown, "x", venues.Optional{}), unknown) {
		t.Error("what may have been executed was refused")
	}
	if told := details(no); told != "insufficient_balance map[]" {
		t.Errorf("the refusal itself was changed: %s", told)
	}
}
