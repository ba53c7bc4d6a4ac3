package storetest

import (
	"slices"

	"pgregory.net/rapid"

	"venuegate/persistence"
	"venuegate/venues"
)

var (
	modelChannels  = []string{"h", "h2"}
	modelEndpoints = []string{"e", "e2"}
	modelStatuses  = []persistence.DeliveryStatus{
		persistence.DeliveryPending, persistence.DeliveryDelivered, persistence.DeliveryUndelivered,
	}
)

func drawSignalsAndDeliveries(rt *rapid.T, customer string) []persistence.Record {
	const each = 2
	puts := make([]persistence.Record, 0, 2*each)
	for range rapid.IntRange(0, each).Draw(rt, "signals") {
		s := NewSignal(customer, rapid.IntRange(0, 9).Draw(rt, "signal"))
		s.ChannelID = rapid.SampledFrom(modelChannels).Draw(rt, "channel")
		s.Status = rapid.SampledFrom([]persistence.SignalStatus{
			persistence.SignalAccepted, persistence.SignalRunning, persistence.SignalDone,
		}).Draw(rt, "status")
		s.ReceivedAt, s.UpdatedAt = drawTime(rt), drawTime(rt)
		puts = append(puts, s)
	}
	for range rapid.IntRange(0, each).Draw(rt, "deliveries") {
		d := NewDelivery(customer, rapid.IntRange(0, 4).Draw(rt, "event"))
		d.Endpoint = rapid.SampledFrom(modelEndpoints).Draw(rt, "endpoint")
		d.Status = rapid.SampledFrom(modelStatuses).Draw(rt, "status")
		d.CreatedAt, d.DueAt, d.UpdatedAt = drawTime(rt), drawTime(rt), drawTime(rt)
		puts = append(puts, d)
	}
	return puts
}

func signalPosition(s persistence.SignalRecord) (venues.Time, string) { return s.ReceivedAt, s.ID }

func (m *machine) checkSignals(rt *rapid.T) {
	customer := drawCustomer(rt)
	signals := m.models[customer].signals
	q := persistence.SignalQuery{
		Customer: customer, Limit: rapid.IntRange(1, 4).Draw(rt, "limit"),
		Channel: rapid.SampledFrom([]string{"", "h"}).Draw(rt, "channel"),
	}
	q.From, q.To = drawBounds(rt)
	want := selected(signals, signalPosition, func(s persistence.SignalRecord) bool {
		return (q.Channel == "" || q.Channel == s.ChannelID) && within(s.ReceivedAt, q.From, q.To)
	})
	got := readPages(rt, func(after *persistence.PagePosition) (signalPage, error) {
		q.After = after
		return m.store.Signals(rt.Context(), q)
	})
	compare(rt, "signals", got, want)

	channel := rapid.SampledFrom(modelChannels).Draw(rt, "inbox")
	want = selected(signals, signalPosition, func(s persistence.SignalRecord) bool {
		return s.ChannelID == channel && !s.Status.IsFinal()
	})
	slices.Reverse(want)
	inbox, err := m.store.UnfinishedSignals(rt.Context(), customer, channel)
	if err != nil {
		rt.Fatal(err)
	}
	compare(rt, "unfinished signals", append([]persistence.SignalRecord{}, inbox...), want)
}

func (m *machine) checkDeliveries(rt *rapid.T) {
	customer := drawCustomer(rt)
	deliveries := m.models[customer].deliveries
	q := persistence.DeliveryQuery{
		Customer: customer, Limit: rapid.IntRange(1, 4).Draw(rt, "limit"),
		Endpoint: rapid.SampledFrom([]string{"", "e"}).Draw(rt, "endpoint"),
		EventID:  rapid.SampledFrom([]string{"", NewDelivery(customer, 1).EventID}).Draw(rt, "event"),
		Status:   rapid.SampledFrom(append([]persistence.DeliveryStatus{""}, modelStatuses...)).Draw(rt, "status"),
	}
	want := selected(deliveries,
		func(d persistence.Delivery) (venues.Time, string) { return d.CreatedAt, d.Key().ID },
		func(d persistence.Delivery) bool {
			return (q.Endpoint == "" || q.Endpoint == d.Endpoint) && (q.EventID == "" || q.EventID == d.EventID) &&
				(q.Status == "" || q.Status == d.Status)
		})
	got := readPages(rt, func(after *persistence.PagePosition) (deliveryPage, error) {
		q.After = after
		return m.store.Deliveries(rt.Context(), q)
	})
	compare(rt, "deliveries", got, want)

	endpoint := rapid.SampledFrom(modelEndpoints).Draw(rt, "queue")
	want = selected(deliveries,
		func(d persistence.Delivery) (venues.Time, string) { return d.DueAt, d.Key().ID },
		func(d persistence.Delivery) bool {
			return d.Endpoint == endpoint && d.Status == persistence.DeliveryPending
		})
	slices.Reverse(want)
	limit := rapid.IntRange(1, 4).Draw(rt, "due")
	due, err := m.store.PendingDeliveries(rt.Context(), customer, endpoint, limit)
	if err != nil {
		rt.Fatal(err)
	}
	compare(rt, "pending deliveries", append([]persistence.Delivery{}, due...), want[:min(limit, len(want))])
}
