package registry_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/transport/registry"
	"venuegate/transport/registrytest"
	"venuegate/venues"
)

// installation has two customers; alice has one record of every kind.
type installation struct {
	store    *storetest.Memory
	service  *registrytest.Service
	examiner *registrytest.Examiner
	*registry.Registry

	alice, bob                                                     string
	key, account, hook, chart, endpoint, file, alert, user, signal string
}

const fileName = "trades.xlsx"

func newInstallation(t *testing.T) *installation {
	t.Helper()
	in := &installation{store: storetest.NewMemory(), examiner: &registrytest.Examiner{}}
	t.Cleanup(func() { _ = in.store.Close() })
	in.service = &registrytest.Service{Store: in.store}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, fileName), []byte("PK"), 0o600); err != nil {
		t.Fatal(err)
	}
	options := registrytest.Options(in.store, in.service)
	options.Files, options.Examiner = registrytest.Folder(dir), in.examiner
	latency := &registrytest.Latency{}
	options.Latency = latency
	in.Registry = registry.New(options)
	ctx := t.Context()
	in.alice = made(in.Customers.Create(ctx, registry.NewCustomer{Name: "Alice"})).ID
	latency.Of = in.alice
	in.bob = made(in.Customers.Create(ctx, registry.NewCustomer{Name: "Bob"})).ID
	in.key = made(in.Keys.Create(ctx, in.newKey())).ID
	in.user = made(in.Users.Create(ctx, in.newUser())).ID
	in.account = made(in.Accounts.Connect(ctx, in.newAccount())).ID
	in.hook = made(in.Hooks.Create(ctx, in.newHook())).ID
	chart := in.newHook()
	chart.Kind = persistence.ChannelChart
	in.chart = made(in.Hooks.Create(ctx, chart)).ID
	in.endpoint = made(in.Endpoints.Create(ctx, registry.NewEndpoint{Customer: in.alice, URL: "https://r.example"})).ID
	in.file = made(in.Endpoints.Create(ctx, registry.NewEndpoint{Customer: in.alice, Kind: persistence.EndpointFile, Target: fileName})).ID
	in.alert = made(in.Alerts.Create(ctx, in.newAlert())).ID
	delivery := persistence.Delivery{
		Customer: in.alice, Endpoint: in.endpoint, EventID: "evt_1", EventSeq: 1, Type: persistence.EventOrderFilled,
		Status: persistence.DeliveryUndelivered, CreatedAt: venues.At(time.Now()),
	}
	signal := storetest.NewSignal(in.alice, 1)
	signal.ChannelID, in.signal = in.hook, signal.ID
	if err := errors.Join(in.service.Put(ctx, delivery), in.service.Put(ctx, signal)); err != nil {
		t.Fatal(err)
	}
	return in
}

// made panics on an error.
func made[T any](record T, err error) T {
	if err != nil {
		panic(err)
	}
	return record
}

func (in *installation) newKey() registry.NewKey {
	return registry.NewKey{Customer: in.alice, Name: "key", Scopes: []persistence.Scope{persistence.ScopeRead}}
}

func (in *installation) newUser() registry.NewUser {
	return registry.NewUser{Customer: in.alice, Login: "ann", Role: persistence.RoleTrader}
}

func (in *installation) newAccount() registry.NewAccount {
	return registry.NewAccount{Customer: in.alice, Exchange: venues.Binance, Credentials: venues.Credentials{APIKey: "k", APISecret: "s"}}
}

func (in *installation) newHook() registry.NewHook {
	return registry.NewHook{Customer: in.alice, Kind: persistence.ChannelWebhook, Name: "hook"}
}

func (in *installation) newAlert() registry.NewAlert {
	return registry.NewAlert{Customer: in.alice, Exchange: venues.Binance, Symbol: "BTCUSDT", Condition: registry.Condition{Field: "last", Op: "above", Value: "1"}}
}

// call is a call on alice's records through a view.
type call func(ctx context.Context, in *installation, v *registry.View) error

// done drops the result of a call.
func done[T any](_ T, err error) error { return err }

var (
	halted  = true
	newURL  = "https://other.example"
	newName = "other"
)

// calls are those of every resource, by type and method.
var calls = map[string]call{
	"Keys.Create": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Keys.Create(ctx, in.newKey()))
	},
	"Keys.List": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Keys.List(ctx, in.alice))
	},
	"Keys.Get": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Keys.Get(ctx, in.key))
	},
	"Keys.Change": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Keys.Change(ctx, in.key, registry.KeyChange{Name: &newName}))
	},
	"Keys.Rotate": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Keys.Rotate(ctx, in.key, registry.KeyRotation{}))
	},
	"Keys.Revoke": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Keys.Revoke(ctx, in.key))
	},

	"Users.Create": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Users.Create(ctx, registry.NewUser{Customer: in.alice, Login: "ben", Role: persistence.RoleViewer}))
	},
	"Users.List": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Users.List(ctx, in.alice))
	},
	"Users.Get": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Users.Get(ctx, in.user))
	},
	"Users.Change": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Users.Change(ctx, in.user, registry.UserChange{Role: persistence.RoleOwner}))
	},
	"Users.Disable": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Users.Disable(ctx, in.user))
	},
	"Users.Invite": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Users.Invite(ctx, in.user, registry.NewInvite{}))
	},

	"Accounts.Connect": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Accounts.Connect(ctx, in.newAccount()))
	},
	"Accounts.List": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Accounts.List(ctx, in.alice))
	},
	"Accounts.Get": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Accounts.Get(ctx, in.account))
	},
	"Accounts.Change": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Accounts.Change(ctx, in.account, registry.AccountChange{Halted: &halted}))
	},
	"Accounts.Change credentials": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Accounts.Change(ctx, in.account, registry.AccountChange{Credentials: in.newAccount().Credentials}))
	},
	"Accounts.Disconnect": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Accounts.Disconnect(ctx, in.account))
	},
	"Accounts.Check": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Accounts.Check(ctx, in.account))
	},
	"Accounts.Halt": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Accounts.Halt(ctx, in.account, registry.HaltOrder{}))
	},
	"Accounts.HaltAll": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Accounts.HaltAll(ctx, registry.CustomerHalt{Customer: in.alice}))
	},
	"Accounts.Risk": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Accounts.Risk(ctx, in.account))
	},
	"Accounts.Examine": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Accounts.Examine(ctx, in.newAccount()))
	},
	"Accounts.Resume": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Accounts.Resume(ctx, in.account))
	},
	"Accounts.Unlock": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Accounts.Unlock(ctx, in.account))
	},

	"Hooks.Create": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Hooks.Create(ctx, in.newHook()))
	},
	"Hooks.List": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Hooks.List(ctx, in.alice))
	},
	"Hooks.Get": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Hooks.Get(ctx, in.hook))
	},
	"Hooks.Change": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Hooks.Change(ctx, in.hook, registry.HookChange{Name: &newName}))
	},
	"Hooks.Rotate": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Hooks.Rotate(ctx, in.hook, registry.HookRotation{}))
	},
	"Hooks.Address": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Hooks.Address(ctx, in.chart))
	},
	"Hooks.Stats": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Hooks.Stats(ctx, in.hook))
	},
	"Hooks.Remove": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Hooks.Remove(ctx, in.hook))
	},
	"Hooks.Test": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Hooks.Test(ctx, in.hook, []byte(`{"action":"close","exchange":"binance","symbol":"BTCUSDT","requestId":"r1"}`)))
	},
	"Hooks.Fire": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Hooks.Fire(ctx, in.hook, []byte(`{"action":"close","exchange":"binance","symbol":"BTCUSDT","requestId":"r1"}`)))
	},

	"Endpoints.Create": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Endpoints.Create(ctx, registry.NewEndpoint{Customer: in.alice, URL: newURL}))
	},
	"Endpoints.Create signed by a hook": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Endpoints.Create(ctx, registry.NewEndpoint{URL: newURL, HookID: in.hook}))
	},
	"Endpoints.Examine": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Endpoints.Examine(ctx, registry.NewEndpoint{Customer: in.alice, URL: newURL}))
	},
	"Endpoints.Chats": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Endpoints.Chats(ctx, registry.ChatQuery{Customer: in.alice, Secret: "token"}))
	},
	"Endpoints.List": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Endpoints.List(ctx, in.alice))
	},
	"Endpoints.Get": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Endpoints.Get(ctx, in.endpoint))
	},
	"Endpoints.Change": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Endpoints.Change(ctx, in.endpoint, registry.EndpointChange{Name: &newName}))
	},
	"Endpoints.Change target": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Endpoints.Change(ctx, in.endpoint, registry.EndpointChange{URL: &newURL}))
	},
	"Endpoints.Rotate": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Endpoints.Rotate(ctx, in.endpoint, registry.EndpointRotation{}))
	},
	"Endpoints.Remove": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Endpoints.Remove(ctx, in.endpoint))
	},
	"Endpoints.Test": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Endpoints.Test(ctx, in.endpoint))
	},

	"Deliveries.List": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Deliveries.List(ctx, registry.DeliveryFilter{Endpoint: in.endpoint}))
	},
	"Deliveries.List of a customer": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Deliveries.List(ctx, registry.DeliveryFilter{Customer: in.alice}))
	},
	"Deliveries.Get": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Deliveries.Get(ctx, in.endpoint, "evt_1"))
	},
	"Deliveries.Attempts": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Deliveries.Attempts(ctx, in.endpoint, "evt_1", registry.PageRequest{}))
	},
	"Deliveries.Stats": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Deliveries.Stats(ctx, in.endpoint))
	},
	"Deliveries.Resend": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Deliveries.Resend(ctx, in.endpoint, registry.ResendOrder{EventID: "evt_1"}))
	},
	"Deliveries.Resend all": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Deliveries.Resend(ctx, in.endpoint, registry.ResendOrder{All: true}))
	},
	"Deliveries.Resend some": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Deliveries.Resend(ctx, in.endpoint, registry.ResendOrder{EventIDs: []string{"evt_1"}}))
	},
	"Deliveries.Resend since": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Deliveries.Resend(ctx, in.endpoint, registry.ResendOrder{UndeliveredSince: venues.At(time.Now())}))
	},

	"Files.List": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Files.List(ctx, in.file))
	},
	"Files.Open": func(ctx context.Context, in *installation, v *registry.View) error {
		file, err := v.Files.Open(ctx, in.file, fileName)
		if err != nil {
			return err
		}
		return file.Close()
	},

	"Alerts.Create": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Alerts.Create(ctx, in.newAlert()))
	},
	"Alerts.List": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Alerts.List(ctx, in.alice))
	},
	"Alerts.Get": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Alerts.Get(ctx, in.alert))
	},
	"Alerts.Change": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Alerts.Change(ctx, in.alert, registry.AlertChange{Comment: &newName}))
	},
	"Alerts.Remove": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Alerts.Remove(ctx, in.alert))
	},

	"Journal.List": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Journal.List(ctx, registry.JournalFilter{Customer: in.alice}))
	},
	"Journal.Export": func(ctx context.Context, in *installation, v *registry.View) error {
		write, err := v.Journal.Export(ctx, registry.JournalFilter{Customer: in.alice}, registry.FormatLines)
		if err != nil {
			return err
		}
		return write(io.Discard)
	},

	"Signals.List": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Signals.List(ctx, registry.SignalFilter{Customer: in.alice}))
	},
	"Signals.Get": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Signals.Get(ctx, in.signal))
	},
	"Signals.Test": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Signals.Test(ctx, in.signal))
	},

	"Overviews.Get": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Overviews.Get(ctx, in.alice))
	},
	"Latencies.Report": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Latencies.Report(ctx, in.alice))
	},
	"Latencies.Order": func(ctx context.Context, _ *installation, v *registry.View) error {
		return done(v.Latencies.Order(ctx, "ord_1"))
	},
	"Trades.List": func(ctx context.Context, in *installation, v *registry.View) error {
		return done(v.Trades.List(ctx, registry.TradeQuery{Customer: in.alice}, registry.PageRequest{}))
	},
	"Trades.Export": func(ctx context.Context, in *installation, v *registry.View) error {
		write, err := v.Trades.Export(ctx, registry.TradeQuery{Customer: in.alice})
		if err != nil {
			return err
		}
		return write(io.Discard)
	},
}

// state is everything that a call could change.
func (in *installation) state(t *testing.T) string {
	t.Helper()
	text := fmt.Sprintf("%+v %+v %+v %+v %+v %+v", made(in.store.Users(t.Context())), in.service.Customers, in.service.Accounts, in.service.Revoked, in.service.Calls, in.examiner.Examined)
	ctx := t.Context()
	for _, customer := range []string{in.alice, in.bob, ""} {
		text += fmt.Sprintf("\n%+v", made(in.store.Journal(ctx, persistence.JournalQuery{Customer: customer})).Items)
		if customer == "" {
			continue
		}
		text += fmt.Sprintf("\n%+v\n%+v\n%+v\n%+v\n%+v\n%+v",
			made(in.store.APIKeys(ctx, customer)), made(in.store.VenueAccounts(ctx, customer)), made(in.store.Channels(ctx, customer)),
			made(in.store.Endpoints(ctx, customer)), made(in.store.Alerts(ctx, customer)),
			made(in.store.Deliveries(ctx, persistence.DeliveryQuery{Customer: customer})).Items)
	}
	return text
}

// TestRecordsOfAnotherCustomerAreNotFound makes every call on alice's records: in
// her own view it succeeds, in bob's it is not_found and changes nothing.
func TestRecordsOfAnotherCustomerAreNotFound(t *testing.T) {
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			in := newInstallation(t)
			before := in.state(t)
			for name, view := range map[string]*registry.View{"bob": in.For(in.bob, registry.Author{}), "an unknown customer": in.For("cus_none", registry.Author{}), "no customer": in.For("", registry.Author{})} {
				if err := call(t.Context(), in, view); venues.CodeOf(err) != venues.CodeNotFound {
					t.Errorf("call by %s: error %v, want %s", name, err, venues.CodeNotFound)
				}
			}
			if after := in.state(t); after != before {
				t.Errorf("state\n%s\nwant it unchanged\n%s", after, before)
			}
			if err := call(t.Context(), in, in.For(in.alice, registry.Author{})); err != nil {
				t.Errorf("call by the owner: error %v, want none", err)
			}
		})
	}
}

// TestEveryCallIsTestedForIsolation demands an entry of calls for every method of
// every resource of a view.
func TestEveryCallIsTestedForIsolation(t *testing.T) {
	resources := reflect.TypeFor[registry.View]()
	for i := range resources.NumField() {
		resource := resources.Field(i)
		if !resource.IsExported() {
			continue // what belongs to no customer; no view of one customer has it
		}
		for j := range resource.Type.NumMethod() {
			name := resource.Name + "." + resource.Type.Method(j).Name
			if _, tested := calls[name]; !tested {
				t.Errorf("calls has no entry for %s, want one", name)
			}
		}
	}
}

// TestViewOfACustomerHasNoInstallation: customers, the sealing key, the chain and backups are
// in the view of all customers alone.
func TestViewOfACustomerHasNoInstallation(t *testing.T) {
	in := newInstallation(t)
	if got := in.For(in.alice, registry.Author{}).Installation(); got != nil {
		t.Errorf("installation in the view of a customer = %+v, want nil", got)
	}
	if got := in.As(registry.Author{}).Installation(); got == nil {
		t.Error("installation in the view of all customers = nil, want it")
	}
}

// TestViewNeedsNoCustomer: a view makes and lists records of its customer.
func TestViewNeedsNoCustomer(t *testing.T) {
	in, ctx := newInstallation(t), t.Context()
	view := in.For(in.bob, registry.Author{})
	if keys := made(view.Keys.List(ctx, "")); len(keys) != 0 {
		t.Errorf("keys = %+v, want none", keys)
	}
	n := in.newKey()
	n.Customer = ""
	if key := made(view.Keys.Create(ctx, n)); key.Customer != in.bob {
		t.Errorf("customer of the key = %s, want %s", key.Customer, in.bob)
	}
	if keys := made(view.Keys.List(ctx, "")); len(keys) != 1 || keys[0].Customer != in.bob {
		t.Errorf("keys = %+v, want one of %s", keys, in.bob)
	}
	if page := made(view.Journal.List(ctx, registry.JournalFilter{})); len(page.Items) != 1 || page.Items[0].Kind != "admin.key" {
		t.Errorf("journal = %+v, want the row of the key alone: not those of the installation", page.Items)
	}
	if page := made(in.For(in.alice, registry.Author{}).Journal.List(ctx, registry.JournalFilter{})); len(page.Items) == 0 {
		t.Error("journal of the owner is empty, want rows")
	}
}

// TestForeignIDsInFiltersSelectNothing: an event id and a cursor of another
// customer select rows of the view's customer only.
func TestForeignIDsInFiltersSelectNothing(t *testing.T) {
	in, ctx := newInstallation(t), t.Context()
	view := in.For(in.bob, registry.Author{})
	own := made(view.Endpoints.Create(ctx, registry.NewEndpoint{URL: newURL})).ID
	if page := made(view.Deliveries.List(ctx, registry.DeliveryFilter{Endpoint: own, EventID: "evt_1"})); len(page.Items) != 0 {
		t.Errorf("deliveries = %+v, want none", page.Items)
	}
	foreign := made(in.For(in.alice, registry.Author{}).Journal.List(ctx, registry.JournalFilter{Limit: 1})).NextCursor
	for _, row := range made(view.Journal.List(ctx, registry.JournalFilter{Cursor: *foreign})).Items {
		if row.Subject != own {
			t.Errorf("row = %+v, want rows of %s only", row, own)
		}
	}
}
