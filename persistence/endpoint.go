package persistence

import (
	"time"

	"venuegate/venues"
)

// EndpointKind is the way in which an endpoint receives events.
type EndpointKind string

// Kinds of endpoint.
const (
	// EndpointWebhook receives signed POST requests at the customer's URL.
	EndpointWebhook EndpointKind = "webhook"
	// EndpointTelegram receives messages in a chat with a bot.
	EndpointTelegram EndpointKind = "telegram"
	// EndpointSheet receives a row per closed position in an online spreadsheet.
	EndpointSheet EndpointKind = "sheet"
	// EndpointFile receives a row per closed position in an .xlsx file of the data
	// directory.
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
	// DeliveryUndelivered means that all attempts have failed. The event can be resent
	// on request.
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
	// Attempts is the number of attempts since the event was queued or resent.
	Attempts int `json:"attempts"`
	// DueAt is the time of the next attempt.
	DueAt venues.Time `json:"dueAt"`
	// CreatedAt is the time when the event was queued; a resend does not change it.
	CreatedAt venues.Time `json:"createdAt"`
	UpdatedAt venues.Time `json:"updatedAt"`
	// LastError is the error of the last failed attempt.
	LastError string `json:"lastError,omitempty"`
	// LastCode is the HTTP status of the last attempt since the event was queued or resent;
	// zero if there was no response. LastMS is how long that attempt took, in milliseconds.
	LastCode int `json:"lastCode,omitempty"`
	LastMS   int `json:"lastMs,omitempty"`
}

// DeliveryQuery selects deliveries, newest first by CreatedAt. Zero fields do
// not filter; From is inclusive, To exclusive.
type DeliveryQuery struct {
	Customer string
	Endpoint string
	EventID  string
	Type     EventType
	Status   DeliveryStatus
	// CodeMin and CodeMax bound LastCode, both inclusively; set either both or none.
	CodeMin, CodeMax int
	// NoResponse selects deliveries whose last attempt has failed without a response.
	NoResponse bool

	From, To time.Time
	Limit    int
	After    *PagePosition
}

// Attempt is the result of one attempt to deliver an event. It is not a record: the
// journal has a row for each attempt. It is unrelated to the attempts of a request id
// (IdempotencyRecord.Attempt).
type Attempt struct {
	// Code is the HTTP status; zero if there was no response.
	Code int
	// Answer is the beginning of the response body, at most AttemptAnswerBytesMax bytes.
	Answer []byte
	// Err is nil if the receiver has accepted the event.
	Err error
	// RetryAfterSec is the delay that the receiver has requested; zero if none.
	RetryAfterSec int
	// Throttled marks a rejection by the receiver's rate limit. The rejection does not
	// count as a failure of the event, and it applies to the whole endpoint: nothing may
	// be sent before RetryAfterSec has passed.
	Throttled bool
	// Gone is the reason why the endpoint must be disabled; empty if it must not.
	Gone string
}

// AttemptAnswerBytesMax bounds Attempt.Answer.
const AttemptAnswerBytesMax = 2 << 10
