package storetest

import (
	"encoding/json"
	"fmt"

	"venuegate/persistence"
	"venuegate/venues"
)

// NewOrder returns the n-th order of a customer: a complete pending record, created n
// milliseconds after a fixed time.
func NewOrder(customer string, n int) persistence.OrderRecord {
	return persistence.OrderRecord{
		Order: venues.Order{
			OrderID:   fmt.Sprintf("ord_%06d", n),
			RequestID: fmt.Sprintf("request-%d", n),
			Exchange:  venues.All()[n%3],
			Status:    venues.StatusPending,
			OrderSpec: venues.OrderSpec{
				Symbol: []string{"BTCUSDT", "ETHUSDT"}[n%2], Side: venues.Buy, Type: venues.TypeLimit,
				Qty: venues.MustDecimal("0.75"), Price: venues.Some(venues.MustDecimal("64000.5")),
				StopLoss: venues.Some(venues.MustDecimal("60000")), TimeInForce: venues.GoodTillCancel,
			},
			Protection: &venues.Protection{
				StopLoss: &venues.ProtectionLeg{Status: venues.ProtectionTriggered, Price: venues.MustDecimal("60000")},
			},
			Source: venues.SourceAPI, Comment: "of " + customer, CreatedAt: timeAt(n), UpdatedAt: timeAt(n),
		},
		Customer: customer, ClientOrderID: fmt.Sprintf("vg%06d", n), Deadline: timeAt(n + 5000),
		Attempt: 1, Scope: persistence.ScopeREST,
	}
}

// NewFill returns the n-th fill of a customer, of the order with the same number.
func NewFill(customer string, n int) persistence.FillRecord {
	return persistence.FillRecord{
		Fill: venues.Fill{
			FillID: fmt.Sprintf("fil_%06d", n), OrderID: fmt.Sprintf("ord_%06d", n), Exchange: venues.All()[n%3],
			Symbol: []string{"BTCUSDT", "ETHUSDT"}[n%2], Side: venues.Buy, Qty: venues.MustDecimal("0.25"),
			Price: venues.MustDecimal("64000.123456789012345678"), Fee: venues.Some(venues.MustDecimal("-0.01")),
			FeeCurrency: "USDT", Liquidity: venues.Maker, Source: venues.SourceAPI,
			VenueTradeID: fmt.Sprint(n), ExecutedAt: timeAt(n),
		},
		Customer: customer,
	}
}

// NewIdempotency returns the record that binds a request id to the order with number n.
func NewIdempotency(customer, requestID string, attempt, n int) persistence.IdempotencyRecord {
	return persistence.IdempotencyRecord{
		Customer: customer, Scope: persistence.ScopeREST, RequestID: requestID, Attempt: attempt,
		OrderID: fmt.Sprintf("ord_%06d", n), BodyHash: []byte{1, 2, 3}, FirstReceived: timeAt(n),
	}
}

// NewEvent returns the event with a sequence number, created that many milliseconds
// after the fixed time.
func NewEvent(seq int) persistence.Event {
	return persistence.Event{
		ID: fmt.Sprintf("evt_%06d", seq), Seq: uint64(seq), Type: persistence.EventOrderFilled,
		CreatedAt: timeAt(seq), Data: json.RawMessage(fmt.Sprintf(`{"n":%d,"text":"<&>"}`, seq)),
	}
}

// NewJournal returns the journal row with a sequence number, created that many
// milliseconds after the fixed time.
func NewJournal(seq int) persistence.JournalEntry {
	return persistence.JournalEntry{
		ID: fmt.Sprintf("jrn_%06d", seq), Seq: uint64(seq), At: timeAt(seq),
		Kind: []string{"order", "signal", "risk"}[seq%3], Subject: fmt.Sprintf("ord_%06d", seq/4),
		Fields: []persistence.JournalField{{Name: "n", Value: fmt.Sprint(seq)}},
	}
}

// NewUser returns the n-th user of a customer.
func NewUser(customer string, n int) persistence.User {
	return persistence.User{
		Login: fmt.Sprintf("user-%d", n), Customer: customer, Role: persistence.RoleTrader, CreatedAt: timeAt(n),
		Password: "$argon2id$", Sealed: []byte{1, 0}, UsedStep: 60_000_000, Recovery: []string{"a", "b"}, Sources: []string{"192.0.2.1"},
		Preferences: persistence.UserPreferences{Zone: "UTC", NoShortcuts: true},
	}
}

// NewSession returns the n-th session, of a user. It ends n milliseconds after the fixed time.
func NewSession(user string, n int) persistence.Session {
	return persistence.Session{
		ID: fmt.Sprintf("ses_%06d", n), User: user, Listener: "public", Hash: []byte{255, 0}, Source: "192.0.2.1", Browser: "Firefox",
		CreatedAt: timeAt(0), SeenAt: timeAt(0), SteppedUpAt: timeAt(0), EndsAt: timeAt(n),
	}
}

// NewChannel returns the n-th channel of a customer.
func NewChannel(customer string, n int) persistence.Channel {
	return persistence.Channel{
		ID: fmt.Sprintf("hook_%06d", n), Customer: customer, Kind: persistence.ChannelWebhook, Name: "of " + customer,
		Sealed: []byte{1, 2}, Allow: []string{"10.0.0.0/8"},
		Rules: persistence.ChannelRules{
			Symbols: []string{"BTCUSDT"}, MaxQty: venues.Some(venues.MustDecimal("1.5")), Opposite: persistence.OppositeReverse,
		},
		CreatedAt: timeAt(n),
	}
}

// NewSignal returns the n-th signal of a customer's first channel, received n
// milliseconds after the fixed time.
func NewSignal(customer string, n int) persistence.SignalRecord {
	return persistence.SignalRecord{
		Signal: venues.Signal{
			Customer: customer, ChannelID: "hook_000001", Action: venues.ActionOrder, Exchange: venues.All()[n%3],
			Symbol: "BTCUSDT", Side: venues.Buy, Qty: venues.Some(venues.MustDecimal("0.01")), Type: venues.TypeMarket,
			StopLoss: venues.Some(venues.MustDecimal("60000")), RequestID: fmt.Sprintf("request-%d", n),
			BodyHash: []byte{1, 2, 3}, Source: venues.SourceWebhook, ReceivedAt: timeAt(n),
		},
		ID: fmt.Sprintf("sig_%06d", n), Status: persistence.SignalAccepted, ExpiresAt: timeAt(n + 60_000), UpdatedAt: timeAt(n),
	}
}

// NewEndpoint returns the n-th endpoint of a customer.
func NewEndpoint(customer string, n int) persistence.Endpoint {
	return persistence.Endpoint{
		ID: fmt.Sprintf("end_%06d", n), Customer: customer, Kind: persistence.EndpointWebhook, Target: "https://example.com/" + customer,
		Types: []persistence.EventType{persistence.EventOrderFilled}, Sealed: []byte{3}, CreatedAt: timeAt(n),
	}
}

// NewDelivery returns the delivery of the n-th event to a customer's first endpoint,
// due when it is created.
func NewDelivery(customer string, n int) persistence.Delivery {
	return persistence.Delivery{
		Customer: customer, Endpoint: "end_000001", EventID: fmt.Sprintf("evt_%06d", n), EventSeq: uint64(n),
		Type: persistence.EventOrderFilled, Status: persistence.DeliveryPending,
		DueAt: timeAt(n), CreatedAt: timeAt(n), UpdatedAt: timeAt(n),
	}
}

// NewAlert returns the n-th alert of a customer.
func NewAlert(customer string, n int) persistence.Alert {
	return persistence.Alert{
		ID: fmt.Sprintf("alr_%06d", n), Customer: customer, Exchange: venues.OKX, Symbol: "BTCUSDT",
		Condition: venues.PriceCondition{Field: venues.FieldMark, Op: venues.OpCrossesAbove, Value: venues.MustDecimal("70000.5")},
		Status:    persistence.AlertArmed, CreatedAt: timeAt(n),
	}
}
