package registry

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"venuegate/persistence"
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
