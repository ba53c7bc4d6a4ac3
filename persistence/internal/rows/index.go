package rows

import (
	"fmt"

	"venuegate/persistence"
	"venuegate/venues"
)

// indexFields is the value of index rows of orders and fills: the fields by which
// queries filter. closed is set only in rows of unfinished orders. The other rows would
// have to be written again when an order closes; queries read the record instead.
type indexFields struct {
	exchange venues.Venue
	symbol   string
	closed   bool
}

func (f indexFields) encode() []byte {
	closed := byte(0)
	if f.closed {
		closed = 1
	}
	size := 1 + len(f.exchange) + len(f.symbol) + 4
	return append(make(key, 0, size), closed).text(string(f.exchange)).text(f.symbol)
}

func decodeIndexFields(value []byte) (indexFields, error) {
	if len(value) == 0 || value[0] > 1 {
		return indexFields{}, fmt.Errorf("%w: index row %q", persistence.ErrIntegrity, value)
	}
	reader := keyReader{rest: value[1:]}
	f := indexFields{
		closed:   value[0] == 1,
		exchange: venues.Venue(reader.text()),
		symbol:   reader.text(),
	}
	if reader.err != nil {
		return indexFields{}, fmt.Errorf("%w: index row %q: %w", persistence.ErrIntegrity, value, reader.err)
	}
	return f, nil
}

// keyOnly is the value of an index row without fields. It is not empty, because an
// engine may treat an empty value as a missing row.
var keyOnly = []byte{1}

// Each function below returns the index rows of one kind of record, event or journal
// row. The rows depend on nothing but the arguments: those of a stored record are
// computed again when it is replaced or deleted.

func apiKeyIndex(r persistence.Record) []row {
	k := r.(persistence.APIKey)
	return []row{{newKey(k.Customer, tableAPIKey).text(k.ID), keyOnly}}
}

// orderRowsMax bounds the index rows of an order.
const orderRowsMax = 5

func orderIndex(r persistence.Record) []row {
	o := r.(persistence.OrderRecord)
	fields := indexFields{exchange: o.Exchange, symbol: o.Symbol}
	value := fields.encode()
	at := o.CreatedAt.Time
	keys, index := newKeyBlock(orderRowsMax), make([]row, 0, orderRowsMax)
	if !hasTime(o.OrderID, persistence.PrefixOrder, at.UnixMilli()) {
		index = append(index, row{keys.newKey(o.Customer, tableOrderTime).time(at).text(o.OrderID), value})
	}
	if o.Unfinished() {
		fields.closed = o.Status.IsClosed()
		unfinished := keys.newKey(o.Customer, tableOrderUnfinished).text(string(o.Exchange))
		index = append(index, row{unfinished.time(at).text(o.OrderID), fields.encode()})
	}
	if o.RequestID != "" {
		request := keys.newKey(o.Customer, tableOrderRequest).text(o.RequestID)
		index = append(index, row{request.time(at).text(o.OrderID), value})
	}
	if hasClientID(o.OrderID, o.ClientOrderID) {
		return index
	}
	if o.ClientOrderID != "" {
		client := keys.newKey(o.Customer, tableOrderClient).text(o.ClientOrderID)
		index = append(index, row{client.text(o.OrderID), keyOnly})
	}
	if hasIdentity(o.OrderID) {
		adopted := keys.newKey(o.Customer, tableOrderAdopted).text(persistence.IdentityOfID(o.OrderID))
		index = append(index, row{adopted.text(o.OrderID), keyOnly})
	}
	return index
}

func fillIndex(r persistence.Record) []row {
	f := r.(persistence.FillRecord)
	value := indexFields{exchange: f.Exchange, symbol: f.Symbol}.encode()
	at := f.ExecutedAt.Time
	var index []row
	if !hasTime(f.FillID, persistence.PrefixFill, at.UnixMilli()) {
		index = append(index, row{newKey(f.Customer, tableFillTime).time(at).text(f.FillID), value})
	}
	if f.OrderID != "" && !hasFillOrder(f.OrderID, at.UnixMilli(), f.FillID) {
		order := newKey(f.Customer, tableFillOrder).text(f.OrderID)
		index = append(index, row{order.time(at).text(f.FillID), value})
	}
	return index
}

func eventIndex(customer string, e persistence.Event) []row {
	if hasSequence(e.ID, e.Seq) {
		return nil
	}
	return []row{{newKey(customer, tableEventID).text(e.ID).number(e.Seq), keyOnly}}
}

func journalIndex(customer string, j persistence.JournalEntry) []row {
	var index []row
	add := func(prefix key) {
		index = append(index, row{prefix.time(j.At.Time).text(j.ID), make(key, 0, len(j.Kind)+2).text(j.Kind)})
	}
	if j.Subject != "" && !isNear(j.At.UnixMilli(), j.Subject) {
		add(newKey(customer, tableJournalSubject).text(j.Subject))
	}
	if j.Channel != "" {
		add(newKey(customer, tableJournalChannel).text(j.Channel))
	}
	return index
}

func signalIndex(r persistence.Record) []row {
	s := r.(persistence.SignalRecord)
	at := s.ReceivedAt.Time
	index := []row{
		{newKey(s.Customer, tableSignalTime).time(at).text(s.ID), keyOnly},
		{newKey(s.Customer, tableSignalChannel).text(s.ChannelID).time(at).text(s.ID), keyOnly},
	}
	if !s.Status.IsFinal() {
		index = append(index, row{newKey(s.Customer, tableSignalUnfinished).text(s.ChannelID).time(at).text(s.ID), keyOnly})
	}
	return index
}

func deliveryIndex(r persistence.Record) []row {
	d := r.(persistence.Delivery)
	at, id := d.CreatedAt.Time, d.Key().ID
	index := []row{
		{newKey(d.Customer, tableDeliveryTime).time(at).text(id), keyOnly},
		{newKey(d.Customer, tableDeliveryEndpoint).text(d.Endpoint).time(at).text(id), keyOnly},
		{newKey(d.Customer, tableDeliveryEvent).text(d.EventID).time(at).text(id), keyOnly},
	}
	switch d.Status {
	case persistence.DeliveryPending:
		due := newKey(d.Customer, tableDeliveryPending).text(d.Endpoint).time(d.DueAt.Time)
		index = append(index, row{due.text(id), keyOnly})
	case persistence.DeliveryUndelivered:
		index = append(index, row{newKey(d.Customer, tableDeliveryUndelivered).time(at).text(id), keyOnly})
	case persistence.DeliveryDelivered:
		// No query lists only the delivered ones by an index of their own.
	}
	return index
}
