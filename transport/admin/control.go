package admin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/venues"
)

// openOrdersMax bounds the limit on open orders: more than any account may have.
const openOrdersMax = 1_000_000

// Limits of an account; null is none. Amounts are decimal strings in the
// settlement currency.
type Limits struct {
	DailyLoss        *string `json:"dailyLoss"`
	MaxOrderNotional *string `json:"maxOrderNotional"`
	MaxOpenOrders    *int    `json:"maxOpenOrders"`
}

// Lock keeps increasing orders from being sent.
type Lock struct {
	Limit     string      `json:"limit"`
	Threshold string      `json:"threshold"`
	Actual    string      `json:"actual"`
	Until     venues.Time `json:"until"`
}

// HaltOrder asks for a halt. Flatten closes the open positions as well.
type HaltOrder struct {
	Flatten bool `json:"flatten"`
}

// HaltReport is how far a halt has come: Done if the venue's own list of orders
// is empty and, with flatten, so is that of positions.
type HaltReport struct {
	Done          bool `json:"done"`
	OpenOrders    int  `json:"openOrders"`
	OpenPositions int  `json:"openPositions"`
}

// HaltedAccount is the answer to a halt.
type HaltedAccount struct {
	Account
	Halt HaltReport `json:"halt"`
}

// HaltAccount cancels every order of an account and lets no increasing order
// through until it is resumed, over restarts. It waits for the end of the
// cancelling.
func (r *Registry) HaltAccount(ctx context.Context, id string, order HaltOrder) (HaltedAccount, error) {
	account, err := r.recordHalt(ctx, id, order)
	if err != nil {
		return HaltedAccount{}, err
	}
	report, err := r.Directory.AwaitHalt(ctx, account.Customer, account.Exchange)
	if err != nil {
		return HaltedAccount{}, fmt.Errorf("halt account %s: %w", id, err)
	}
	return HaltedAccount{account, report}, nil
}

func (r *Registry) recordHalt(ctx context.Context, id string, order HaltOrder) (Account, error) {
	r.turn.Lock()
	defer r.turn.Unlock()
	record, err := r.account(ctx, id)
	if err != nil {
		return Account{}, err
	}
	record.Halt(time.Now(), order.Flatten)
	return r.configureAccount(ctx, record, field("action", "halt"), field("flatten", strconv.FormatBool(order.Flatten)))
}

// ResumeAccount ends a halt.
func (r *Registry) ResumeAccount(ctx context.Context, id string) (Account, error) {
	r.turn.Lock()
	defer r.turn.Unlock()
	record, err := r.account(ctx, id)
	if err != nil {
		return Account{}, err
	}
	record.Resume()
	return r.configureAccount(ctx, record, field("action", "resume"))
}

// UnlockAccount ends the lock of a daily loss; the loss so far is set aside.
func (r *Registry) UnlockAccount(ctx context.Context, id string) (Account, error) {
	r.turn.Lock()
	defer r.turn.Unlock()
	record, err := r.account(ctx, id)
	if err != nil {
		return Account{}, err
	}
	if err := r.Directory.UnlockAccount(ctx, record.Customer, record.Exchange); err != nil {
		return Account{}, fmt.Errorf("unlock account %s: %w", id, err)
	}
	account := accountOf(record)
	return account, r.commit(ctx, kindAccount, account.ID, []persistence.JournalField{field("action", "unlock")})
}

// configureAccount is putAccount for an account that stays connected.
func (r *Registry) configureAccount(ctx context.Context, record persistence.VenueAccount, fields ...persistence.JournalField) (Account, error) {
	account := accountOf(record)
	if err := r.Directory.ConfigureAccount(ctx, record); err != nil {
		return Account{}, fmt.Errorf("configure account %s: %w", account.ID, err)
	}
	if err := r.commit(ctx, kindAccount, account.ID, fields); err != nil {
		return Account{}, err
	}
	return r.withLock(ctx, account)
}

// keepControl carries limits and a halt over to an account that is connected
// again.
func (r *Registry) keepControl(ctx context.Context, record *persistence.VenueAccount) error {
	before, err := r.Store.VenueAccounts(ctx, record.Customer)
	if err != nil {
		return fmt.Errorf("read account: %w", err)
	}
	i := slices.IndexFunc(before, func(a persistence.VenueAccount) bool { return a.Exchange == record.Exchange })
	if i >= 0 {
		was := &before[i]
		record.Limits, record.Halted, record.Flatten, record.HaltedAt = was.Limits, was.Halted, was.Flatten, was.HaltedAt
	}
	return nil
}

// withLock adds the lock that is in force, and what the loss that sets it lacks.
func (r *Registry) withLock(ctx context.Context, account Account) (Account, error) {
	risk, err := r.Store.Risk(ctx, account.Customer, account.Exchange)
	if err != nil && !errors.Is(err, persistence.ErrNotFound) {
		return Account{}, fmt.Errorf("read the lock of account %s: %w", account.ID, err)
	}
	if lock := risk.Lock; lock != nil && time.Now().Before(lock.Until.Time) {
		account.Lock = &Lock{
			Limit: lock.Limit, Threshold: venues.FormatDecimal(lock.Threshold), Actual: venues.FormatDecimal(lock.Actual), Until: lock.Until,
		}
	}
	for _, fees := range risk.Uncounted {
		account.UncountedFees = append(account.UncountedFees, Fees{fees.Currency, venues.FormatDecimal(fees.Amount)})
	}
	return account, nil
}

// parse reads limits strictly: an amount must be positive.
func (l *Limits) parse() (persistence.RiskLimits, error) {
	var limits persistence.RiskLimits
	for _, amount := range []struct {
		field string
		text  *string
		into  *venues.Optional
	}{
		{"limits.dailyLoss", l.DailyLoss, &limits.DailyLoss},
		{"limits.maxOrderNotional", l.MaxOrderNotional, &limits.MaxOrderNotional},
	} {
		if amount.text == nil {
			continue
		}
		d, err := positive(amount.field, *amount.text, "such as 500")
		if err != nil {
			return limits, err
		}
		*amount.into = venues.Some(d)
	}
	if n := l.MaxOpenOrders; n != nil {
		if *n < 1 || *n > openOrdersMax {
			return limits, api.Fault("limits.maxOpenOrders", api.RuleOutOfRange, strconv.Itoa(*n), "1 to "+strconv.Itoa(openOrdersMax))
		}
		limits.MaxOpenOrders = *n
	}
	return limits, nil
}

// fields are the limits for the journal.
func (l *Limits) fields() []persistence.JournalField {
	text := func(s *string) string {
		if s == nil {
			return "none"
		}
		return *s
	}
	open := "none"
	if l.MaxOpenOrders != nil {
		open = strconv.Itoa(*l.MaxOpenOrders)
	}
	return []persistence.JournalField{
		field("daily_loss", text(l.DailyLoss)), field("max_order_notional", text(l.MaxOrderNotional)), field("max_open_orders", open),
	}
}

func limitsOf(r persistence.RiskLimits) Limits {
	var l Limits
	if r.DailyLoss.Valid {
		text := venues.FormatDecimal(r.DailyLoss.Decimal)
		l.DailyLoss = &text
	}
	if r.MaxOrderNotional.Valid {
		text := venues.FormatDecimal(r.MaxOrderNotional.Decimal)
		l.MaxOrderNotional = &text
	}
	if r.MaxOpenOrders > 0 {
		l.MaxOpenOrders = &r.MaxOpenOrders
	}
	return l
}
