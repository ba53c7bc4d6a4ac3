package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/valyala/fasthttp"

	"venuegate/venues/simcore"
)

// orderService is a service in a separate process, with a customer for each of its
// accounts at the venue, because a venue limits the orders of one account.
type orderService struct {
	bench     *ordersBench
	demo      *demo
	customers []string
	keys      []orderKey
	// sent counts the orders of each client.
	sent [orderAccounts]int
}

// orderKey is an API key of a customer.
type orderKey struct {
	ID     string `json:"id"`
	APIKey string `json:"apiKey"`
}

// startService starts a service with its store below a directory; empty is the usual
// one. The first account is the demo's, the others are the customers'.
func (b *ordersBench) startService(ctx context.Context, below string, accounts []simcore.Credentials) (*orderService, error) {
	dir, err := os.MkdirTemp(below, "venuegate-bench-")
	if err != nil {
		return nil, err
	}
	b.closers = append(b.closers, func() error { return os.RemoveAll(dir) })
	described, err := json.Marshal(map[string]any{"binance": map[string]string{
		"restUrl": b.venue.At.RestURL, "wsUrl": b.venue.At.WsURL, "controlUrl": b.venue.At.ControlURL,
		"apiKey": accounts[0].APIKey, "apiSecret": accounts[0].APISecret,
	}})
	if err != nil {
		return nil, err
	}
	venues := filepath.Join(dir, "venues.json")
	if err := os.WriteFile(venues, described, 0o600); err != nil {
		return nil, err
	}
	s := &orderService{bench: b}
	if s.demo, err = startDemo(ctx, b.binary, dir, "--sim", venues); err != nil {
		return nil, err
	}
	b.closers = append(b.closers, s.demo.Close)
	for _, account := range accounts[1:] {
		if err := s.addCustomer(account); err != nil {
			return nil, fmt.Errorf("customer %d: %w", len(s.customers), err)
		}
	}
	if err := s.renewKeys(); err != nil {
		return nil, err
	}
	return s, s.awaitAccounts(ctx)
}

func (s *orderService) process() int { return s.demo.command.Process.Pid }

// store returns the directory of the service's store.
func (s *orderService) store() string { return filepath.Join(s.demo.data, "store") }

func (s *orderService) addCustomer(account simcore.Credentials) error {
	var customer struct {
		ID string `json:"id"`
	}
	if err := s.admin("/admin/v1/customers", map[string]any{"name": "bench " + strconv.Itoa(len(s.customers))}, &customer); err != nil {
		return err
	}
	s.customers = append(s.customers, customer.ID)
	return s.admin("/admin/v1/accounts", map[string]any{
		"customer": customer.ID, "exchange": "binance", "apiKey": account.APIKey, "apiSecret": account.APISecret,
	}, nil)
}

// renewKeys replaces the key of each customer by an unused one.
func (s *orderService) renewKeys() error {
	old := s.keys
	s.keys = make([]orderKey, len(s.customers))
	for i, customer := range s.customers {
		if err := s.admin("/admin/v1/keys", map[string]any{"customer": customer, "name": "bench", "scopes": []string{"trade"}}, &s.keys[i]); err != nil {
			return err
		}
	}
	for _, key := range old {
		if _, err := s.administer(fasthttp.MethodDelete, "/admin/v1/keys/"+key.ID, nil); err != nil {
			return err
		}
	}
	return nil
}

// awaitAccounts waits until every account accepts orders.
func (s *orderService) awaitAccounts(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, demoReadyMax)
	defer cancel()
	for account := range s.customers {
		for err := s.orderOf(account); err != nil; err = s.orderOf(account) {
			select {
			case <-ctx.Done():
				return fmt.Errorf("an account accepts no orders: %w", err)
			case <-time.After(demoPoll):
			}
		}
	}
	return nil
}

// order returns a function with which clients send orders, each one order after the
// other. Each client uses its own accounts in turn.
func (s *orderService) order(clients int) func(client, n int) error {
	return func(client, _ int) error {
		account := (client + clients*s.sent[client]) % len(s.customers)
		s.sent[client]++
		return s.orderOf(account)
	}
}

// orderOf places an order of an account.
func (s *orderService) orderOf(account int) error {
	return s.bench.postOrder(s.demo.File.BaseURL+"/v1/orders", "Authorization", "Bearer "+s.keys[account].APIKey, s.bench.orderBody())
}

// admin creates a record and decodes the response into made, if that is not nil.
func (s *orderService) admin(path string, what, made any) error {
	body, err := json.Marshal(what)
	if err != nil {
		return err
	}
	answer, err := s.administer(fasthttp.MethodPost, path, body)
	if err != nil || made == nil {
		return err
	}
	return json.Unmarshal(answer, made)
}

func (s *orderService) administer(method, path string, body []byte) ([]byte, error) {
	return s.bench.call(method, s.demo.File.AdminURL+path, "Authorization", "Bearer "+s.demo.File.AdminToken, body)
}
