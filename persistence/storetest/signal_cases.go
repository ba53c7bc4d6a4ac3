package storetest

import (
	"fmt"
	"slices"

	"venuegate/persistence"
	"venuegate/venues"
)

var signalCases = []conformanceCase{
	{"channels", signalChannels},
	{"alerts", signalAlerts},
	{"a signal changes", signalChanges},
	{"unfinished signals of a channel", signalUnfinished},
	{"pages and filters", signalPages},
	{"invalid records", signalInvalid},
}

type signalPage = persistence.Page[persistence.SignalRecord]

func signalChannels(h *harness) {
	first, second := NewChannel("alice", 1), NewChannel("alice", 2)
	h.put(second, first, NewChannel("bob", 3))
	second.Rules.MaxQty, second.RemovedAt = venues.Optional{}, timeAt(9)
	h.put(second)
	got := must[[]persistence.Channel](h)(h.store.Channels(h.Context(), "alice"))
	h.equal("channels by id", got, []persistence.Channel{first, second})
}

func signalAlerts(h *harness) {
	first, second := NewAlert("alice", 1), NewAlert("alice", 2)
	h.put(second, first, NewAlert("bob", 3))
	first.Status, first.FiredAt = persistence.AlertFired, timeAt(9)
	h.put(first)
	got := must[[]persistence.Alert](h)(h.store.Alerts(h.Context(), "alice"))
	h.equal("alerts by id", got, []persistence.Alert{first, second})
}

func signalChanges(h *harness) {
	s := NewSignal("alice", 1)
	h.put(s)
	s.Status, s.OrderIDs, s.Error = persistence.SignalRejected, []string{"ord_1", "ord_2"}, &venues.RejectReason{Message: "<no>"}
	h.put(s)
	h.equal("signal", must[persistence.SignalRecord](h)(h.store.Signal(h.Context(), "alice", s.ID)), s)
	missing[persistence.SignalRecord](h)(h.store.Signal(h.Context(), "bob", s.ID))
}

func (h *harness) unfinishedSignals(customer, channel string) []string {
	h.Helper()
	inbox := must[[]persistence.SignalRecord](h)(h.store.UnfinishedSignals(h.Context(), customer, channel))
	ids := make([]string, 0, len(inbox))
	for _, s := range inbox {
		ids = append(ids, s.ID)
	}
	return ids
}

func signalUnfinished(h *harness) {
	statuses := []persistence.SignalStatus{
		persistence.SignalAccepted, persistence.SignalRunning, persistence.SignalDone, persistence.SignalRejected,
		persistence.SignalExpired, persistence.SignalIgnored, persistence.SignalTested,
	}
	for i, status := range statuses {
		s := NewSignal("alice", len(statuses)-i)
		s.Status = status
		h.put(s)
	}
	other := NewSignal("alice", 90)
	other.ChannelID = "hook_00000"
	h.put(other)
	h.equal("oldest first", h.unfinishedSignals("alice", "hook_000001"), []string{"sig_000006", "sig_000007"})
	h.equal("of another channel", h.unfinishedSignals("alice", "hook_00000"), []string{"sig_000090"})
	other.Status = persistence.SignalDone
	h.put(other)
	h.equal("after the last became final", len(h.unfinishedSignals("alice", "hook_00000")), 0)
	h.equal("of another customer", len(h.unfinishedSignals("bob", "hook_000001")), 0)
}

func (h *harness) allSignals(q persistence.SignalQuery) []string {
	h.Helper()
	return allIDs(h, func(r persistence.SignalRecord) string { return r.ID }, func(after *persistence.PagePosition) (signalPage, error) {
		q.After = after
		return h.store.Signals(h.Context(), q)
	})
}

func signalPages(h *harness) {
	signals := make([]persistence.SignalRecord, 0, 24)
	for i := range 24 {
		s := NewSignal("alice", i)
		s.ChannelID, s.ReceivedAt = fmt.Sprintf("hook_%d", i%4), timeAt(i/5)
		signals = append(signals, s)
		h.put(s)
	}
	h.put(NewSignal("bob", 1))
	for _, q := range []persistence.SignalQuery{
		{},
		{Channel: "hook_3"},
		{Channel: "hook"},
		{From: timeAt(2).Time, To: timeAt(4).Time},
		{Channel: "hook_1", From: timeAt(1).Time, To: timeAt(3).Time},
	} {
		var want []string
		for _, s := range slices.Backward(signals) {
			if (q.Channel == "" || q.Channel == s.ChannelID) && !s.ReceivedAt.Before(q.From) &&
				(q.To.IsZero() || s.ReceivedAt.Before(q.To)) {
				want = append(want, s.ID)
			}
		}
		q.Customer = "alice"
		for _, q.Limit = range []int{0, 1, 3, 6} {
			h.equal(fmt.Sprintf("%+v", q), h.allSignals(q), want)
		}
	}
}

func signalInvalid(h *harness) {
	noChannel, noStatus := NewSignal("alice", 1), NewSignal("alice", 1)
	noChannel.ChannelID, noStatus.Status = "", ""
	slashInEndpoint, unknownStatus := NewDelivery("alice", 1), NewDelivery("alice", 1)
	slashInEndpoint.Endpoint, unknownStatus.Status = "end/1", "lost"
	for _, r := range []persistence.Record{noChannel, noStatus, slashInEndpoint, unknownStatus} {
		h.rejects(persistence.Batch{Fence: h.fence("alice"), Puts: []persistence.Record{r}}, persistence.ErrUnavailable)
	}
}
