package rejection_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/rejection"
	"venuegate/venues/internal/restclient"
)

func TestErrHasTheVenuesMessage(t *testing.T) {
	table := rejection.NewTable([]rejection.Class{
		{Code: venues.CodeOrderRejected, Reason: venues.ReasonNoPosition, Text: "nothing to reduce", VenueCodes: []int{-7, 8}},
		{Code: venues.CodeMaintenance, VenueCodes: []int{9}},
	})
	e := table[8].Err(8, "no\n"+strings.Repeat("x", 1000))
	if e.Code != venues.CodeOrderRejected || e.Message != "nothing to reduce" || e.VenueCode != "8" || e.Details["reason"] != venues.ReasonNoPosition ||
		!strings.HasPrefix(e.VenueMessage, "no?") || len(e.VenueMessage) > payload.TextBytesMax {
		t.Errorf("error = %+v, want order_rejected for the code 8 with the bounded message", e)
	}
	if e := table[9].Err(0, ""); e.Message != "rejected by the venue" || e.VenueCode != "" || e.Details != nil || e.RetryAfter != restclient.MaintenanceRetry {
		t.Errorf("error = %+v, want the default text and RetryAfter %v", e, restclient.MaintenanceRetry)
	}
	if _, listed := table[7]; listed || len(table) != 3 {
		t.Errorf("table %v, want 3 codes", table)
	}
}

func TestIsMatchesDefiniteRejections(t *testing.T) {
	no := error(rejection.RateLimited().Err(7, ""))
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"nil": {nil, false}, "another": {io.EOF, false}, "listed code": {no, true}, "wrapped": {fmt.Errorf("place: %w", no), true},
		"not sent": {restclient.NotSent(no), false}, "unknown": {restclient.OutcomeUnknown(no), false}, "no code": {rejection.StatusClass(502).Err(0, ""), false},
	} {
		if got := rejection.Is(c.err, 6, 7); got != c.want {
			t.Errorf("%s: Is = %v, want %v", name, got, c.want)
		}
	}
	if rejection.Is(no, 6) || rejection.CodeOf(no) != 7 || rejection.CodeOf(io.EOF) != 0 {
		t.Errorf("CodeOf = %d and %d, want the code and 0", rejection.CodeOf(no), rejection.CodeOf(io.EOF))
	}
}

func details(err error) string {
	e, ok := errors.AsType[*venues.Error](err)
	if !ok {
		return err.Error()
	}
	return fmt.Sprint(e.Code, " ", e.Details)
}

func TestRejectionDetails(t *testing.T) {
	no := error(rejection.Class{Code: venues.CodeInsufficientBalance}.Err(7, "no"))
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
		"insufficient_balance map[available:2 required:1.5]":             rejection.WithMargin(no, amount(rejection.Available(balances, "USDT").String()), amount("1.50")),
		"insufficient_balance map[available:0]":                          rejection.WithMargin(no, amount(rejection.Available(balances, "USDC").String()), amount("unreadable")),
		"insufficient_balance map[reason:exceeds_position]":              rejection.WithReduction(no, order("BTCUSDT", venues.Sell), long),
		"insufficient_balance map[]":                                     rejection.WithReduction(no, order("BTCUSDT", venues.Buy), long),
		"leverage_change_rejected map[maxLeverage:100 reason:above_max]": rejection.WithLeverage(no, venues.ReasonAboveMax, venues.Some(decimal.NewFromInt(100))),
		"leverage_change_rejected map[]":                                 rejection.WithLeverage(no, "", venues.Optional{}),
	} {
		if details(got) != want {
			t.Errorf("details = %s, want %s", details(got), want)
		}
	}
	if changed := details(rejection.WithReduction(no, order("ETHUSDT", venues.Sell), long)); changed != "insufficient_balance map[]" {
		t.Errorf("an error that is no rejection became %v, want insufficient_balance map[]", changed)
	}
	if unknown := restclient.OutcomeUnknown(no); !errors.Is(rejection.WithLeverage(unknown, "x", venues.Optional{}), unknown) {
		t.Error("an error with an unknown outcome became a rejection")
	}
	if changed := details(no); changed != "insufficient_balance map[]" {
		t.Errorf("the original rejection became %s, want insufficient_balance map[]", changed)
	}
}
