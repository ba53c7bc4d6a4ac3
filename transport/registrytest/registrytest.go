// Package registrytest provides the dependencies of a registry.Registry for tests: a
// service that owns every customer, and vaults whose sealed values are readable.
//
//	store := storetest.NewMemory()
//	service := &registrytest.Service{Store: store}
//	r := registry.New(registrytest.Options(store, service))
package registrytest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/transport/registry"
	"venuegate/venues"
)

// Options returns options with binance configured, all endpoint kinds but sheets
// and an examiner without results. The service also ends sessions.
func Options(store persistence.Store, service *Service) registry.Options {
	accept := func(string) error { return nil }
	return registry.Options{
		Store: store, Service: service, Sessions: service, Vault: Vault{}, Secrets: &Secrets{}, Examiner: &Examiner{},
		Environments: map[venues.Venue]string{venues.Binance: "testnet"}, Trades: &Trades{}, Latency: &Latency{}, Bots: Bots{},
		FailedProofs: func(string) (int, time.Time) { return 3, time.Now() },
		Venues: func() []api.VenueState {
			return []api.VenueState{{Exchange: venues.Binance, Status: "up", Since: venues.At(time.Now()), Environment: "testnet"}}
		},
		HookURL: func(c persistence.Channel, address venues.Secret) string {
			return "https://h/" + c.ID + "/" + address.Reveal()
		},
		ConsoleURL: func(role persistence.Role) string { return "https://" + string(role) },
		Targets: map[persistence.EndpointKind]registry.Target{
			persistence.EndpointWebhook: {Check: func(target string) error {
				if !strings.HasPrefix(target, "https://") {
					return api.FieldError("url", api.RuleMalformed, "", "https://")
				}
				return nil
			}},
			persistence.EndpointFile:     {Check: accept},
			persistence.EndpointTelegram: {Check: accept},
		},
	}
}

// Service stores the records it receives and records its calls. It owns every customer.
type Service struct {
	Store persistence.Store

	mu     sync.Mutex
	fences map[string]persistence.Fence
	// SignalErr is the error of every signal, HaltErr that of waiting for a halt, by exchange.
	SignalErr error
	HaltErr   map[venues.Venue]error
	// Customers and Accounts are the records that were passed in, Revoked the ids of
	// revoked keys.
	Customers []persistence.Customer
	Accounts  []persistence.VenueAccount
	Revoked   []string
	// Calls lists the other calls.
	Calls []string
	// Held and Open are the balances and positions by venue, Orders the open orders of each
	// account. A venue in Silent does not answer.
	Held   map[venues.Venue][]venues.Balance
	Open   map[venues.Venue][]venues.Position
	Orders venues.OpenOrdersReport
	Silent map[venues.Venue]error
}

// Fence returns the fence of a customer.
func (s *Service) Fence(ctx context.Context, customer string) (persistence.Fence, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fence(ctx, customer)
}

func (s *Service) fence(ctx context.Context, customer string) (persistence.Fence, error) {
	if fence, owned := s.fences[customer]; owned {
		return fence, nil
	}
	fence, err := s.Store.TakeOwnership(ctx, customer)
	if err == nil {
		if s.fences == nil {
			s.fences = map[string]persistence.Fence{}
		}
		s.fences[customer] = fence
	}
	return fence, err
}

// Put stores a record of a customer, with a journal row that it numbers.
func (s *Service) Put(ctx context.Context, record persistence.Record, rows ...persistence.JournalEntry) error {
	return s.add(ctx, record.Key().Customer, []persistence.Record{record}, rows...)
}

func (s *Service) add(ctx context.Context, customer string, puts []persistence.Record, rows ...persistence.JournalEntry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	fence, err := s.fence(ctx, customer)
	if err != nil {
		return err
	}
	last, err := s.Store.LastSequence(ctx, customer)
	if err != nil {
		return err
	}
	for i := range rows {
		last++
		rows[i].Seq = last
	}
	return s.Store.Commit(ctx, persistence.Batch{Fence: fence, Puts: puts, Journal: rows})
}

// ConfigureCustomer implements registry.CustomerService.
func (s *Service) ConfigureCustomer(_ context.Context, record persistence.Customer) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Customers = append(s.Customers, record)
	return nil
}

// Revoke implements registry.Sessions.
func (s *Service) Revoke(keyID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Revoked = append(s.Revoked, keyID)
}

// PutAccount implements registry.AccountService.
func (s *Service) PutAccount(ctx context.Context, account persistence.VenueAccount) error {
	s.mu.Lock()
	s.Accounts = append(s.Accounts, account)
	s.mu.Unlock()
	return s.Put(ctx, account)
}

// Configure implements registry.AccountService.
func (s *Service) Configure(ctx context.Context, account persistence.VenueAccount) error {
	s.call("configure", account.Customer, account.Exchange)
	return s.PutAccount(ctx, account)
}

// RecordAccount implements registry.AccountService.
func (s *Service) RecordAccount(ctx context.Context, account persistence.VenueAccount) error {
	return s.PutAccount(ctx, account)
}

// AwaitHalt implements registry.AccountService.
func (s *Service) AwaitHalt(_ context.Context, customer string, exchange venues.Venue) (venues.HaltReport, error) {
	s.call("await halt", customer, exchange)
	return venues.HaltReport{Done: true, OpenPositions: 1}, s.HaltErr[exchange]
}

// Risk implements registry.AccountService: the price of a position is not known.
func (s *Service) Risk(_ context.Context, customer string, exchange venues.Venue) (venues.RiskReport, error) {
	s.call("risk", customer, exchange)
	now := time.Now()
	return venues.RiskReport{
		Day: venues.At(now.UTC().Truncate(24 * time.Hour)), Realized: venues.MustDecimal("-10.5"), Fees: venues.MustDecimal("0.5"), AsOf: venues.At(now),
	}, nil
}

// Unlock implements registry.AccountService.
func (s *Service) Unlock(_ context.Context, customer string, exchange venues.Venue) error {
	s.call("unlock", customer, exchange)
	return nil
}

// Balances implements registry.OverviewService.
func (s *Service) Balances(_ context.Context, q venues.ReadAccount) ([]venues.Balance, []venues.VenueFailure, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Held[q.Exchange], nil, s.Silent[q.Exchange]
}

// Positions implements registry.OverviewService.
func (s *Service) Positions(_ context.Context, q venues.ReadAccount) ([]venues.Position, []venues.VenueFailure, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Open[q.Exchange], nil, s.Silent[q.Exchange]
}

// OpenReport implements registry.OverviewService.
func (s *Service) OpenReport(context.Context, string, venues.Venue) (venues.OpenOrdersReport, error) {
	return s.Orders, nil
}

// ConfigurePart implements registry.RecordService.
func (s *Service) ConfigurePart(ctx context.Context, record persistence.Record, row persistence.JournalEntry) error {
	return s.Put(ctx, record, row)
}

// AddRow implements registry.RecordService.
func (s *Service) AddRow(customer string, row persistence.JournalEntry) {
	if err := s.add(context.Background(), customer, nil, row); err != nil {
		panic(err)
	}
}

// PutAlert implements registry.AlertService.
func (s *Service) PutAlert(ctx context.Context, alert persistence.Alert, row persistence.JournalEntry) (persistence.Alert, error) {
	return alert, s.Put(ctx, alert, row)
}

// Accept implements registry.HookService.
func (s *Service) Accept(_ context.Context, signal venues.Signal) (venues.SignalResponse, error) {
	s.call("accept "+string(signal.Source)+" "+signal.RequestID, signal.Customer, signal.Exchange)
	return venues.SignalResponse{RequestID: signal.RequestID, Status: "test"}, s.SignalErr
}

// Preview implements registry.HookService: the plan is one order that passes one rule.
func (s *Service) Preview(_ context.Context, signal venues.Signal) (venues.SignalPreview, error) {
	s.call("preview "+string(signal.Source)+" "+signal.RequestID, signal.Customer, signal.Exchange)
	rules := []venues.RuleCheck{{Rule: "max_position", Limit: "1", Given: "0.5"}}
	return venues.SignalPreview{
		Status: "done", Rules: rules,
		Plan: []venues.PreviewStep{{
			Step: "open", Exchange: signal.Exchange, Symbol: signal.Symbol, Side: signal.Side, Type: venues.TypeMarket, Qty: signal.Qty, Rules: rules,
			Rejection: venues.Errorf(venues.CodeRiskRejected, "the order is opposite to the open position"),
		}},
	}, nil
}

// Resend implements registry.EndpointService.
func (s *Service) Resend(_ context.Context, customer, endpoint, eventID string) error {
	s.call("resend "+eventID+" to "+endpoint, customer, "")
	return nil
}

// ResendUndelivered implements registry.EndpointService.
func (s *Service) ResendUndelivered(_ context.Context, customer, endpoint string, since time.Time) (int, error) {
	what := "all"
	if !since.IsZero() {
		what = "since " + since.UTC().Format(time.RFC3339)
	}
	s.call("resend "+what+" to "+endpoint, customer, "")
	return 3, nil
}

// TestEndpoint implements registry.EndpointService: the receiver answers 500.
func (s *Service) TestEndpoint(_ context.Context, customer, endpoint string) (string, persistence.Attempt, time.Duration, error) {
	s.call("test "+endpoint, customer, "")
	return "evt_t", persistence.Attempt{Code: 500, Err: errors.New("answered 500"), Answer: []byte("no\xff")}, time.Second, nil
}

// Instruments implements registry.InstrumentService: every venue has BTCUSDT and
// ETHUSDT.
func (s *Service) Instruments(venues.Venue) (*venues.InstrumentSet, bool) {
	return venues.NewInstrumentSet([]venues.Instrument{{Symbol: "BTCUSDT", SettleCurrency: "USDT"}, {Symbol: "ETHUSDT", SettleCurrency: "USDT"}}), true
}

func (s *Service) call(name, customer string, exchange venues.Venue) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Calls = append(s.Calls, name+" "+customer+":"+string(exchange))
}

// Vault seals credentials as "customer|exchange|key|secret".
type Vault struct{}

// Seal implements registry.Vault.
func (Vault) Seal(customer string, exchange venues.Venue, c venues.Credentials) ([]byte, error) {
	return []byte(customer + "|" + string(exchange) + "|" + c.APIKey.Reveal() + "|" + c.APISecret.Reveal()), nil
}

// Open implements registry.Vault.
func (Vault) Open(customer string, exchange venues.Venue, sealed []byte) (venues.Credentials, error) {
	parts := bytes.Split(sealed, []byte("|"))
	if len(parts) != 4 || string(parts[0]) != customer || string(parts[1]) != string(exchange) {
		return venues.Credentials{}, errors.New("sealed for another account")
	}
	return venues.Credentials{APIKey: venues.Secret(parts[2]), APISecret: venues.Secret(parts[3])}, nil
}

// Secrets seals a secret as "rotations|record|secret".
type Secrets struct{ rotations int }

// Seal implements registry.Secrets.
func (s *Secrets) Seal(secret venues.Secret, of persistence.Key) ([]byte, error) {
	return fmt.Appendf(nil, "%d|%s|%s", s.rotations, of, secret.Reveal()), nil
}

// Open implements registry.Secrets.
func (s *Secrets) Open(sealed []byte, of persistence.Key) (venues.Secret, error) {
	parts := strings.SplitN(string(sealed), "|", 3)
	if len(parts) != 3 || parts[1] != of.String() {
		return "", errors.New("sealed for another record")
	}
	return venues.Secret(parts[2]), nil
}

// Rotate implements registry.Secrets.
func (s *Secrets) Rotate() error { s.rotations++; return nil }

// Examiner returns Results and records what it examined.
type Examiner struct {
	Results  []registry.CheckResult
	Examined []string
}

// Examine implements registry.Examiner.
func (e *Examiner) Examine(_ context.Context, exchange venues.Venue, c venues.Credentials) []registry.CheckResult {
	e.Examined = append(e.Examined, string(exchange)+" "+c.APIKey.Reveal())
	return e.Results
}

// Bots has one bot with a private chat, for every token.
type Bots struct{}

// Chats implements registry.Bots.
func (Bots) Chats(context.Context, venues.Secret) (registry.Bot, error) {
	return registry.Bot{Name: "Desk", Username: "desk_bot", Items: []registry.Chat{{Target: "42", Kind: registry.ChatPrivate, Title: "Ann"}}}, nil
}

// Folder is a directory whose files every endpoint has.
type Folder string

// Files implements registry.FileStore.
func (f Folder) Files(context.Context, persistence.Endpoint) ([]fs.FileInfo, error) {
	entries, err := os.ReadDir(string(f))
	if err != nil {
		return nil, err
	}
	files := make([]fs.FileInfo, len(entries))
	for i, entry := range entries {
		if files[i], err = entry.Info(); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// Open implements registry.FileStore.
func (f Folder) Open(_ context.Context, _ persistence.Endpoint, name string) (*os.File, error) {
	return os.Open(filepath.Join(string(f), filepath.Base(name)))
}

// Latency has one order, ord_1, of the customer Of.
type Latency struct{ Of string }

var hops = registry.OrderLatency{OrderID: "ord_1", ReceivedAt: "2026-03-01T09:00:00.000Z", Total: 900, Hops: map[string]int64{"answered": 900}}

// Latency implements registry.LatencyReader.
func (l *Latency) Latency(customer string) registry.Latency {
	of := registry.VenueLatency{Exchange: "okx", Hops: []registry.HopLatency{}, Slowest: []registry.OrderLatency{}}
	if _, kept := l.OrderLatency(customer, hops.OrderID); kept {
		of.Orders, of.Slowest = 1, append(of.Slowest, hops)
		of.Hops = append(of.Hops, registry.HopLatency{Hop: "total", Orders: 1, P50: 900, P90: 900, P99: 900, P999: 900, Max: 900})
	}
	return registry.Latency{Items: []registry.VenueLatency{of}}
}

// OrderLatency implements registry.LatencyReader.
func (l *Latency) OrderLatency(customer, orderID string) (registry.OrderLatency, bool) {
	return hops, orderID == hops.OrderID && (customer == "" || customer == l.Of)
}

// Trades are those of every customer.
type Trades struct {
	All []registry.Trade
	// Err ends a reading after all trades.
	Err error
	// Queries are those that were read.
	Queries []registry.TradeQuery
}

// Trades implements registry.TradeReader.
func (r *Trades) Trades(_ context.Context, q registry.TradeQuery, do func(registry.Trade) error) error {
	r.Queries = append(r.Queries, q)
	for _, t := range r.All {
		if err := do(t); err != nil {
			return err
		}
	}
	return r.Err
}
