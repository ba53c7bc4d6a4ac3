package persistence

import "strconv"

// Kind of a record; part of its key and stable for ever.
type Kind string

// Kinds of record.
const (
	KindCustomer     Kind = "customer"
	KindAPIKey       Kind = "apikey"
	KindVenueAccount Kind = "venueaccount"
	KindOrder        Kind = "order"
	KindIdempotency  Kind = "idempotency"
	KindFill         Kind = "fill"
	KindAccountState Kind = "accountstate"
	KindSetting      Kind = "setting"
	KindRisk         Kind = "risk"
	KindPosition     Kind = "position"

	KindChannel        Kind = "channel"
	KindSignal         Kind = "signal"
	KindEndpoint       Kind = "endpoint"
	KindEndpointCursor Kind = "endpointcursor"
	KindDelivery       Kind = "delivery"
	KindAlert          Kind = "alert"
)

// Key names one record. Customer is empty for the installation's own.
type Key struct {
	Kind     Kind
	Customer string
	ID       string
}

func (k Key) String() string { return k.Customer + "/" + string(k.Kind) + "/" + k.ID }

// Record is anything that a Batch can put. The set is closed: each type below
// says its own key, and stores know how to find it again.
type Record interface {
	Key() Key
}

// Key of a customer.
func (c Customer) Key() Key { return Key{Kind: KindCustomer, ID: c.ID} }

// Key of an API key: found by its public id before the customer is known.
func (k APIKey) Key() Key { return Key{Kind: KindAPIKey, ID: k.ID} }

// Key of a connected account: at most one per exchange.
func (a VenueAccount) Key() Key {
	return Key{Kind: KindVenueAccount, Customer: a.Customer, ID: string(a.Exchange)}
}

// Key of an order.
func (o OrderRecord) Key() Key { return Key{Kind: KindOrder, Customer: o.Customer, ID: o.OrderID} }

// Key of one attempt under a request id.
func (r IdempotencyRecord) Key() Key {
	return Key{Kind: KindIdempotency, Customer: r.Customer, ID: r.Scope + "/" + r.RequestID + "/" + strconv.Itoa(r.Attempt)}
}

// Key of a fill.
func (f FillRecord) Key() Key { return Key{Kind: KindFill, Customer: f.Customer, ID: f.FillID} }

// Key of an account's state.
func (a AccountState) Key() Key {
	return Key{Kind: KindAccountState, Customer: a.Customer, ID: string(a.Exchange)}
}

// Key of an account's risk.
func (r RiskRecord) Key() Key {
	return Key{Kind: KindRisk, Customer: r.Customer, ID: string(r.Exchange)}
}

// Key of an instrument's positions.
func (p PositionRecord) Key() Key {
	return Key{Kind: KindPosition, Customer: p.Customer, ID: string(p.Exchange) + "/" + p.Symbol}
}

// Key of a setting.
func (s Setting) Key() Key { return Key{Kind: KindSetting, ID: s.Name} }
