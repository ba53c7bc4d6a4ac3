package root_test

import (
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// After a start every request about a customer is rejected with maintenance until its
// accounts and channels are opened, never as if it had none.
func TestRequestsAreMaintenanceUntilTheCustomerIsLoaded(t *testing.T) {
	d := open(t)
	configureHook(t, d.tree, persistence.Channel{ID: "hook_1", Customer: "c1", Kind: persistence.ChannelWebhook})
	order := d.becomes(venues.StatusOpen, "r1", spec(venues.Buy, venues.TypeLimit, "1", "20000"))
	d.stop()
	d.store.RejectAll(persistence.ErrUnavailable) // the customer cannot be owned
	d.start(t.Context())

	ctx := t.Context()
	command := venues.Command{Customer: "c1"}
	requests := map[string]func() error{
		"place": func() error {
			_, err := d.tree.Place(ctx, venues.PlaceOrder{Command: command, Exchange: venues.Binance, OrderSpec: spec(venues.Buy, venues.TypeLimit, "1", "20000")})
			return err
		},
		"close": func() error {
			_, err := d.tree.Close(ctx, venues.ClosePosition{Command: command, Exchange: venues.Binance, Symbol: "BTCUSDT"})
			return err
		},
		"cancel": func() error {
			_, err := d.tree.Cancel(ctx, venues.CancelOrder{Command: command, OrderID: order.OrderID})
			return err
		},
		"cancel all": func() error {
			_, err := d.tree.CancelAll(ctx, venues.CancelOrders{Command: command})
			return err
		},
		"balances": func() error {
			_, _, err := d.tree.Balances(ctx, venues.ReadAccount{Command: command})
			return err
		},
		"positions at a venue": func() error {
			_, _, err := d.tree.Positions(ctx, venues.ReadAccount{Command: command, Exchange: venues.Binance})
			return err
		},
		"channel": func() error { _, err := d.tree.Channel("hook_1"); return err },
		"signal": func() error {
			_, err := d.tree.Accept(ctx, venues.Signal{Customer: "c1", ChannelID: "hook_1", Action: venues.ActionNotify})
			return err
		},
		"stream": func() error {
			_, err := d.tree.Subscribe(ctx, "c1", venues.Topic{Kind: venues.TopicOrders}, discard{})
			return err
		},
	}
	for name, request := range requests {
		err := request()
		e, _ := err.(*venues.Error) //nolint:errorlint // the edges need it as it is
		if e == nil || e.Code != venues.CodeMaintenance || e.RetryAfter <= 0 {
			t.Errorf("%s of a customer that is loading: error %v, want maintenance with RetryAfter", name, err)
		}
	}
	d.store.RejectAll(nil)
	deadline := time.Now().Add(testTimeout)
	for d.tree.AccountReady(ctx, "c1", venues.Binance) != nil {
		if time.Now().After(deadline) {
			t.Fatal("account is not ready, want it ready")
		}
		time.Sleep(time.Millisecond)
	}
	if _, err := d.tree.Channel("hook_1"); err != nil {
		t.Errorf("channel of a loaded customer: error %v, want none", err)
	}
	if _, err := d.tree.Channel("hook_2"); venues.CodeOf(err) != venues.CodeNotFound {
		t.Errorf("unknown channel: error %v, want not_found", err)
	}
	if list, _, err := d.tree.Balances(ctx, venues.ReadAccount{Command: command}); err != nil || len(list) == 0 {
		t.Errorf("balances of a loaded customer = %v, %v; want some", list, err)
	}
}

// discard is a sink of frames.
type discard struct{}

func (discard) Deliver(venues.Frame) {}
