package registry

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/venues"
)

// HaltOrder is the request to halt an account. Flatten closes the open positions
// as well.
type HaltOrder struct {
	Flatten bool `json:"flatten"`
}

// HaltedAccount is the result of a halt.
type HaltedAccount struct {
	Account
	Halt venues.HaltReport `json:"halt"`
}

// Halt cancels every order of an account and rejects increasing ones until it is
// resumed, also after a restart. It waits for the end of the cancelling.
func (a *Accounts) Halt(ctx context.Context, id string, order HaltOrder) (HaltedAccount, error) {
	account, err := a.recordHalt(ctx, id, order)
	if err != nil {
		return HaltedAccount{}, err
	}
	report, err := a.service.AwaitHalt(ctx, account.Customer, account.Exchange)
	if err != nil {
		return HaltedAccount{}, fmt.Errorf("halt account %s: %w", id, err)
	}
	return HaltedAccount{account, report}, nil
}

func (a *Accounts) recordHalt(ctx context.Context, id string, order HaltOrder) (Account, error) {
	a.audit.Lock()
	defer a.audit.Unlock()
	record, err := a.read(ctx, id)
	if err != nil {
		return Account{}, err
	}
	record.Halt(time.Now(), order.Flatten)
	return a.configure(ctx, record, field("action", "halt"), field("flatten", strconv.FormatBool(order.Flatten)))
}

// CustomerHalt is the request to halt all accounts of a customer.
type CustomerHalt struct {
	Customer string `json:"customer"`
	HaltOrder
}

// HaltResult is the result of a halt of one of a customer's accounts.
type HaltResult struct {
	Account  string       `json:"account"`
	Exchange venues.Venue `json:"exchange"`
	// Halt is null if the halt has failed: then the account may be halted or not.
	Halt *venues.HaltReport `json:"halt"`
	// Error is Err for clients, which the edge sets.
	Error *HaltError `json:"error"`
	Err   error      `json:"-"`
}

// HaltError is why a halt has no report.
type HaltError struct {
	Code    venues.Code `json:"code"`
	Message string      `json:"message"`
}

// HaltAll halts all connected accounts of a customer at once. One that fails does not keep the
// others from being halted.
func (a *Accounts) HaltAll(ctx context.Context, order CustomerHalt) ([]HaltResult, error) {
	customer, err := a.resolve(order.Customer)
	if err != nil {
		return nil, err
	}
	if customer == "" {
		return nil, api.FieldError("customer", api.RuleMissing, "", "")
	}
	accounts, err := a.List(ctx, customer)
	if err != nil {
		return nil, err
	}
	results := make([]HaltResult, len(accounts))
	var halts sync.WaitGroup
	for i, account := range accounts {
		halts.Go(func() {
			halted, err := a.Halt(ctx, account.ID, order.HaltOrder)
			results[i] = HaltResult{Account: account.ID, Exchange: account.Exchange, Err: err}
			if err == nil {
				results[i].Halt = &halted.Halt
			}
		})
	}
	halts.Wait()
	return results, nil
}

// Resume ends a halt.
func (a *Accounts) Resume(ctx context.Context, id string) (Account, error) {
	a.audit.Lock()
	defer a.audit.Unlock()
	record, err := a.read(ctx, id)
	if err != nil {
		return Account{}, err
	}
	record.Resume()
	return a.configure(ctx, record, field("action", "resume"))
}

// Unlock ends the lock of a daily loss. The loss up to now no longer counts.
func (a *Accounts) Unlock(ctx context.Context, id string) (Account, error) {
	a.audit.Lock()
	defer a.audit.Unlock()
	record, err := a.read(ctx, id)
	if err != nil {
		return Account{}, err
	}
	if err := a.service.Unlock(ctx, record.Customer, record.Exchange); err != nil {
		return Account{}, fmt.Errorf("unlock account %s: %w", id, err)
	}
	account := accountOf(record)
	return account, a.audit.commit(ctx, kindAccount, account.ID, []persistence.JournalField{field("action", "unlock")})
}
