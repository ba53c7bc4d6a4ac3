package admin

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/venues"
)

// credentialCharsMax bounds each part of a venue's credentials.
const credentialCharsMax = 512

// Account as the administration shows it: never its credentials.
type Account struct {
	ID          string       `json:"id"`
	Customer    string       `json:"customer"`
	Exchange    venues.Venue `json:"exchange"`
	Environment string       `json:"environment"`
	Halted      bool         `json:"halted"`
	Limits      Limits       `json:"limits"`
	// Lock is why increasing orders are refused until its end; null if they are
	// not, or only because the account is halted.
	Lock *Lock `json:"lock"`
	// UncountedFees are those of the day that the daily loss does not hold: nobody
	// knows a price of their currency.
	UncountedFees []Fees      `json:"uncountedFees"`
	CreatedAt     venues.Time `json:"createdAt"`
}

// Fees are those of one currency.
type Fees struct {
	Currency string `json:"currency"`
	Amount   string `json:"amount"`
}

// NewAccount asks to connect an account. Environment may be left out: it is the
// one that the venue is configured for.
type NewAccount struct {
	Customer    string       `json:"customer"`
	Exchange    venues.Venue `json:"exchange"`
	Environment string       `json:"environment"`
	venues.Credentials
}

// AccountChange changes what is given. Credentials and limits are changed whole.
type AccountChange struct {
	Halted *bool   `json:"halted"`
	Limits *Limits `json:"limits"`
	venues.Credentials
}

// ConnectAccount examines the credentials at the venue, seals and records them,
// and connects. Connecting again replaces them.
func (r *Registry) ConnectAccount(ctx context.Context, n NewAccount) (Account, error) {
	environment, known := r.Environments[n.Exchange]
	if !known {
		return Account{}, api.Fault("exchange", api.RuleUnknownValue, string(n.Exchange), r.exchanges())
	}
	if n.Environment != "" && n.Environment != environment {
		return Account{}, api.Fault("environment", api.RuleUnknownValue, n.Environment, environment)
	}
	if err := r.checkCustomer(ctx, n.Customer); err != nil {
		return Account{}, err
	}
	sealed, err := r.proveAndSeal(ctx, n.Customer, n.Exchange, n.Credentials)
	if err != nil {
		return Account{}, err
	}
	r.turn.Lock()
	defer r.turn.Unlock()
	if err := r.checkCustomer(ctx, n.Customer); err != nil { // may have gone meanwhile
		return Account{}, err
	}
	record := persistence.VenueAccount{
		Customer: n.Customer, Exchange: n.Exchange, Environment: environment,
		Sealed: sealed, CreatedAt: venues.At(time.Now()),
	}
	if err := r.keepControl(ctx, &record); err != nil {
		return Account{}, err
	}
	return r.putAccount(ctx, record, field("action", "connect"), field("environment", environment))
}

// proveAndSeal takes credentials that open an account fit for trading. It asks the
// venue: nobody has the turn meanwhile, or one that hangs would hold up a halt.
func (r *Registry) proveAndSeal(ctx context.Context, customer string, exchange venues.Venue, c venues.Credentials) ([]byte, error) {
	if err := checkCredentials(c); err != nil {
		return nil, err
	}
	findings := r.Examiner.Examine(ctx, exchange, c)
	if err := refusal(findings); err != nil {
		return nil, err
	}
	sealed, err := r.Vault.Seal(customer, exchange, c)
	if err != nil {
		return nil, fmt.Errorf("seal credentials of %s: %w", accountID(customer, exchange), err)
	}
	return sealed, nil
}

// Accounts lists the connected accounts of a customer, or of all if it is
// empty.
func (r *Registry) Accounts(ctx context.Context, customer string) ([]Account, error) {
	list := []Account{}
	err := r.forCustomers(ctx, customer, func(id string) error {
		records, err := r.Store.VenueAccounts(ctx, id)
		for _, record := range records {
			if len(record.Sealed) == 0 {
				continue
			}
			account, failure := r.withLock(ctx, accountOf(record))
			if failure != nil {
				return failure
			}
			list = append(list, account)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list accounts: %w", err)
	}
	return list, nil
}

// Account finds one that is connected.
func (r *Registry) Account(ctx context.Context, id string) (Account, error) {
	record, err := r.account(ctx, id)
	if err != nil {
		return Account{}, err
	}
	return r.withLock(ctx, accountOf(record))
}

// ChangeAccount halts an account or lets it go on, sets its limits, and changes
// credentials, which alone connects it anew.
func (r *Registry) ChangeAccount(ctx context.Context, id string, change AccountChange) (Account, error) {
	sealed, err := r.newCredentials(ctx, id, change)
	if err != nil {
		return Account{}, err
	}
	r.turn.Lock()
	defer r.turn.Unlock()
	record, err := r.account(ctx, id)
	if err != nil {
		return Account{}, err
	}
	fields := []persistence.JournalField{field("action", "change")}
	if change.Halted != nil {
		switch {
		case !*change.Halted:
			record.Resume()
		case !record.Halted:
			record.Halt(time.Now(), false)
		}
		fields = append(fields, field("halted", strconv.FormatBool(record.Halted)))
	}
	if change.Limits != nil {
		if record.Limits, err = change.Limits.parse(); err != nil {
			return Account{}, err
		}
		fields = append(fields, change.Limits.fields()...)
	}
	if sealed == nil {
		return r.configureAccount(ctx, record, fields...)
	}
	record.Sealed = sealed
	fields = append(fields, field("credentials", "changed"))
	return r.putAccount(ctx, record, fields...)
}

// newCredentials are those of a change, sealed; nil if it has none.
func (r *Registry) newCredentials(ctx context.Context, id string, change AccountChange) ([]byte, error) {
	if change.Credentials == (venues.Credentials{}) {
		return nil, nil
	}
	record, err := r.account(ctx, id)
	if err != nil {
		return nil, err
	}
	return r.proveAndSeal(ctx, record.Customer, record.Exchange, change.Credentials)
}

// DisconnectAccount forgets the credentials. Orders at the venue stay as they
// are.
func (r *Registry) DisconnectAccount(ctx context.Context, id string) (Account, error) {
	r.turn.Lock()
	defer r.turn.Unlock()
	record, err := r.account(ctx, id)
	if err != nil {
		return Account{}, err
	}
	record.Sealed = nil
	return r.putAccount(ctx, record, field("action", "disconnect"))
}

// CheckAccount examines a connected account at its venue.
func (r *Registry) CheckAccount(ctx context.Context, id string) ([]Finding, error) {
	record, err := r.account(ctx, id)
	if err != nil {
		return nil, err
	}
	credentials, err := r.Vault.Open(record.Customer, record.Exchange, record.Sealed)
	if err != nil {
		return nil, fmt.Errorf("open credentials of %s: %w", id, err)
	}
	return r.Examiner.Examine(ctx, record.Exchange, credentials), nil
}

// putAccount records through the owner of the customer, then leaves a row of what
// the administration did.
func (r *Registry) putAccount(ctx context.Context, record persistence.VenueAccount, fields ...persistence.JournalField) (Account, error) {
	account := accountOf(record)
	if err := r.Directory.PutAccount(ctx, record); err != nil {
		return Account{}, fmt.Errorf("put account %s: %w", account.ID, err)
	}
	return account, r.commit(ctx, kindAccount, account.ID, fields)
}

func (r *Registry) account(ctx context.Context, id string) (persistence.VenueAccount, error) {
	customer, exchange, _ := strings.Cut(id, ":")
	records, err := r.Store.VenueAccounts(ctx, customer)
	if err != nil {
		return persistence.VenueAccount{}, fmt.Errorf("read account: %w", err)
	}
	i := slices.IndexFunc(records, func(a persistence.VenueAccount) bool {
		return string(a.Exchange) == exchange && len(a.Sealed) > 0
	})
	if i < 0 {
		return persistence.VenueAccount{}, fmt.Errorf("read account: %w", persistence.ErrNotFound)
	}
	return records[i], nil
}

func (r *Registry) exchanges() string {
	names := make([]string, 0, len(r.Environments))
	for _, v := range venues.All() {
		if _, known := r.Environments[v]; known {
			names = append(names, string(v))
		}
	}
	return strings.Join(names, " ")
}

// accountID joins what names an account.
func accountID(customer string, exchange venues.Venue) string {
	return customer + ":" + string(exchange)
}

func accountOf(record persistence.VenueAccount) Account {
	return Account{
		ID: accountID(record.Customer, record.Exchange), Customer: record.Customer, Exchange: record.Exchange,
		Environment: record.Environment, Halted: record.Halted, Limits: limitsOf(record.Limits), UncountedFees: []Fees{}, CreatedAt: record.CreatedAt,
	}
}

func checkCredentials(c venues.Credentials) error {
	for _, part := range []struct {
		name     string
		value    venues.Secret
		required bool
	}{
		{"apiKey", c.APIKey, true},
		{"apiSecret", c.APISecret, true},
		{"passphrase", c.Passphrase, false},
	} {
		if part.required && part.value == "" {
			return api.Fault(part.name, api.RuleMissing, "", "")
		}
		if len(part.value) > credentialCharsMax {
			return api.Fault(part.name, api.RuleOutOfRange, "", "at most "+strconv.Itoa(credentialCharsMax)+" characters")
		}
	}
	return nil
}
