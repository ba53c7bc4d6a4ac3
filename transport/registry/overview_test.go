package registry_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/transport/registry"
	"venuegate/venues"
)

func balance(currency, equity string) venues.Balance {
	return venues.Balance{
		Currency: currency, Equity: venues.MustDecimal(equity), Available: venues.MustDecimal("1"), UnrealizedPnl: venues.MustDecimal("-0.1"),
	}
}

// newOverview returns an installation whose customer alice has accounts at binance and okx.
func newOverview(t *testing.T) *installation {
	t.Helper()
	in := newInstallation(t)
	account := persistence.VenueAccount{Customer: in.alice, Exchange: venues.OKX, Sealed: []byte("x"), CreatedAt: venues.At(time.Now())}
	account.Limits.DailyLoss = venues.Some(venues.MustDecimal("500"))
	if err := in.service.Put(t.Context(), account); err != nil {
		t.Fatal(err)
	}
	in.service.Held = map[venues.Venue][]venues.Balance{
		venues.Binance: {balance("USDT", "0.1"), balance("USDC", "5")}, venues.OKX: {balance("USDT", "0.2")},
	}
	stop := venues.Some(venues.MustDecimal("1"))
	in.service.Open = map[venues.Venue][]venues.Position{
		venues.Binance: {{Exchange: venues.Binance, Symbol: "BTCUSDT", Side: venues.Long, StopLoss: stop}},
		venues.OKX:     {{Exchange: venues.OKX, Symbol: "ETHUSDT", Side: venues.Short}},
	}
	in.service.Orders = venues.OpenOrdersReport{Open: 600, Unknown: 1, Oldest: []venues.UnknownOrder{{OrderID: "ord_1", Exchange: venues.OKX}}}
	return in
}

func (in *installation) overview(t *testing.T) registry.Overview {
	t.Helper()
	return made(in.For(in.alice, registry.Author{}).Overviews.Get(t.Context(), ""))
}

func TestOverviewAddsUpByCurrency(t *testing.T) {
	in := newOverview(t)
	got := in.overview(t)
	want := []registry.OverviewSum{{"USDC", "5", "1", "-0.1"}, {"USDT", "0.3", "2", "-0.2"}}
	if !reflect.DeepEqual(got.Sums, want) || len(got.Without) != 0 {
		t.Errorf("sums = %+v without %v, want %+v", got.Sums, got.Without, want)
	}
	if got.Today.Realized != "-21" || got.Today.Fees != "1" || got.Today.Loss != nil || *got.Today.Limit != "500" {
		t.Errorf("today = %+v, want -21 realized, 1 of fees, and no loss because it is not known", got.Today)
	}
	if c := got.Counts; c.OpenOrders != 1200 || c.Unknown != 2 || len(got.Unknown) != 2 || c.Positions != 2 || c.Unprotected != 1 {
		t.Errorf("counts = %+v, want 1200 orders, 2 unknown, 2 positions, one of them unprotected", c)
	}
	if got.Positions[0].Symbol != "ETHUSDT" || got.Positions[0].StopLoss != nil {
		t.Errorf("first position = %+v, want the unprotected one", got.Positions[0])
	}
	if v := got.Venues[0]; !v.Connected || v.Account == nil || v.Account.ID != in.account || len(v.Account.Balances) != 2 || !v.Account.AsOf.IsZero() {
		t.Errorf("venue = %+v, want the account at binance", v)
	}
}

// A venue that does not answer keeps its figures, and no sum includes them.
func TestOverviewOfASilentVenue(t *testing.T) {
	in := newOverview(t)
	before := time.Now().Add(-time.Millisecond)
	in.overview(t)
	in.service.Silent = map[venues.Venue]error{venues.OKX: errors.New("timeout"), venues.Binance: venues.Errorf(venues.CodeExchangeUnavailable, "binance is down")}
	got := in.overview(t)
	if len(got.Sums) != 0 || fmt.Sprint(got.Without) != "[binance okx]" || fmt.Sprint(got.Today.Without) != "[binance okx]" || got.Today.Realized != "0" {
		t.Errorf("sums = %+v without %v, today %+v, want nothing without binance and okx", got.Sums, got.Without, got.Today)
	}
	account := got.Venues[0].Account
	if account.Error == nil || account.Error.Message != "binance is down" || account.AsOf.Before(before) || len(account.Balances) != 2 || account.Balances[0].Equity != "0.1" {
		t.Errorf("account = %+v, want its last figures", account)
	}
	if len(got.Positions) != 2 || !got.Positions[0].Stale || got.Counts.OpenOrders != 1200 {
		t.Errorf("positions = %+v, %d open orders, want the last positions and the orders of now", got.Positions, got.Counts.OpenOrders)
	}
	// Another account at the venue does not have the figures of the one before.
	record := made(in.store.VenueAccounts(t.Context(), in.alice))[0]
	record.CreatedAt = venues.At(record.CreatedAt.Add(time.Minute))
	if err := in.service.Put(t.Context(), record); err != nil {
		t.Fatal(err)
	}
	if account := in.overview(t).Venues[0].Account; account.Balances != nil || account.Day != nil || !account.AsOf.IsZero() {
		t.Errorf("account that was connected again = %+v, want no figures", account)
	}
}

func TestOverviewNamesWhatNeedsSomebody(t *testing.T) {
	in := newOverview(t)
	ctx, now := t.Context(), time.Now()
	for i, status := range []persistence.SignalStatus{persistence.SignalDone, persistence.SignalRejected, persistence.SignalExpired, persistence.SignalRejected} {
		s := storetest.NewSignal(in.alice, 2+i)
		s.ChannelID, s.Status, s.ReceivedAt = in.hook, status, venues.At(now.Add(time.Duration(i)*time.Second))
		s.Error = &venues.RejectReason{Code: venues.CodeRiskRejected, Reason: fmt.Sprint("rule ", i)}
		if err := in.service.Put(ctx, s); err != nil {
			t.Fatal(err)
		}
	}
	soon, later := in.newKey(), in.newKey()
	soon.Name, soon.ExpiresAt, later.ExpiresAt = "soon", venues.At(now.Add(6*24*time.Hour)), venues.At(now.Add(8*24*time.Hour))
	made(in.Keys.Create(ctx, soon))
	made(in.Keys.Create(ctx, later))
	got := in.overview(t)
	if len(got.Keys) != 1 || got.Keys[0].Name != "soon" {
		t.Errorf("keys = %+v, want the one that ends within 7 days", got.Keys)
	}
	if len(got.Channels) != 1 || got.Channels[0].Refused != 3 || got.Channels[0].Reason != "rule 3" {
		t.Errorf("channels = %+v, want one with 3 refused signals, the last by rule 3", got.Channels)
	}
	if len(got.Endpoints) != 1 || got.Endpoints[0].Undelivered != 1 || !got.Endpoints[0].Complete || got.Endpoints[0].OldestAt.IsZero() {
		t.Errorf("endpoints = %+v, want one with an undelivered event", got.Endpoints)
	}
	if got.Steps != (registry.OverviewSteps{Venue: true, Channel: true, Signal: true, Endpoint: true}) || len(got.LastSignals) != 5 {
		t.Errorf("steps = %+v with %d signals, want all done and 5", got.Steps, len(got.LastSignals))
	}
	if other := made(in.For(in.bob, registry.Author{}).Overviews.Get(ctx, "")); other.Steps != (registry.OverviewSteps{}) || strings.Contains(fmt.Sprint(other), in.alice) {
		t.Errorf("overview of the other customer = %+v, want an empty one", other)
	}
}

// A channel that has received signals before and none for a week is silent.
func TestOverviewNamesSilentChannels(t *testing.T) {
	in := newInstallation(t)
	s := storetest.NewSignal(in.alice, 1)
	s.ChannelID, s.ReceivedAt = in.hook, venues.At(time.Now().Add(-8*24*time.Hour).Truncate(time.Millisecond))
	if err := in.service.Put(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	got := in.overview(t).Channels
	if len(got) != 1 || !got[0].SilentSince.Equal(s.ReceivedAt.Time) || got[0].Refused != 0 {
		t.Errorf("channels = %+v, want %s silent since %s", got, in.hook, s.ReceivedAt)
	}
}
