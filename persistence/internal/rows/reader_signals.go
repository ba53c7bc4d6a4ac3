package rows

import (
	"context"

	"venuegate/persistence"
)

// Channels lists a customer's channels by id.
func (r Reader) Channels(ctx context.Context, customer string) ([]persistence.Channel, error) {
	return listRecords[persistence.Channel](ctx, r.engine, customer, persistence.KindChannel)
}

// Alerts lists a customer's alerts by id.
func (r Reader) Alerts(ctx context.Context, customer string) ([]persistence.Alert, error) {
	return listRecords[persistence.Alert](ctx, r.engine, customer, persistence.KindAlert)
}

// Signal returns one signal of a customer.
func (r Reader) Signal(ctx context.Context, customer, id string) (persistence.SignalRecord, error) {
	return oneRecord[persistence.SignalRecord](ctx, r.engine, signalKey(customer, id))
}

func signalKey(customer, id string) persistence.Key {
	return persistence.Key{Kind: persistence.KindSignal, Customer: customer, ID: id}
}

// UnfinishedSignals lists a channel's signals whose status is not final, oldest
// first.
func (r Reader) UnfinishedSignals(ctx context.Context, customer, channel string) ([]persistence.SignalRecord, error) {
	prefix := newKey(customer, tableSignalUnfinished).text(channel)
	return oldestRecords[persistence.SignalRecord](ctx, r.engine, prefix, signalKey(customer, ""), noLimit)
}

// Signals returns one page of a customer's signals.
func (r Reader) Signals(ctx context.Context, q persistence.SignalQuery) (persistence.Page[persistence.SignalRecord], error) {
	prefix := newKey(q.Customer, tableSignalTime)
	if q.Channel != "" {
		prefix = newKey(q.Customer, tableSignalChannel).text(q.Channel)
	}
	index := timeRange{prefix: prefix, from: q.From, to: q.To, after: q.After}
	return view(ctx, r.engine, func(s Snapshot) (persistence.Page[persistence.SignalRecord], error) {
		return filteredPage(ctx, s, q.Limit, func(_ timeRange, h hit) (persistence.SignalRecord, bool, error) {
			record, err := indexedRecord[persistence.SignalRecord](s, signalKey(q.Customer, h.ID))
			return record, true, err
		}, index)
	})
}
