package main

import (
	"context"
	"crypto/rand"
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
	"venuegate/transport/auth"
	"venuegate/transport/console"
	"venuegate/transport/registry"
	"venuegate/venues"
)

// Names in the data directory of a demo. demoPreviousName keeps the keys of the
// previous run until the next one is ready.
const (
	demoName         = "demo.json"
	demoPreviousName = "demo.previous.json"
)

// demoCustomer is the name of the demo's customer.
const demoCustomer = "demo"

// DemoFile describes a running demo: its addresses and credentials.
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
	Console    *DemoConsole              `json:"console,omitempty"`
	Sim        map[venues.Venue]SimVenue `json:"sim"`
}

// DemoConsole is the address of the console and its user; nil if it is not enabled.
type DemoConsole struct {
	URL      string `json:"url"`
	User     string `json:"user"`
	Password string `json:"password"`
}

// namesListener reports whether address was configured and can be called. It then has
// precedence over the address of the demo.
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

// writeDemoFile publishes the description of a demo that is ready.
func writeDemoFile(dir string, d DemoFile) error {
	content, err := json.MarshalIndent(d, "", " ") //nolint:gosec // the file exists to hand over the keys
	if err != nil {
		return err
	}
	if err := writeSecretFile(filepath.Join(dir, demoName), append(content, '\n')); err != nil {
		return fmt.Errorf("describe demo: %w", err)
	}
	return nil
}

// retireDemoFile renames the description of an earlier run, so that it is not mistaken
// for the description of this run, and returns it.
func retireDemoFile(dir string) (DemoFile, error) {
	if err := moveDemoFile(dir); err != nil {
		return DemoFile{}, err
	}
	d, err := readDemo(filepath.Join(dir, demoPreviousName))
	if errors.Is(err, fs.ErrNotExist) {
		return DemoFile{}, nil
	}
	return d, err
}

func moveDemoFile(dir string) error {
	err := os.Rename(filepath.Join(dir, demoName), filepath.Join(dir, demoPreviousName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("move the description of the previous demo: %w", err)
	}
	return nil
}

// calledDemo returns the description of the demo on a data directory, for a command that calls
// it; nil if it is not a demo's. It returns errNoDemo if the demo has ended: another process may
// listen on its addresses now.
func calledDemo(dir string) (*DemoFile, error) {
	d, err := readDemoFile(dir)
	if err != nil {
		return nil, nil //nolint:nilerr,nilnil // none is described
	}
	if _, err := demoProcess(dir); errors.Is(err, errNoDemo) {
		return nil, err
	}
	return &d, nil
}

// demoVenues returns the simulated venues of a demo: those of --sim, or those of
// the demo that runs on the data directory.
func demoVenues(config Config) (map[venues.Venue]SimVenue, error) {
	if config.Sim != "" {
		return readSimFile(config.Sim)
	}
	d, err := readDemoFile(config.Data)
	return d.Sim, err
}

const (
	// readyPoll is the interval at which the demo checks whether an account is ready.
	readyPoll = 50 * time.Millisecond
	// demoReadyMax bounds the start of the demo. Rate limits slow down an account
	// with many orders that its venue no longer returns.
	demoReadyMax = 4 * time.Minute
)

// demoSetup creates the records of a demo that do not exist yet.
type demoSetup struct {
	store    persistence.Reader
	registry *registry.Registry
	vault    credentialVault
	venues   map[venues.Venue]SimVenue
	previous DemoFile
	baseURL  string
	receiver *receiver
	// secretOf returns the current signing secret of an endpoint.
	secretOf func(ctx context.Context, customer, endpoint string) (venues.Secret, error)
	// ready returns nil if an account of the service accepts orders.
	ready func(ctx context.Context, customer string, exchange venues.Venue) error
	// passwords is nil if the console is not enabled.
	passwords  *console.Passwords
	consoleURL string
}

// prepare creates the customer, its keys, accounts, channels and endpoint, and
// waits until the accounts are ready. Records of an earlier run that still work
// are kept. It sets only the parts of DemoFile that it creates.
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
	if d.Console, err = s.user(ctx, customer); err != nil {
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

// waitReady waits until the account accepts orders.
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
	customers, err := s.registry.Customers.List(ctx, "")
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(customers, func(c registry.Customer) bool { return c.Name == demoCustomer && !c.Disabled })
	if i >= 0 {
		return customers[i].ID, nil
	}
	made, err := s.registry.Customers.Create(ctx, registry.NewCustomer{Name: demoCustomer})
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
	made, err := s.registry.For(customer, registry.Author{}).Keys.Create(ctx, registry.NewKey{Name: name, Scopes: scopes})
	return made.APIKey, err
}

// demoUser is the login of the demo's user of the console.
const demoUser = "demo"

// user creates the user of the console, an owner, or returns the one of an earlier run if the
// password is still right.
func (s demoSetup) user(ctx context.Context, customer string) (*DemoConsole, error) {
	if s.passwords == nil {
		return nil, nil
	}
	d := &DemoConsole{URL: s.consoleURL + "/console", User: demoUser, Password: rand.Text()}
	user, err := s.store.User(ctx, demoUser)
	switch {
	case errors.Is(err, persistence.ErrNotFound):
		_, err = s.registry.For(customer, registry.Author{}).Users.Create(ctx, registry.NewUser{Login: demoUser, Role: persistence.RoleOwner})
	case err == nil && s.previous.Console != nil && !user.Disabled:
		valid, err := s.passwords.Verify(ctx, user.Password, s.previous.Console.Password)
		if err != nil || valid {
			d.Password = s.previous.Console.Password
			return d, err
		}
	}
	if err != nil {
		return nil, err
	}
	hash, err := s.passwords.Hash(ctx, d.Password)
	if err != nil {
		return nil, err
	}
	_, err = s.registry.SignIns(registry.Author{}).Edit(ctx, demoUser, registry.Edit{Action: "demo", EndOthers: true, Change: func(u *persistence.User) error {
		*u = persistence.User{Login: demoUser, Customer: customer, Role: persistence.RoleOwner, CreatedAt: u.CreatedAt, Password: hash}
		return nil
	}})
	return d, err
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
		credentials, err := s.vault.Open(customer, venue, a.Sealed)
		if err == nil && credentials == described.credentials() {
			return nil
		}
	}
	_, err = s.registry.For(customer, registry.Author{}).Accounts.Connect(ctx, registry.NewAccount{Exchange: venue, Credentials: described.credentials()})
	if err != nil {
		return fmt.Errorf("connect the demo to %s: %w", venue, err)
	}
	return nil
}
