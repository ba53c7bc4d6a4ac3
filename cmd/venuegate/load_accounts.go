package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"venuegate/bench/load"
	"venuegate/persistence"
	"venuegate/transport/api"
	venuegate "venuegate/transport/clients/go"
	"venuegate/transport/registry"
	"venuegate/venues"
)

const (
	// loadCustomer begins the names of the customers of a load.
	loadCustomer = "load "
	// loadReadyMax bounds the wait for their accounts.
	loadReadyMax = 2 * time.Minute
	// loadSpare is the part of the limit of a key or a channel that a load uses.
	loadSpare = 0.8
	// loadEndMax bounds the revocation of keys.
	loadEndMax = 30 * time.Second
)

// loadAccounts are customers of the demo with simulated accounts, and keys for them, for a load.
type loadAccounts struct {
	admin    *adminClient
	demo     *DemoFile
	exchange venues.Venue
	// made are the paths of what was made for this load.
	made []string
}

// openKeys returns as many keys of customers as a rate needs, at least one of each.
func (a *loadAccounts) openKeys(ctx context.Context, customers []string, rate float64) (keys []string, err error) {
	for i := range max(neededFor(rate, api.TradesPerWindow), len(customers)) {
		key, err := create[registry.Key](ctx, a.admin, "keys", registry.NewKey{
			Customer: customers[i%len(customers)], Name: "load", Scopes: []persistence.Scope{persistence.ScopeRead, persistence.ScopeTrade, persistence.ScopeAccount},
		})
		if err != nil {
			return nil, err
		}
		a.made = append(a.made, "keys/"+key.ID)
		keys = append(keys, key.APIKey)
	}
	for i := range customers {
		if err := a.awaitAccount(ctx, keys[i]); err != nil {
			return nil, err
		}
	}
	return keys, nil
}

// openChannels returns as many channels of customers as a rate needs.
func (a *loadAccounts) openChannels(ctx context.Context, customers []string, rate float64) (channels []load.Channel, err error) {
	for i := range neededFor(rate, api.SignalsPerWindow) {
		hook, err := create[registry.Hook](ctx, a.admin, "hooks", map[string]any{"customer": customers[i%len(customers)], "name": "load", "kind": persistence.ChannelWebhook})
		if err != nil {
			return nil, err
		}
		a.made = append(a.made, "hooks/"+hook.ID)
		channels = append(channels, load.Channel{URL: hook.URL, Secret: hook.Secret})
	}
	return channels, nil
}

// neededFor returns how many keys or channels with a limit per window a rate per second needs.
func neededFor(rate float64, perWindow int) int {
	return int(math.Ceil(rate * api.RateWindow.Seconds() / (float64(perWindow) * loadSpare)))
}

// customers returns the customer of the demo, or n others with accounts of their own if n is not
// zero. Those of an earlier load are used again.
func (a *loadAccounts) customers(ctx context.Context, n int) (ids []string, err error) {
	known, err := list[registry.Customer](ctx, a.admin, "customers", "")
	if err != nil {
		return nil, err
	}
	named := func(name string) int {
		return slices.IndexFunc(known, func(c registry.Customer) bool { return c.Name == name && !c.Disabled })
	}
	if n == 0 {
		if i := named(demoCustomer); i >= 0 {
			return []string{known[i].ID}, nil
		}
		return nil, errors.New("the customer of the demo is disabled")
	}
	for number := range n {
		name := loadCustomer + string(a.exchange) + fmt.Sprint(" ", number+1)
		if i := named(name); i >= 0 {
			ids = append(ids, known[i].ID)
			continue
		}
		id, err := a.create(ctx, name)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// create creates a customer with an account at the simulated venue.
func (a *loadAccounts) create(ctx context.Context, name string) (id string, err error) {
	credentials, err := simulatedAccount(ctx, a.demo.Sim[a.exchange].ControlURL)
	if err != nil {
		return "", fmt.Errorf("create an account of %s: %w", a.exchange, err)
	}
	customer, err := create[registry.Customer](ctx, a.admin, "customers", registry.NewCustomer{Name: name})
	if err != nil {
		return "", err
	}
	_, err = create[registry.Account](ctx, a.admin, "accounts", map[string]any{
		"customer": customer.ID, "exchange": a.exchange,
		"apiKey": credentials.APIKey, "apiSecret": credentials.APISecret, "passphrase": credentials.Passphrase,
	})
	return customer.ID, err
}

// simulatedAccount creates an account over the control interface of a simulated venue.
func simulatedAccount(ctx context.Context, control string) (account SimVenue, err error) {
	if control == "" {
		return account, errors.New("the demo does not simulate it")
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, control+"/accounts", bytes.NewReader([]byte("{}")))
	if err != nil {
		return account, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := (&http.Client{Timeout: adminCallTimeout}).Do(request)
	if err != nil {
		return account, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, adminResponseMax))
	if err != nil {
		return account, err
	}
	if response.StatusCode/100 != 2 {
		return account, responseError(response.Status, text)
	}
	return account, json.Unmarshal(text, &account)
}

// awaitAccount waits until the account of a key answers.
func (a *loadAccounts) awaitAccount(ctx context.Context, key string) error {
	ctx, cancel := context.WithTimeout(ctx, loadReadyMax)
	defer cancel()
	client, err := venuegate.NewClient(venuegate.Options{URL: a.demo.BaseURL, Key: key})
	if err != nil {
		return err
	}
	exchange := venuegate.Exchange(a.exchange)
	ticker := time.NewTicker(readyPoll)
	defer ticker.Stop()
	for {
		found, err := client.Account(ctx, venuegate.GetAccountParams{Exchange: &exchange})
		if err == nil && len(found.Items) > 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("an account of %s is not ready: %w", a.exchange, ctx.Err()), err)
		case <-ticker.C:
		}
	}
}

// close removes the keys and channels. The customers stay for the next load.
func (a *loadAccounts) close(ctx context.Context) (failed error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), loadEndMax)
	defer cancel()
	for _, path := range a.made {
		failed = errors.Join(failed, a.admin.call(ctx, http.MethodDelete, "/admin/v1/"+path, nil, nil))
	}
	return failed
}
