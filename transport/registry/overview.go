package registry

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/venues"
)

const (
	// overviewRowsMax bounds the positions, the orders of unknown outcome and the undelivered
	// events of an overview. Their numbers are complete.
	overviewRowsMax = 100
	// overviewSignals is the number of signals of an overview.
	overviewSignals = 8
)

// OverviewService reads the accounts that run.
type OverviewService interface {
	Balances(ctx context.Context, q venues.ReadAccount) ([]venues.Balance, []venues.VenueFailure, error)
	Positions(ctx context.Context, q venues.ReadAccount) ([]venues.Position, []venues.VenueFailure, error)
	// OpenReport returns the number of open orders, and the unknown ones.
	OpenReport(ctx context.Context, customer string, exchange venues.Venue) (venues.OpenOrdersReport, error)
}

// OverviewStore reads what belongs to the accounts of a customer.
type OverviewStore interface {
	KeyStore
	HookStore
	EndpointStore
	Deliveries(ctx context.Context, q persistence.DeliveryQuery) (persistence.Page[persistence.Delivery], error)
}

// Overviews reads the state of a customer as a whole.
type Overviews struct {
	scope
	store    OverviewStore
	accounts *Accounts
	service  OverviewService
	// last are the figures of the accounts that do not answer.
	last *lastFigures
	// venues returns the state of each venue.
	venues func() []api.VenueState
}

// Overview is the state of a customer. Sums are exact; nothing is converted.
type Overview struct {
	// Sums are those of the balances, by currency, without the accounts in Without.
	Sums  []OverviewSum `json:"sums"`
	Today OverviewToday `json:"today"`
	// Without are the connected venues that did not answer.
	Without []venues.Venue  `json:"without"`
	Venues  []OverviewVenue `json:"venues"`
	// Positions begin with those without a stop loss.
	Positions   []OverviewPosition `json:"positions"`
	Counts      OverviewCounts     `json:"counts"`
	Unknown     []OverviewUnknown  `json:"unknown"`
	Endpoints   []OverviewEndpoint `json:"endpoints"`
	Channels    []OverviewChannel  `json:"channels"`
	Keys        []OverviewKey      `json:"keys"`
	LastSignals []Signal           `json:"lastSignals"`
	Steps       OverviewSteps      `json:"steps"`
}

// OverviewSum adds up the balances in one currency.
type OverviewSum struct {
	Currency      string `json:"currency"`
	Equity        string `json:"equity"`
	Available     string `json:"available"`
	UnrealizedPnl string `json:"unrealizedPnl"`
}

// OverviewToday adds up the loss since 00:00 UTC and its parts, in settlement currencies, which
// count one to one as they do for the limits.
type OverviewToday struct {
	Realized string `json:"realized"`
	Fees     string `json:"fees"`
	// Loss and Limit are those of the accounts with a daily loss limit; null without one. Loss
	// is also null if that of an account is not known.
	Loss  *string `json:"loss"`
	Limit *string `json:"limit"`
	// Without are the connected venues whose day is not known.
	Without []venues.Venue `json:"without"`
}

// OverviewCounts are numbers of all records, of which the lists may have fewer.
type OverviewCounts struct {
	OpenOrders  int `json:"openOrders"`
	Unknown     int `json:"unknown"`
	Positions   int `json:"positions"`
	Unprotected int `json:"unprotected"`
	// OrdersWithout are the connected venues whose orders are not known.
	OrdersWithout []venues.Venue `json:"ordersWithout"`
}

// OverviewPosition is an open position.
type OverviewPosition struct {
	Exchange      venues.Venue        `json:"exchange"`
	Symbol        string              `json:"symbol"`
	Side          venues.PositionSide `json:"side"`
	Qty           string              `json:"qty"`
	EntryPrice    *string             `json:"entryPrice"`
	MarkPrice     *string             `json:"markPrice"`
	UnrealizedPnl *string             `json:"unrealizedPnl"`
	StopLoss      *string             `json:"stopLoss"`
	// Stale means that its account does not answer: this is what it last had.
	Stale bool `json:"stale"`
}

// OverviewUnknown is an order whose outcome is unknown since a time.
type OverviewUnknown struct {
	OrderID  string       `json:"orderId"`
	Exchange venues.Venue `json:"exchange"`
	Symbol   string       `json:"symbol"`
	Side     venues.Side  `json:"side"`
	Qty      string       `json:"qty"`
	Since    venues.Time  `json:"since"`
}

// OverviewSteps are the first steps of a new customer, set if they are done.
type OverviewSteps struct {
	Venue    bool `json:"venue"`
	Channel  bool `json:"channel"`
	Signal   bool `json:"signal"`
	Endpoint bool `json:"endpoint"`
}

// Get returns the overview of a customer, which in the view of a customer need not be named.
func (o *Overviews) Get(ctx context.Context, customer string) (Overview, error) {
	customer, err := o.resolve(customer)
	if err != nil {
		return Overview{}, err
	}
	if customer == "" {
		return Overview{}, api.FieldError("customer", api.RuleMissing, "", "the id of a customer")
	}
	if err := o.check(ctx, customer); err != nil {
		return Overview{}, err
	}
	accounts, err := o.accounts.List(ctx, customer)
	if err != nil {
		return Overview{}, err
	}
	figures := o.readAccounts(ctx, accounts)
	all := Overview{
		Sums: sumsOf(figures), Today: todayOf(figures), Without: namesOf(figures, func(f *accountFigures) bool { return f.err != nil }),
		Venues: venuesOf(o.venues(), figures),
	}
	all.Positions, all.Counts.Positions, all.Counts.Unprotected = positionsOf(figures)
	all.addOrders(figures)
	all.Steps.Venue = len(accounts) > 0
	for _, add := range []func(context.Context, string, time.Time, *Overview) error{o.addEndpoints, o.addChannels, o.addKeys, o.addSignals} {
		if err := add(ctx, customer, time.Now(), &all); err != nil {
			return Overview{}, fmt.Errorf("read the overview of %s: %w", customer, err)
		}
	}
	return all, nil
}

// sumsOf adds up the balances of the accounts that answered.
func sumsOf(figures []accountFigures) []OverviewSum {
	type total struct{ equity, available, unrealized decimal.Decimal }
	totals := map[string]total{}
	for i := range figures {
		if figures[i].err != nil {
			continue
		}
		for _, b := range figures[i].balances {
			t := totals[b.Currency]
			totals[b.Currency] = total{t.equity.Add(b.Equity), t.available.Add(b.Available), t.unrealized.Add(b.UnrealizedPnl)}
		}
	}
	sums := []OverviewSum{}
	for currency, t := range sorted(totals) {
		sums = append(sums, OverviewSum{currency, venues.FormatDecimal(t.equity), venues.FormatDecimal(t.available), venues.FormatDecimal(t.unrealized)})
	}
	return sums
}

// todayOf adds up the days of the accounts that reported theirs.
func todayOf(figures []accountFigures) OverviewToday {
	today := OverviewToday{Without: namesOf(figures, func(f *accountFigures) bool { return f.risk == nil || f.err != nil })}
	var realized, fees, limits decimal.Decimal
	loss, limited := venues.Some(decimal.Zero), false
	for i := range figures {
		f := &figures[i]
		if f.risk == nil || f.err != nil {
			continue
		}
		realized, fees = realized.Add(f.risk.Realized), fees.Add(f.risk.Fees)
		if f.limit.Valid {
			limited, limits = true, limits.Add(f.limit.Decimal)
			loss.Decimal, loss.Valid = loss.Decimal.Add(f.risk.Loss.Decimal), loss.Valid && f.risk.Loss.Valid
		}
	}
	today.Realized, today.Fees = venues.FormatDecimal(realized), venues.FormatDecimal(fees)
	if limited {
		today.Loss, today.Limit = formatOptional(loss), formatOptional(venues.Some(limits))
	}
	return today
}

// positionsOf returns the positions of the accounts, at most overviewRowsMax, with the numbers of
// all and of those without a stop loss.
func positionsOf(figures []accountFigures) (rows []OverviewPosition, all, unprotected int) {
	rows = []OverviewPosition{}
	for i := range figures {
		for _, p := range figures[i].positions {
			rows = append(rows, OverviewPosition{
				p.Exchange, p.Symbol, p.Side, venues.FormatDecimal(p.Qty), formatOptional(p.EntryPrice), formatOptional(p.MarkPrice),
				formatOptional(p.UnrealizedPnl), formatOptional(p.StopLoss), figures[i].err != nil,
			})
			if !p.StopLoss.Valid {
				unprotected++
			}
		}
	}
	isProtected := func(p OverviewPosition) bool { return p.StopLoss != nil }
	slices.SortStableFunc(rows, func(a, b OverviewPosition) int { return compareBool(isProtected(a), isProtected(b)) })
	return rows[:min(len(rows), overviewRowsMax)], len(rows), unprotected
}

// compareBool orders false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// addOrders adds the open orders of the accounts. They are known here, also while a venue does
// not answer.
func (o *Overview) addOrders(figures []accountFigures) {
	o.Unknown = []OverviewUnknown{}
	o.Counts.OrdersWithout = namesOf(figures, func(f *accountFigures) bool { return f.open == nil })
	for i := range figures {
		open := figures[i].open
		if open == nil {
			continue
		}
		o.Counts.OpenOrders += open.Open
		o.Counts.Unknown += open.Unknown
		for _, u := range open.Oldest {
			o.Unknown = append(o.Unknown, OverviewUnknown{u.OrderID, u.Exchange, u.Symbol, u.Side, venues.FormatDecimal(u.Qty), u.Since})
		}
	}
	slices.SortStableFunc(o.Unknown, func(a, b OverviewUnknown) int { return a.Since.Compare(b.Since.Time) })
	o.Unknown = o.Unknown[:min(len(o.Unknown), overviewRowsMax)]
}
