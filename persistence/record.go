package persistence

import "strconv"

// Kind is the kind of a record. It is part of the stored key and never changes.
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
	KindUser         Kind = "user"
	KindSession      Kind = "session"
	KindRisk         Kind = "risk"
	KindPosition     Kind = "position"

	KindChannel        Kind = "channel"
	KindSignal         Kind = "signal"
	KindEndpoint       Kind = "endpoint"
	KindEndpointCursor Kind = "endpointcursor"
	KindDelivery       Kind = "delivery"
	KindAlert          Kind = "alert"
)

// Key identifies one record. Customer is empty for records of the installation.
type Key struct {
	Kind     Kind
	Customer string
	ID       string
}

func (k Key) String() string { return k.Customer + "/" + string(k.Kind) + "/" + k.ID }

// Record is a value that a Batch can put. The set is closed: the types of this
// package that have a Key.
type Record interface {
	Key() Key
}

// Key returns the key of the customer.
func (c Customer) Key() Key { return Key{Kind: KindCustomer, ID: c.ID} }

// Key returns the key of the API key. It belongs to the installation, because the
// key is looked up by its public id before the customer is known.
func (k APIKey) Key() Key { return Key{Kind: KindAPIKey, ID: k.ID} }

// Key returns the key of the user, who belongs to the installation, because the login is
// looked up before the customer is known.
func (u User) Key() Key { return Key{Kind: KindUser, ID: u.Login} }

// Key returns the key of the session, which belongs to the installation like its user.
func (s Session) Key() Key { return Key{Kind: KindSession, ID: s.ID} }

// Key returns the key of the setting.
func (s Setting) Key() Key { return Key{Kind: KindSetting, ID: s.Name} }

// Key returns the key of the account: a customer has at most one per exchange.
func (a VenueAccount) Key() Key {
	return Key{Kind: KindVenueAccount, Customer: a.Customer, ID: string(a.Exchange)}
}

// Key returns the key of the account's state.
func (a AccountState) Key() Key {
	return Key{Kind: KindAccountState, Customer: a.Customer, ID: string(a.Exchange)}
}

// Key returns the key of the account's risk state.
func (r RiskRecord) Key() Key {
	return Key{Kind: KindRisk, Customer: r.Customer, ID: string(r.Exchange)}
}

// Key returns the key of the positions in the instrument.
func (p PositionRecord) Key() Key {
	return Key{Kind: KindPosition, Customer: p.Customer, ID: string(p.Exchange) + "/" + p.Symbol}
}

// Key returns the key of the order.
func (o OrderRecord) Key() Key { return Key{Kind: KindOrder, Customer: o.Customer, ID: o.OrderID} }

// Key returns the key of the fill.
func (f FillRecord) Key() Key { return Key{Kind: KindFill, Customer: f.Customer, ID: f.FillID} }

// Key returns the key of one attempt of a request id.
func (r IdempotencyRecord) Key() Key {
	return Key{Kind: KindIdempotency, Customer: r.Customer, ID: r.Scope + "/" + r.RequestID + "/" + strconv.Itoa(r.Attempt)}
}

// Key returns the key of the channel.
func (c Channel) Key() Key { return Key{Kind: KindChannel, Customer: c.Customer, ID: c.ID} }

// Key returns the key of the signal.
func (s SignalRecord) Key() Key { return Key{Kind: KindSignal, Customer: s.Customer, ID: s.ID} }

// Key returns the key of the alert.
func (a Alert) Key() Key { return Key{Kind: KindAlert, Customer: a.Customer, ID: a.ID} }

// Key returns the key of the endpoint.
func (e Endpoint) Key() Key { return Key{Kind: KindEndpoint, Customer: e.Customer, ID: e.ID} }

// Key returns the key of the cursor.
func (c EndpointCursor) Key() Key {
	return Key{Kind: KindEndpointCursor, Customer: c.Customer, ID: c.Endpoint}
}

// Key returns the key of the delivery.
func (d Delivery) Key() Key {
	return Key{Kind: KindDelivery, Customer: d.Customer, ID: d.Endpoint + "/" + d.EventID}
}
