package rows

import (
	"fmt"
	"strings"

	"venuegate/persistence"
)

// kind defines how the records of one kind are stored, except for their encoding, which
// is in codec.putMembers.
type kind struct {
	decode func(id identity, value []byte) (persistence.Record, error)
	// installation marks records that belong to the installation, not to a customer.
	installation bool
	// index returns the index rows of a record; nil if the kind has none.
	index func(persistence.Record) []row
	// check returns ErrInvalid for a record with texts that cannot be part of a key, or
	// that lacks what its key or index requires; nil if there is nothing to check. The
	// key itself is checked by recordKey.
	check func(persistence.Record) error
}

var kinds = map[persistence.Kind]kind{
	persistence.KindCustomer: {decode: decoder(customerMembers), installation: true},
	persistence.KindAPIKey:   {decode: decoder(apiKeyMembers), installation: true, index: apiKeyIndex, check: checkAPIKey},
	persistence.KindSetting:  {decode: decoder(settingMembers), installation: true},
	persistence.KindUser:     {decode: decoder(userMembers), installation: true},
	persistence.KindSession:  {decode: decoder(sessionMembers), installation: true},

	persistence.KindVenueAccount: {decode: decoder(venueAccountMembers)},
	persistence.KindAccountState: {decode: decoder(accountStateMembers)},
	persistence.KindRisk:         {decode: decoder(riskMembers)},
	persistence.KindPosition:     {decode: decoder(positionMembers)},

	persistence.KindOrder:       {decode: decoder(orderMembers), index: orderIndex, check: checkOrder},
	persistence.KindFill:        {decode: decoder(fillMembers), index: fillIndex, check: checkFill},
	persistence.KindIdempotency: {decode: decoder(idempotencyMembers), check: checkIdempotency},

	persistence.KindChannel:        {decode: decoder(channelMembers)},
	persistence.KindSignal:         {decode: decoder(signalMembers), index: signalIndex, check: checkSignal},
	persistence.KindAlert:          {decode: decoder(alertMembers)},
	persistence.KindEndpoint:       {decode: decoder(endpointMembers)},
	persistence.KindEndpointCursor: {decode: decoder(endpointCursorMembers)},
	persistence.KindDelivery:       {decode: decoder(deliveryMembers), index: deliveryIndex, check: checkDelivery},
}

// decoder returns the decode function of a kind.
func decoder[T persistence.Record](members func(*codec, *T)) func(identity, []byte) (persistence.Record, error) {
	return func(id identity, value []byte) (persistence.Record, error) {
		record, err := decode(id, value, members)
		if err != nil {
			return nil, err
		}
		return record, nil
	}
}

// indexOf returns the index rows of a record; nil if its kind has none.
func indexOf(kind persistence.Kind, r persistence.Record) []row {
	if index := kinds[kind].index; index != nil {
		return index(r)
	}
	return nil
}

func checkAPIKey(r persistence.Record) error {
	k := r.(persistence.APIKey)
	return checkTexts(k.Customer)
}

func checkOrder(r persistence.Record) error {
	o := r.(persistence.OrderRecord)
	return checkTexts(string(o.Exchange), o.Symbol, o.RequestID, o.ClientOrderID)
}

func checkFill(r persistence.Record) error {
	f := r.(persistence.FillRecord)
	return checkTexts(string(f.Exchange), f.Symbol, f.OrderID)
}

// checkIdempotency rejects scopes that make the id "scope/requestId/attempt" ambiguous.
func checkIdempotency(r persistence.Record) error {
	i := r.(persistence.IdempotencyRecord)
	if i.Scope == "" || strings.Contains(i.Scope, "/") {
		return fmt.Errorf("%w: idempotency scope %q", ErrInvalid, i.Scope)
	}
	return nil
}

// checkSignal rejects signals without a channel or a status, by which they are indexed.
func checkSignal(r persistence.Record) error {
	s := r.(persistence.SignalRecord)
	if s.ChannelID == "" || s.Status == "" {
		return fmt.Errorf("%w: a signal of channel %q with status %q", ErrInvalid, s.ChannelID, s.Status)
	}
	return checkTexts(s.ChannelID)
}

// checkDelivery rejects endpoints that make the id "endpoint/event" ambiguous, and
// unknown statuses. The texts are parts of the key, which recordKey checks.
func checkDelivery(r persistence.Record) error {
	d := r.(persistence.Delivery)
	if d.Endpoint == "" || d.EventID == "" || strings.Contains(d.Endpoint, "/") {
		return fmt.Errorf("%w: a delivery of %q to %q", ErrInvalid, d.EventID, d.Endpoint)
	}
	switch d.Status {
	case persistence.DeliveryPending, persistence.DeliveryDelivered, persistence.DeliveryUndelivered:
		return nil
	}
	return fmt.Errorf("%w: a delivery with status %q", ErrInvalid, d.Status)
}
