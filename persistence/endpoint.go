package persistence

import "venuegate/venues"

// EndpointKind says what stands at the other end of a delivery queue.
type EndpointKind string

// Kinds of endpoint.
const (
	// EndpointWebhook: the customer's URL, by signed POST.
	EndpointWebhook EndpointKind = "webhook"
	// EndpointTelegram: a chat of a messaging bot.
	EndpointTelegram EndpointKind = "telegram"
	// EndpointSheet: an online spreadsheet, a row per closed trade.
	EndpointSheet EndpointKind = "sheet"
	// EndpointFile: an .xlsx file in the data directory, a row per closed trade.
	EndpointFile EndpointKind = "file"
)

// Endpoint is where a customer's events go. Each has a queue of its own.
type Endpoint struct {
	ID       string       `json:"id"`
	Customer string       `json:"customer"`
	Kind     EndpointKind `json:"kind"`
	Name     string       `json:"name,omitempty"`
	// Target is the URL, the chat id, the spreadsheet's id or the file's name.
	Target string `json:"target"`
	// Types are the events that are delivered; empty is all that the kind can
	// take.
	Types []EventType `json:"types,omitempty"`
	// Sealed is the secret, encrypted and bound to customer and endpoint: what
	// signs (webhook), the bot's token or the service account's key. HookID
	// names the channel whose secret signs in its place.
	Sealed []byte `json:"sealed,omitempty"`
	HookID string `json:"hookId,omitempty"`
	// Next signs in place of Sealed from NextFrom on: a rotation.
	Next     []byte      `json:"next,omitempty"`
	NextFrom venues.Time `json:"nextFrom"`
	Paused   bool        `json:"paused,omitempty"`
	// Disabled says why the other end is not asked any more: it answered 410,
	// or its credentials stopped working.
	Disabled  string      `json:"disabled,omitempty"`
	CreatedAt venues.Time `json:"createdAt"`
	RemovedAt venues.Time `json:"removedAt"`
}

// EndpointCursor is how far an endpoint's queue has read the events: those up to
// Seq have a Delivery or are not for it.
type EndpointCursor struct {
	Customer string `json:"customer"`
	Endpoint string `json:"endpoint"`
	Seq      uint64 `json:"seq"`
	// Event is the id of the event at Seq; empty before the first.
	Event string `json:"event,omitempty"`
}

// DeliveryStatus is how far a delivery has come.
type DeliveryStatus string

// Statuses of a delivery.
const (
	DeliveryPending   DeliveryStatus = "pending"
	DeliveryDelivered DeliveryStatus = "delivered"
	// DeliveryUndelivered: every attempt failed; it can be resent by hand.
	DeliveryUndelivered DeliveryStatus = "undelivered"
)

// Delivery is one event on its way to one endpoint.
type Delivery struct {
	Customer string         `json:"customer"`
	Endpoint string         `json:"endpoint"`
	EventID  string         `json:"eventId"`
	EventSeq uint64         `json:"eventSeq"`
	Type     EventType      `json:"type"`
	Status   DeliveryStatus `json:"status"`
	// Attempts made since it was queued or resent; DueAt is when the next one
	// begins.
	Attempts int         `json:"attempts"`
	DueAt    venues.Time `json:"dueAt"`
	// CreatedAt is when the queue took the event; a resend does not change it.
	CreatedAt venues.Time `json:"createdAt"`
	UpdatedAt venues.Time `json:"updatedAt"`
	// LastError is what the newest failed attempt met.
	LastError string `json:"lastError,omitempty"`
}

// DeliveryQuery selects deliveries, newest first by CreatedAt. Zero fields do
// not filter.
type DeliveryQuery struct {
	Customer string
	Endpoint string
	EventID  string
	Status   DeliveryStatus
	Limit    int
	After    *Position
}

// Attempt is what one try to deliver came to; it is journaled.
type Attempt struct {
	// Code is the HTTP status; zero when no answer came.
	Code int
	// Answer is the beginning of what the other end said, at most
	// AttemptAnswerBytesMax.
	Answer []byte
	// Err is nil when the event was taken.
	Err error
	// RetryAfterSec is the other end's wish, zero if none.
	RetryAfterSec int
	// Throttled: the other end has a limit on how much it takes, and it is
	// reached. That is no failure of the event, and concerns all of the endpoint:
	// nothing is to be sent before RetryAfterSec are over.
	Throttled bool
	// Gone says that the endpoint must not be asked again, and why.
	Gone string
}

// AttemptAnswerBytesMax bounds what is kept of an answer.
const AttemptAnswerBytesMax = 2 << 10

// Key of an endpoint.
func (e Endpoint) Key() Key { return Key{Kind: KindEndpoint, Customer: e.Customer, ID: e.ID} }

// Key of a cursor.
func (c EndpointCursor) Key() Key {
	return Key{Kind: KindEndpointCursor, Customer: c.Customer, ID: c.Endpoint}
}

// Key of a delivery.
func (d Delivery) Key() Key {
	return Key{Kind: KindDelivery, Customer: d.Customer, ID: d.Endpoint + "/" + d.EventID}
}
