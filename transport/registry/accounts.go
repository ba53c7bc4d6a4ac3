package registry

import (
	"context"
	"errors"
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

// AccountStore reads venue accounts and their risk records.
type AccountStore interface {
	VenueAccounts(ctx context.Context, customer string) ([]persistence.VenueAccount, error)
	Risk(ctx context.Context, customer string, exchange venues.Venue) (persistence.RiskRecord, error)
}

// AccountService stores venue accounts under the fence of their customer and runs
// them.
type AccountService interface {
	// PutAccount stores the account, then connects it, or disconnects one without
	// credentials.
	PutAccount(ctx context.Context, account persistence.VenueAccount) error
	// Configure stores the account and gives the running one its limits; it begins
	// or ends a halt. The account stays connected.
	Configure(ctx context.Context, account persistence.VenueAccount) error
	// RecordAccount stores the account. The running one does not change.
	RecordAccount(ctx context.Context, account persistence.VenueAccount) error
	// AwaitHalt waits for the end of a halt.
	AwaitHalt(ctx context.Context, customer string, exchange venues.Venue) (venues.HaltReport, error)
	// Risk returns the loss of the day.
	Risk(ctx context.Context, customer string, exchange venues.Venue) (venues.RiskReport, error)
	// Unlock ends the lock of a limit.
	Unlock(ctx context.Context, customer string, exchange venues.Venue) error
}

// Accounts manages the customers' accounts at venues. The id of an account is its
// customer and its exchange, joined by a colon.
type Accounts struct {
	scope
	audit        audit
	store        AccountStore
	service      AccountService
	vault        Vault
	examiner     Examiner
	environments map[venues.Venue]string
}

// Account is an account at a venue, without its credentials.
type Account struct {
	ID          string       `json:"id"`
	Customer    string       `json:"customer"`
	Exchange    venues.Venue `json:"exchange"`
	Environment string       `json:"environment"`
	Halted      bool         `json:"halted"`
	Limits      Limits       `json:"limits"`
	// Lock is the limit that rejects increasing orders until its end; null if there
	// is none, or if the account is only halted.
	Lock *Lock `json:"lock"`
	// UncountedFees are the fees of the day that are not part of the daily loss,
	// because the price of their currency is not known.
	UncountedFees []Fees      `json:"uncountedFees"`
	CreatedAt     venues.Time `json:"createdAt"`
}

// Fees are the fees in one currency.
type Fees struct {
	Currency string `json:"currency"`
	Amount   string `json:"amount"`
}

// Lock is the lock of a limit, which rejects orders that increase a position.
type Lock struct {
	Limit     string      `json:"limit"`
	Threshold string      `json:"threshold"`
	Actual    string      `json:"actual"`
	Until     venues.Time `json:"until"`
}

// NewAccount is the request to connect an account. An empty Environment is the one
// that the venue is configured for.
type NewAccount struct {
	Customer    string       `json:"customer"`
	Exchange    venues.Venue `json:"exchange"`
	Environment string       `json:"environment"`
	venues.Credentials
}

// AccountChange changes the members that are set. Credentials and limits are
// replaced as a whole.
type AccountChange struct {
	Halted *bool   `json:"halted"`
	Limits *Limits `json:"limits"`
	venues.Credentials
}

// Connect examines the credentials at the venue, seals and stores them, and
// connects the account. An account that is connected already gets new credentials
// and keeps its limits and its halt.
func (a *Accounts) Connect(ctx context.Context, n NewAccount) (Account, error) {
	customer, environment, err := a.target(ctx, &n)
	if err != nil {
		return Account{}, err
	}
	sealed, err := a.examineAndSeal(ctx, customer, n.Exchange, n.Credentials)
	if err != nil {
		return Account{}, err
	}
	a.audit.Lock()
	defer a.audit.Unlock()
	if err := a.check(ctx, customer); err != nil { // it may have changed meanwhile
		return Account{}, err
	}
	record := persistence.VenueAccount{
		Customer: customer, Exchange: n.Exchange, Environment: environment,
		Sealed: sealed, CreatedAt: venues.At(time.Now()),
	}
	if err := a.keepControl(ctx, &record); err != nil {
		return Account{}, err
	}
	return a.put(ctx, record, field("action", "connect"), field("environment", environment))
}

// Examine checks credentials at the venue as Connect does, and keeps nothing.
func (a *Accounts) Examine(ctx context.Context, n NewAccount) ([]CheckResult, error) {
	if _, _, err := a.target(ctx, &n); err != nil {
		return nil, err
	}
	if err := checkCredentials(n.Credentials); err != nil {
		return nil, err
	}
	return a.examiner.Examine(ctx, n.Exchange, n.Credentials), nil
}

// target returns the customer of a request to connect an account, and the environment of the
// venue.
func (a *Accounts) target(ctx context.Context, n *NewAccount) (customer, environment string, err error) {
	if customer, err = a.resolve(n.Customer); err != nil {
		return "", "", err
	}
	environment, known := a.environments[n.Exchange]
	if !known {
		return "", "", api.FieldError("exchange", api.RuleUnknownValue, string(n.Exchange), exchangeNames(a.environments))
	}
	if n.Environment != "" && n.Environment != environment {
		return "", "", api.FieldError("environment", api.RuleUnknownValue, n.Environment, environment)
	}
	return customer, environment, a.check(ctx, customer)
}

// keepControl copies limits and halt of an account that is connected again.
func (a *Accounts) keepControl(ctx context.Context, record *persistence.VenueAccount) error {
	records, err := a.store.VenueAccounts(ctx, record.Customer)
	if err != nil {
		return fmt.Errorf("read account: %w", err)
	}
	i := slices.IndexFunc(records, func(r persistence.VenueAccount) bool { return r.Exchange == record.Exchange })
	if i >= 0 {
		record.KeepControl(&records[i])
	}
	return nil
}

// examineAndSeal seals credentials of an account that is fit for trading. It calls
// the venue: the caller must not hold the mutex.
func (a *Accounts) examineAndSeal(ctx context.Context, customer string, exchange venues.Venue, c venues.Credentials) ([]byte, error) {
	if err := checkCredentials(c); err != nil {
		return nil, err
	}
	if err := failedCheck(a.examiner.Examine(ctx, exchange, c)); err != nil {
		return nil, err
	}
	sealed, err := a.vault.Seal(customer, exchange, c)
	if err != nil {
		return nil, fmt.Errorf("seal credentials of %s: %w", accountID(customer, exchange), err)
	}
	return sealed, nil
}

// List returns the connected accounts of a customer, or of every customer in the scope
// if customer is empty.
func (a *Accounts) List(ctx context.Context, customer string) ([]Account, error) {
	accounts := []Account{}
	err := a.each(ctx, customer, func(id string) error {
		records, err := a.store.VenueAccounts(ctx, id)
		for _, record := range records {
			if len(record.Sealed) == 0 {
				continue
			}
			account, err := a.withLock(ctx, accountOf(record))
			if err != nil {
				return err
			}
			accounts = append(accounts, account)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list accounts: %w", err)
	}
	return accounts, nil
}

// Get returns a connected account.
func (a *Accounts) Get(ctx context.Context, id string) (Account, error) {
	record, err := a.read(ctx, id)
	if err != nil {
		return Account{}, err
	}
	return a.withLock(ctx, accountOf(record))
}

// Change halts or resumes an account, sets its limits or replaces its credentials.
// Only new credentials connect it again.
func (a *Accounts) Change(ctx context.Context, id string, change AccountChange) (Account, error) {
	var sealed []byte
	if change.Credentials != (venues.Credentials{}) {
		record, err := a.read(ctx, id)
		if err != nil {
			return Account{}, err
		}
		if sealed, err = a.examineAndSeal(ctx, record.Customer, record.Exchange, change.Credentials); err != nil {
			return Account{}, err
		}
	}
	a.audit.Lock()
	defer a.audit.Unlock()
	record, err := a.read(ctx, id)
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
		return a.configure(ctx, record, fields...)
	}
	record.Sealed = sealed
	return a.put(ctx, record, append(fields, field("credentials", "changed"))...)
}

// Disconnect removes the credentials. Orders at the venue stay as they are.
func (a *Accounts) Disconnect(ctx context.Context, id string) (Account, error) {
	a.audit.Lock()
	defer a.audit.Unlock()
	record, err := a.read(ctx, id)
	if err != nil {
		return Account{}, err
	}
	record.Sealed = nil
	return a.put(ctx, record, field("action", "disconnect"))
}

// Check examines a connected account at its venue.
func (a *Accounts) Check(ctx context.Context, id string) ([]CheckResult, error) {
	record, err := a.read(ctx, id)
	if err != nil {
		return nil, err
	}
	credentials, err := a.vault.Open(record.Customer, record.Exchange, record.Sealed)
	if err != nil {
		return nil, fmt.Errorf("open credentials of %s: %w", id, err)
	}
	return a.examiner.Examine(ctx, record.Exchange, credentials), nil
}

// put stores an account and connects or disconnects it.
func (a *Accounts) put(ctx context.Context, record persistence.VenueAccount, fields ...persistence.JournalField) (Account, error) {
	account := accountOf(record)
	if err := a.service.PutAccount(ctx, record); err != nil {
		return Account{}, fmt.Errorf("put account %s: %w", account.ID, err)
	}
	return account, a.audit.commit(ctx, kindAccount, account.ID, fields)
}

// configure stores an account that stays connected.
func (a *Accounts) configure(ctx context.Context, record persistence.VenueAccount, fields ...persistence.JournalField) (Account, error) {
	account := accountOf(record)
	if err := a.service.Configure(ctx, record); err != nil {
		return Account{}, fmt.Errorf("configure account %s: %w", account.ID, err)
	}
	if err := a.audit.commit(ctx, kindAccount, account.ID, fields); err != nil {
		return Account{}, err
	}
	return a.withLock(ctx, account)
}

// read returns a connected account.
func (a *Accounts) read(ctx context.Context, id string) (persistence.VenueAccount, error) {
	customer, exchange, _ := strings.Cut(id, ":")
	var records []persistence.VenueAccount
	if a.has(customer) {
		var err error
		if records, err = a.store.VenueAccounts(ctx, customer); err != nil {
			return persistence.VenueAccount{}, fmt.Errorf("read account: %w", err)
		}
	}
	i := slices.IndexFunc(records, func(r persistence.VenueAccount) bool {
		return string(r.Exchange) == exchange && len(r.Sealed) > 0
	})
	if i < 0 {
		return persistence.VenueAccount{}, fmt.Errorf("read account: %w", notFound(persistence.ErrNotFound))
	}
	return records[i], nil
}

// withLock adds the lock in force and the fees that are not part of the daily loss.
func (a *Accounts) withLock(ctx context.Context, account Account) (Account, error) {
	risk, err := a.store.Risk(ctx, account.Customer, account.Exchange)
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
			return api.FieldError(part.name, api.RuleMissing, "", "")
		}
		if len(part.value) > credentialCharsMax {
			return api.FieldError(part.name, api.RuleOutOfRange, "", "at most "+strconv.Itoa(credentialCharsMax)+" characters")
		}
	}
	return nil
}
