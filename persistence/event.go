package persistence

import (
	"encoding/json"
	"slices"

	"venuegate/venues"
)

// EventType is the type of an event.
type EventType string

// Types of event. All but EventNotification are part of the public interface.
const (
	EventOrderFilled          EventType = "order.filled"
	EventOrderPartiallyFilled EventType = "order.partially_filled"
	EventPositionClosed       EventType = "position.closed"
	EventStopTriggered        EventType = "stop.triggered"
	EventAlertFired           EventType = "alert.fired"
	EventRiskLimitReached     EventType = "risk.limit_reached"
	// EventNotification contains the comment of a "notify" signal.
	EventNotification EventType = "notification"
)

// eventTypes lists every type of event with the kinds of endpoint that receive
// it. A type that webhooks receive is public: GET /v1/events returns it, and the
// OpenAPI document describes its payload.
//
// A new type needs a constant and a row here, its payload in transport/api/openapi.yaml
// if it is public, and the actor that publishes it. Chats show the name of a type that
// has no text in transport/notify/message.go.
var eventTypes = []struct {
	eventType EventType
	receivers []EndpointKind
}{
	{EventOrderFilled, messageReceivers},
	{EventOrderPartiallyFilled, messageReceivers},
	{EventPositionClosed, append(messageReceivers, EndpointSheet, EndpointFile)},
	{EventStopTriggered, messageReceivers},
	{EventAlertFired, messageReceivers},
	{EventRiskLimitReached, messageReceivers},
	{EventNotification, []EndpointKind{EndpointTelegram}},
}

// messageReceivers are the kinds of endpoint that receive each event as a
// message. Spreadsheets and files receive closed positions alone.
var messageReceivers = []EndpointKind{EndpointWebhook, EndpointTelegram}

// IsPublic reports whether events of the type are part of the public interface.
func (t EventType) IsPublic() bool { return EndpointWebhook.Receives(t) }

// Receives reports whether endpoints of the kind receive events of type t.
func (k EndpointKind) Receives(t EventType) bool {
	for _, row := range eventTypes {
		if row.eventType == t {
			return slices.Contains(row.receivers, k)
		}
	}
	return false
}

// EventTypes returns the types of event that endpoints of the kind receive. Those
// of EndpointWebhook are the public ones.
func (k EndpointKind) EventTypes() []EventType {
	var types []EventType
	for _, row := range eventTypes {
		if slices.Contains(row.receivers, k) {
			types = append(types, row.eventType)
		}
	}
	return types
}

// Event is one row of the outbox. It is part of the same batch as the change that
// caused it. IDs are not reused; the owner makes them with EventID when it assigns the
// sequence.
type Event struct {
	ID        string          `json:"id"`
	Seq       uint64          `json:"seq"`
	Type      EventType       `json:"type"`
	CreatedAt venues.Time     `json:"createdAt"`
	Data      json.RawMessage `json:"data"`
}
