package persistence

import "venuegate/venues"

// EndpointKind is the kind of receiver of a delivery queue.
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

// Endpoint is a receiver of a customer's events. Each has its own delivery queue.
type Endpoint struct {
	ID       string       `json:"id"`
	Customer string       `json:"customer"`
	Kind     EndpointKind `json:"kind"`
	Name     string       `json:"name,omitempty"`
	// Target is the URL, the chat id, the id of the spreadsheet or the file name.
	Target string `json:"target"`
	// Types filters the delivered events; empty means all that the kind receives.
	Types []EventType `json:"types,omitempty"`
	// Sealed is the secret, encrypted and bound to customer and endpoint: the
	// signing secret of a webhook, the token of a bot or the key of a service
	// account. If HookID is set, the secret of that channel signs instead.
	Sealed []byte `json:"sealed,omitempty"`
	HookID string `json:"hookId,omitempty"`
	// Next replaces Sealed from NextFrom on, after a rotation.
	Next     []byte      `json:"next,omitempty"`
	NextFrom venues.Time `json:"nextFrom"`
	Paused   bool        `json:"paused,omitempty"`
	// Disabled is the reason why nothing more is sent: the receiver has answered
	// 410, or its credentials are no longer valid.
	Disabled  string      `json:"disabled,omitempty"`
	CreatedAt venues.Time `json:"createdAt"`
	RemovedAt venues.Time `json:"removedAt"`
}

// EndpointCursor is the position of an endpoint's queue in the events: each event
// up to Seq has a Delivery or is filtered out.
type EndpointCursor struct {
	Customer string `json:"customer"`
	Endpoint string `json:"endpoint"`
	Seq      uint64 `json:"seq"`
	// Event is the id of the event at Seq; empty before the first event.
	Event string `json:"event,omitempty"`
}

// DeliveryStatus is the state of a delivery.
type DeliveryStatus string

// Statuses of a delivery.
const (
	DeliveryPending   DeliveryStatus = "pending"
	DeliveryDelivered DeliveryStatus = "delivered"
	// DeliveryUndelivered: all attempts have failed; it can be resent on request.
	DeliveryUndelivered DeliveryStatus = "undelivered"
)

// Delivery is the delivery of one event to one endpoint.
type Delivery struct {
	Customer string         `json:"customer"`
	Endpoint string         `json:"endpoint"`
	EventID  string         `json:"eventId"`
	EventSeq uint64         `json:"eventSeq"`
	Type     EventType      `json:"type"`
	Status   DeliveryStatus `json:"status"`
	// Attempts is the number of attempts since it was queued or resent, DueAt the
	// time of the next one.
	Attempts int         `json:"attempts"`
	DueAt    venues.Time `json:"dueAt"`
	// CreatedAt is the time when the event was queued; a resend does not change it.
	CreatedAt venues.Time `json:"createdAt"`
	UpdatedAt venues.Time `json:"updatedAt"`
	// LastError is the error of the last failed attempt.
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

// Attempt is the result of one delivery attempt. It is recorded in the journal.
type Attempt struct {
	// Code is the HTTP status; zero if there was no response.
	Code int
	// Answer is the beginning of the response body, at most AttemptAnswerBytesMax.
	Answer []byte
	// Err is nil if the receiver has accepted the event.
	Err error
	// RetryAfterSec is the delay that the receiver has requested; zero if none.
	RetryAfterSec int
	// Throttled reports that the rate limit of the receiver is reached. It does not
	// count as a failure of the event, and it applies to the whole endpoint: nothing
	// may be sent before RetryAfterSec has passed.
	Throttled bool
	// Gone is the reason why the endpoint must be disabled; empty if it must not.
	Gone string
}

// AttemptAnswerBytesMax bounds Attempt.Answer.
const AttemptAnswerBytesMax = 2 << 10

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
