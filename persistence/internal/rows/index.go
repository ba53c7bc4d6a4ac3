package rows

import (
	"encoding/binary"
	"fmt"
	"strings"

	"venuegate/persistence"
	"venuegate/venues"
)

// facts are what index rows of orders and fills carry to filter by. Only rows of
// unfinished orders tell of one that is closed: the others would have to be written
// again with the end of every order, and the record tells it too.
type facts struct {
	exchange venues.Venue
	symbol   string
	closed   bool
}

func (f facts) encode() []byte {
	closed := byte(0)
	if f.closed {
		closed = 1
	}
	size := 1 + len(f.exchange) + len(f.symbol) + 4
	return append(make(key, 0, size), closed).text(string(f.exchange)).text(f.symbol)
}

func decodeFacts(value []byte) (facts, error) {
	if len(value) == 0 || value[0] > 1 {
		return facts{}, fmt.Errorf("%w: index row %q", persistence.ErrIntegrity, value)
	}
	reader := keyReader{rest: value[1:]}
	f := facts{
		closed:   value[0] == 1,
		exchange: venues.Venue(reader.text()),
		symbol:   reader.text(),
	}
	if reader.err != nil {
		return facts{}, fmt.Errorf("%w: index row %q: %w", persistence.ErrIntegrity, value, reader.err)
	}
	return f, nil
}

// present is the value of an index row that says all in its key. It is not
// empty because an engine may take an empty value for none.
var present = []byte{1}

func recordIndex(r persistence.Record) []row {
	switch r := r.(type) {
	case persistence.OrderRecord:
		return orderIndex(&r)
	case persistence.FillRecord:
		return fillIndex(&r)
	case persistence.APIKey:
		return []row{{newKey(r.Customer, tableAPIKey).text(r.ID), present}}
	case persistence.SignalRecord:
		return signalIndex(&r)
	case persistence.Delivery:
		return deliveryIndex(&r)
	}
	return nil
}

func orderIndex(o *persistence.OrderRecord) []row {
	about := facts{exchange: o.Exchange, symbol: o.Symbol}
	value := about.encode()
	at := o.CreatedAt.Time
	index := []row{{newKey(o.Customer, tableOrderTime).moment(at).text(o.OrderID), value}}
	if o.Unfinished() {
		about.closed = o.Status.IsClosed()
		open := newKey(o.Customer, tableOrderOpen).text(string(o.Exchange))
		index = append(index, row{open.moment(at).text(o.OrderID), about.encode()})
	}
	if o.RequestID != "" {
		request := newKey(o.Customer, tableOrderRequest).text(o.RequestID)
		index = append(index, row{request.moment(at).text(o.OrderID), value})
	}
	if o.ClientOrderID != "" {
		client := newKey(o.Customer, tableOrderClient).text(o.ClientOrderID)
		index = append(index, row{client.text(o.OrderID), present})
	}
	return index
}

func fillIndex(f *persistence.FillRecord) []row {
	value := facts{exchange: f.Exchange, symbol: f.Symbol}.encode()
	at := f.ExecutedAt.Time
	index := []row{{newKey(f.Customer, tableFillTime).moment(at).text(f.FillID), value}}
	if f.OrderID != "" {
		order := newKey(f.Customer, tableFillOrder).text(f.OrderID)
		index = append(index, row{order.moment(at).text(f.FillID), value})
	}
	return index
}

func eventIndex(customer string, e persistence.Event) []row {
	return []row{{newKey(customer, tableEventID).text(e.ID).number(e.Seq), present}}
}

func journalIndex(customer string, j persistence.JournalEntry) []row {
	var index []row
	add := func(prefix key) {
		index = append(index, row{prefix.moment(j.At.Time).text(j.ID), make(key, 0, len(j.Kind)+2).text(j.Kind)})
	}
	if j.Subject != "" {
		add(newKey(customer, tableSubject).text(j.Subject))
	}
	if j.Channel != "" {
		add(newKey(customer, tableJournalOf).text(j.Channel))
	}
	return index
}

func signalIndex(s *persistence.SignalRecord) []row {
	at := s.ReceivedAt.Time
	index := []row{
		{newKey(s.Customer, tableSignalTime).moment(at).text(s.ID), present},
		{newKey(s.Customer, tableSignalOf).text(s.ChannelID).moment(at).text(s.ID), present},
	}
	if !s.Status.IsFinal() {
		index = append(index, row{newKey(s.Customer, tableSignalOpen).text(s.ChannelID).moment(at).text(s.ID), present})
	}
	return index
}

func deliveryIndex(d *persistence.Delivery) []row {
	at, id := d.CreatedAt.Time, d.Key().ID
	index := []row{
		{newKey(d.Customer, tableDeliveryTime).moment(at).text(id), present},
		{newKey(d.Customer, tableDeliveryTo).text(d.Endpoint).moment(at).text(id), present},
		{newKey(d.Customer, tableDeliveryOf).text(d.EventID).moment(at).text(id), present},
	}
	switch d.Status {
	case persistence.DeliveryPending:
		due := newKey(d.Customer, tableDeliveryDue).text(d.Endpoint).moment(d.DueAt.Time)
		index = append(index, row{due.text(id), present})
	case persistence.DeliveryUndelivered:
		index = append(index, row{newKey(d.Customer, tableDeliveryLost).moment(at).text(id), present})
	case persistence.DeliveryDelivered:
		// Nobody waits for it.
	}
	return index
}

func checkSignal(s persistence.SignalRecord) error {
	if s.ChannelID == "" || s.Status == "" {
		return fmt.Errorf("%w: a signal of channel %q with status %q", ErrInvalid, s.ChannelID, s.Status)
	}
	return checkTexts(s.ChannelID)
}

// checkDelivery keeps "endpoint/event" readable in one way only, and every
// delivery among those that are pending or settled.
func checkDelivery(d persistence.Delivery) error {
	if d.Endpoint == "" || d.EventID == "" || strings.Contains(d.Endpoint, "/") {
		return fmt.Errorf("%w: a delivery of %q to %q", ErrInvalid, d.EventID, d.Endpoint)
	}
	switch d.Status {
	case persistence.DeliveryPending, persistence.DeliveryDelivered, persistence.DeliveryUndelivered:
		return nil
	}
	return fmt.Errorf("%w: a delivery with status %q", ErrInvalid, d.Status)
}

// checkScope keeps "scope/requestId/attempt" readable in one way only.
func checkScope(r persistence.IdempotencyRecord) error {
	if r.Scope == "" || strings.Contains(r.Scope, "/") {
		return fmt.Errorf("%w: idempotency scope %q", ErrInvalid, r.Scope)
	}
	return nil
}

func encodeNumber(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

func decodeNumber(value []byte) (uint64, error) {
	switch len(value) {
	case 0:
		return 0, nil
	case 8:
		return binary.BigEndian.Uint64(value), nil
	default:
		return 0, fmt.Errorf("%w: a number of %d bytes", persistence.ErrIntegrity, len(value))
	}
}
