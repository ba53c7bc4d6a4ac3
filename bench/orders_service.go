package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// orderService is a service as a process of its own, with a customer and an account
// at the venue for each client: a venue takes only so many orders from one.
type orderService struct {
	bench     *ordersBench
	demo      *demo
	customers []string
	keys      []string
}

// startService starts a service with its store in dir.
func (b *ordersBench) startService(ctx context.Context, binary, dir string, clients int) (*orderService, error) {
	// The service connects the account that describes the venue.
	first, err := b.sim.NewAccount()
	if err != nil {
		return nil, err
	}
	at := b.sim.Endpoints()
	described, err := json.Marshal(map[string]map[string]string{"binance": {
		"restUrl": at.RestURL, "wsUrl": at.WsURL, "controlUrl": at.ControlURL,
		"apiKey": first.Credentials.APIKey, "apiSecret": first.Credentials.APISecret,
	}})
	if err != nil {
		return nil, err
	}
	venues := filepath.Join(dir, "venues.json")
	if err := os.WriteFile(venues, described, 0o600); err != nil {
		return nil, err
	}
	s := &orderService{bench: b}
	if s.demo, err = startDemo(ctx, binary, dir, "--sim", venues); err != nil {
		return nil, err
	}
	b.closers = append(b.closers, s.demo.Close)
	for client := range clients {
		if err := s.addCustomer(client); err != nil {
			return nil, fmt.Errorf("customer %d: %w", client, err)
		}
	}
	if err := s.renewKeys(clients); err != nil {
		return nil, err
	}
	return s, s.awaitAccounts(ctx)
}

func (s *orderService) addCustomer(client int) error {
	account, err := s.bench.sim.NewAccount()
	if err != nil {
		return err
	}
	var customer struct {
		ID string `json:"id"`
	}
	if err := s.admin("/admin/v1/customers", map[string]any{"name": "bench " + strconv.Itoa(client)}, &customer); err != nil {
		return err
	}
	s.customers = append(s.customers, customer.ID)
	return s.admin("/admin/v1/accounts", map[string]any{
		"customer": customer.ID, "exchange": "binance", "apiKey": account.Credentials.APIKey, "apiSecret": account.Credentials.APISecret,
	}, nil)
}

// renewKeys gives each client a key that has sent nothing yet.
func (s *orderService) renewKeys(clients int) error {
	s.keys = s.keys[:0]
	for _, customer := range s.customers[:clients] {
		var created struct {
			Key string `json:"apiKey"`
		}
		if err := s.admin("/admin/v1/keys", map[string]any{"customer": customer, "name": "bench", "scopes": []string{"trade"}}, &created); err != nil {
			return err
		}
		s.keys = append(s.keys, created.Key)
	}
	return nil
}

// awaitAccounts waits until every account takes orders.
func (s *orderService) awaitAccounts(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, demoReadyMax)
	defer cancel()
	for client := range s.customers {
		for err := s.order(client); err != nil; err = s.order(client) {
			select {
			case <-ctx.Done():
				return fmt.Errorf("an account takes no orders: %w", err)
			case <-time.After(demoPoll):
			}
		}
	}
	return nil
}

// order places an order that cannot rest and finds nothing to fill.
func (s *orderService) order(client int) error {
	body := fmt.Appendf(nil, `{"exchange":"binance","symbol":"BTCUSDT","side":"buy","type":"limit","qty":"1","price":"20000","timeInForce":"ioc","requestId":"r%d"}`,
		s.bench.requests.Add(1))
	return s.bench.postOrder(s.demo.File.BaseURL+"/v1/orders", "Authorization", "Bearer "+s.keys[client], body)
}

// admin makes something; made is what the administration tells of it, or nil.
func (s *orderService) admin(path string, what, made any) error {
	body, err := json.Marshal(what)
	if err != nil {
		return err
	}
	answer, err := s.bench.post(s.demo.File.AdminURL+path, "Authorization", "Bearer "+s.demo.File.AdminToken, body)
	if err != nil || made == nil {
		return err
	}
	return json.Unmarshal(answer, made)
}
