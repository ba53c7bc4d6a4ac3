package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"venuegate/persistence"
	"venuegate/transport/admin"
	"venuegate/transport/auth"
	"venuegate/venues"
)

// Names in the data directory of a demo. The second keeps the keys of a run
// while the next one is not ready yet.
const (
	demoName         = "demo.json"
	demoPreviousName = "demo.previous.json"
)

// demoCustomer is the name of the customer that the demo makes.
const demoCustomer = "demo"

// DemoFile describes a demo that serves: where it is and what opens it.
type DemoFile struct {
	BaseURL    string                    `json:"baseUrl"`
	WSURL      string                    `json:"wsUrl"`
	AdminURL   string                    `json:"adminUrl"`
	AdminToken string                    `json:"adminToken"`
	APIKey     string                    `json:"apiKey"`
	ReadKey    string                    `json:"readKey"`
	Hook       DemoHook                  `json:"hook"`
	Chart      DemoChart                 `json:"chart"`
	Receiver   DemoReceiver              `json:"receiver"`
	Sim        map[venues.Venue]SimVenue `json:"sim"`
}

// namesListener says whether somebody configured an address that can be called,
// which then wins over that of a demo.
func namesListener(address, fallback string) bool {
	return address != fallback && !strings.HasSuffix(address, ":0")
}

func readDemoFile(dir string) (DemoFile, error) { return readDemo(filepath.Join(dir, demoName)) }

func readDemo(name string) (DemoFile, error) {
	var d DemoFile
	content, err := os.ReadFile(name)
	if err != nil {
		return d, fmt.Errorf("read demo: %w", err)
	}
	if err := json.Unmarshal(content, &d); err != nil {
		return d, fmt.Errorf("read demo from %s: %w", name, err)
	}
	return d, nil
}

// writeDemoFile says that the demo serves.
func writeDemoFile(dir string, d DemoFile) error {
	content, err := json.MarshalIndent(d, "", " ") //nolint:gosec // handing over the keys is what the file is for
	if err != nil {
		return err
	}
	if err := writeSecretFile(filepath.Join(dir, demoName), append(content, '\n')); err != nil {
		return fmt.Errorf("describe demo: %w", err)
	}
	return nil
}

// withdrawDemoFile takes the description of an earlier run away, so that nobody
// mistakes it for this one's, and gives what it said.
func withdrawDemoFile(dir string) (DemoFile, error) {
	current, previous := filepath.Join(dir, demoName), filepath.Join(dir, demoPreviousName)
	if err := os.Rename(current, previous); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return DemoFile{}, fmt.Errorf("withdraw demo: %w", err)
	}
	d, err := readDemo(previous)
	if errors.Is(err, fs.ErrNotExist) {
		return DemoFile{}, nil
	}
	return d, err
}

// demoVenues finds the simulated venues of a demo: those of --sim, or those of
// the demo that runs on the data directory.
func demoVenues(config Config) (map[venues.Venue]SimVenue, error) {
	if config.Sim != "" {
		return readSimFile(config.Sim)
	}
	d, err := readDemoFile(config.Data)
	return d.Sim, err
}

const (
	// readyPoll is how often the demo looks whether an account takes orders.
	readyPoll = 50 * time.Millisecond
	// demoReadyMax is how long the demo may take to serve: an account with many
	// orders that its venue has forgotten is limited in how fast it may ask for them.
	demoReadyMax = 4 * time.Minute
)

// demoSetup makes what a demo needs and is not there yet.
type demoSetup struct {
	store    persistence.Reader
	registry *admin.Registry
	venues   map[venues.Venue]SimVenue
	previous DemoFile
	baseURL  string
	receiver *receiver
	// secretOf is what signs for an endpoint now.
	secretOf func(ctx context.Context, customer, endpoint string) (venues.Secret, error)
	// ready says whether the service and an account of it take orders.
	ready func(ctx context.Context, customer string, exchange venues.Venue) error
}

// prepare makes the customer, its keys, its accounts, channels and endpoint, and
// waits until the accounts trade. What an earlier run made and still works is
// kept. Only the parts of DemoFile that it makes are set.
func (s demoSetup) prepare(ctx context.Context) (DemoFile, error) {
	customer, err := s.customer(ctx)
	if err != nil {
		return DemoFile{}, err
	}
	d := DemoFile{Sim: s.venues}
	all := []persistence.Scope{persistence.ScopeRead, persistence.ScopeTrade, persistence.ScopeAccount}
	if d.APIKey, err = s.key(ctx, customer, "demo", s.previous.APIKey, all...); err != nil {
		return DemoFile{}, err
	}
	if d.ReadKey, err = s.key(ctx, customer, "demo, read only", s.previous.ReadKey, persistence.ScopeRead); err != nil {
		return DemoFile{}, err
	}
	for _, venue := range venues.All() {
		if described, simulated := s.venues[venue]; simulated {
			if err := s.account(ctx, customer, venue, described); err != nil {
				return DemoFile{}, err
			}
			if err := s.waitReady(ctx, customer, venue); err != nil {
				return DemoFile{}, err
			}
		}
	}
	return d, s.signals(ctx, customer, &d)
}

// waitReady looks until the account takes orders.
func (s demoSetup) waitReady(ctx context.Context, customer string, venue venues.Venue) error {
	ticker := time.NewTicker(readyPoll)
	defer ticker.Stop()
	for {
		err := s.ready(ctx, customer, venue)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %w", venue, err)
		case <-ticker.C:
		}
	}
}

func (s demoSetup) customer(ctx context.Context) (string, error) {
	customers, err := s.registry.Customers(ctx)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(customers, func(c admin.Customer) bool { return c.Name == demoCustomer && !c.Disabled })
	if i >= 0 {
		return customers[i].ID, nil
	}
	made, err := s.registry.CreateCustomer(ctx, admin.NewCustomer{Name: demoCustomer})
	return made.ID, err
}

func (s demoSetup) key(ctx context.Context, customer, name, previous string, scopes ...persistence.Scope) (string, error) {
	if previous != "" {
		loopback := netip.AddrFrom4([4]byte{127, 0, 0, 1})
		principal, err := auth.NewAuthenticator(s.store).Authenticate(ctx, previous, loopback)
		if err == nil && principal.Customer == customer {
			return previous, nil
		}
	}
	made, err := s.registry.CreateKey(ctx, admin.NewKey{Customer: customer, Name: name, Scopes: scopes})
	return made.APIKey, err
}

// account connects the venue's funded account, unless it is connected already.
func (s demoSetup) account(ctx context.Context, customer string, venue venues.Venue, described SimVenue) error {
	accounts, err := s.store.VenueAccounts(ctx, customer)
	if err != nil {
		return fmt.Errorf("read accounts of the demo: %w", err)
	}
	for _, a := range accounts {
		if a.Exchange != venue || len(a.Sealed) == 0 {
			continue
		}
		credentials, err := s.registry.Vault.Open(customer, venue, a.Sealed)
		if err == nil && credentials == described.credentials() {
			return nil
		}
	}
	_, err = s.registry.ConnectAccount(ctx, admin.NewAccount{Customer: customer, Exchange: venue, Credentials: described.credentials()})
	if err != nil {
		return fmt.Errorf("connect the demo to %s: %w", venue, err)
	}
	return nil
}
