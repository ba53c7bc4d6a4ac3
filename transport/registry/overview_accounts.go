package registry

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"

	"venuegate/transport/api"
	"venuegate/venues"
)

const (
	// overviewWait bounds the reading of an account for an overview. One that takes longer does
	// not answer.
	overviewWait = 2 * time.Second
	// lastFiguresMax bounds the accounts whose figures are kept.
	lastFiguresMax = 4096
)

// OverviewVenue is a venue with the customer's account there.
type OverviewVenue struct {
	api.VenueState
	// Account is null if none is connected.
	Account *OverviewAccount `json:"account"`
}

// OverviewAccount is an account at a venue.
type OverviewAccount struct {
	ID     string `json:"id"`
	Halted bool   `json:"halted"`
	Lock   *Lock  `json:"lock"`
	// Balances and Day are null if they are not known.
	Balances []OverviewBalance   `json:"balances"`
	Day      *OverviewAccountDay `json:"day"`
	// AsOf is when the account last answered if it does not answer now, with Error as the reason.
	AsOf  venues.Time    `json:"asOf"`
	Error *OverviewError `json:"error"`
}

// OverviewError is why an account does not answer.
type OverviewError struct {
	Code    venues.Code `json:"code"`
	Message string      `json:"message"`
}

// OverviewBalance is the balance of an account in one currency.
type OverviewBalance struct {
	Currency      string `json:"currency"`
	Equity        string `json:"equity"`
	Available     string `json:"available"`
	UnrealizedPnl string `json:"unrealizedPnl"`
}

// OverviewAccountDay is the loss of an account since 00:00 UTC; a gain is negative. What is not
// known, or without a limit, is null.
type OverviewAccountDay struct {
	Realized  string  `json:"realized"`
	Fees      string  `json:"fees"`
	Loss      *string `json:"loss"`
	Limit     *string `json:"limit"`
	Remaining *string `json:"remaining"`
}

// accountFigures are what an account has answered.
type accountFigures struct {
	Account
	limit     venues.Optional
	balances  []venues.Balance
	positions []venues.Position
	risk      *venues.RiskReport
	open      *venues.OpenOrdersReport
	// asOf is the time of the answer, zero if there was none yet.
	asOf time.Time
	// err is why the account does not answer; the rest is what it has answered before.
	err *venues.Error
}

// readAccounts reads all accounts at the same time.
func (o *Overviews) readAccounts(ctx context.Context, accounts []Account) []accountFigures {
	figures := make([]accountFigures, len(accounts))
	var wait sync.WaitGroup
	for i := range accounts {
		wait.Go(func() { figures[i] = o.readAccount(ctx, accounts[i]) })
	}
	wait.Wait()
	return figures
}

// readAccount reads an account. One that does not answer has the figures that it last had.
func (o *Overviews) readAccount(ctx context.Context, account Account) accountFigures {
	ctx, cancel := context.WithTimeout(ctx, overviewWait)
	defer cancel()
	f := accountFigures{Account: account, asOf: time.Now()}
	if limits, err := account.Limits.parse(); err == nil {
		f.limit = limits.DailyLoss
	}
	query := venues.ReadAccount{Command: venues.Command{Customer: account.Customer}, Exchange: account.Exchange}
	var balancesErr, positionsErr error
	var wait sync.WaitGroup
	wait.Go(func() { f.balances, _, balancesErr = o.service.Balances(ctx, query) })
	wait.Go(func() { f.positions, _, positionsErr = o.service.Positions(ctx, query) })
	wait.Go(func() {
		if open, err := o.service.OpenReport(ctx, account.Customer, account.Exchange); err == nil {
			f.open = &open
		}
	})
	wait.Go(func() {
		if report, err := o.accounts.service.Risk(ctx, account.Customer, account.Exchange); err == nil {
			f.risk = &report
		}
	})
	wait.Wait()
	for _, err := range []error{balancesErr, positionsErr} {
		if err != nil {
			return o.last.instead(f, err)
		}
	}
	o.last.keep(f)
	return f
}

// lastFigures has what accounts have last answered. It is safe for concurrent use.
type lastFigures struct {
	mu  sync.Mutex
	all map[string]accountFigures
}

func (l *lastFigures) keep(f accountFigures) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, known := l.all[f.ID]; !known && len(l.all) >= lastFiguresMax {
		for victim := range l.all { // any of them: it is read again
			delete(l.all, victim)
			break
		}
	}
	if l.all == nil {
		l.all = map[string]accountFigures{}
	}
	l.all[f.ID] = f
}

// instead returns the last figures of an account that does not answer. Its orders are those of
// now.
func (l *lastFigures) instead(f accountFigures, cause error) accountFigures {
	l.mu.Lock()
	last := l.all[f.ID]
	l.mu.Unlock()
	if !last.CreatedAt.Equal(f.CreatedAt.Time) { // another account was connected before
		last = accountFigures{}
	}
	f.balances, f.positions, f.risk, f.asOf = last.balances, last.positions, last.risk, last.asOf
	if known, is := errors.AsType[*venues.Error](cause); is {
		f.err = known
	} else {
		f.err = venues.Errorf(venues.CodeExchangeUnavailable, "%s does not answer", f.Exchange)
	}
	return f
}

// venuesOf returns the venues with the figures of their accounts.
func venuesOf(states []api.VenueState, figures []accountFigures) []OverviewVenue {
	list := make([]OverviewVenue, 0, len(states))
	for _, state := range states {
		v := OverviewVenue{VenueState: state}
		if i := slices.IndexFunc(figures, func(f accountFigures) bool { return f.Exchange == state.Exchange }); i >= 0 {
			v.Connected, v.Account = true, overviewAccount(&figures[i])
		}
		list = append(list, v)
	}
	return list
}

func overviewAccount(f *accountFigures) *OverviewAccount {
	a := &OverviewAccount{ID: f.ID, Halted: f.Halted, Lock: f.Lock}
	if f.err != nil {
		a.AsOf, a.Error = venues.At(f.asOf), &OverviewError{f.err.Code, f.err.Message}
		if f.asOf.IsZero() {
			return a
		}
	}
	a.Balances = []OverviewBalance{}
	for _, b := range f.balances {
		a.Balances = append(a.Balances, OverviewBalance{
			b.Currency, venues.FormatDecimal(b.Equity), venues.FormatDecimal(b.Available), venues.FormatDecimal(b.UnrealizedPnl),
		})
	}
	if f.risk != nil {
		a.Day = &OverviewAccountDay{
			venues.FormatDecimal(f.risk.Realized), venues.FormatDecimal(f.risk.Fees), formatOptional(f.risk.Loss),
			formatOptional(f.limit), formatOptional(f.risk.Remaining),
		}
	}
	return a
}

// namesOf returns the venues of the accounts for which is returns true.
func namesOf(figures []accountFigures, is func(*accountFigures) bool) []venues.Venue {
	names := []venues.Venue{}
	for i := range figures {
		if is(&figures[i]) {
			names = append(names, figures[i].Exchange)
		}
	}
	return names
}

// sorted iterates over a map in the order of its keys.
func sorted[T any](values map[string]T) iter.Seq2[string, T] {
	return func(yield func(string, T) bool) {
		for _, key := range slices.Sorted(maps.Keys(values)) {
			if !yield(key, values[key]) {
				return
			}
		}
	}
}
