package storetest

import (
	"fmt"
	"strings"

	"venuegate/persistence"
)

var logCases = []conformanceCase{
	{"events by sequence", eventOrder},
	{"an event put twice", eventTwice},
	{"the sequence is the highest of events and journal rows", logSequence},
	{"journal pages and filters", journalPages},
	{"a page scans a bounded number of rows", journalBounded},
	{"the installation's own log", logOfInstallation},
}

type journalPage = persistence.Page[persistence.JournalEntry]

func (h *harness) putEvents(customer string, seqs ...int) {
	h.Helper()
	events := make([]persistence.Event, 0, len(seqs))
	for _, seq := range seqs {
		events = append(events, NewEvent(seq))
	}
	h.commit(customer, persistence.Batch{Events: events})
}

func eventIDs(events []persistence.Event) []string {
	ids := make([]string, 0, len(events))
	for _, e := range events {
		ids = append(ids, e.ID)
	}
	return ids
}

func eventOrder(h *harness) {
	h.putEvents("alice", 3, 4)
	h.putEvents("alice", 300, 70_000)
	h.putEvents("bob", 5)
	read := func(after string, limit int) []string {
		return eventIDs(must[[]persistence.Event](h)(h.store.Events(h.Context(), "alice", after, limit)))
	}
	all := []string{"evt_000003", "evt_000004", "evt_000300", "evt_070000"}
	h.equal("all", read("", 0), all)
	h.equal("the first two", read("", 2), all[:2])
	for i, id := range all {
		h.equal("after "+id, read(id, 10), all[i+1:])
		h.equal("one after "+id, read(id, 1), all[i+1:][:min(1, len(all)-i-1)])
	}
	missing[[]persistence.Event](h)(h.store.Events(h.Context(), "alice", "evt_000005", 10))
	missing[[]persistence.Event](h)(h.store.Events(h.Context(), "alice", "evt_00030", 10))
	h.equal("an event", must[[]persistence.Event](h)(h.store.Events(h.Context(), "bob", "", 0)), []persistence.Event{NewEvent(5)})
}

func eventTwice(h *harness) {
	h.putEvents("alice", 1, 2)
	h.putEvents("alice", 1)
	replaced := NewEvent(2)
	replaced.ID = "evt_other"
	h.commit("alice", persistence.Batch{Events: []persistence.Event{replaced}})
	events := must[[]persistence.Event](h)(h.store.Events(h.Context(), "alice", "", 0))
	h.equal("events", eventIDs(events), []string{"evt_000001", "evt_other"})
	missing[[]persistence.Event](h)(h.store.Events(h.Context(), "alice", "evt_000002", 0))
	numbered := modelEvent(4)
	h.commit("alice", persistence.Batch{Events: []persistence.Event{numbered}})
	numbered.ID = persistence.EventID(persistence.NewID(persistence.PrefixEvent, epoch, strings.NewReader("abcdefghij")), 4)
	h.commit("alice", persistence.Batch{Events: []persistence.Event{numbered}})
	h.equal("the event with its sequence in its id", must[persistence.Event](h)(h.store.Event(h.Context(), "alice", numbered.ID)), numbered)
	missing[persistence.Event](h)(h.store.Event(h.Context(), "alice", modelEvent(4).ID))
}

func logSequence(h *harness) {
	sequence := func() uint64 { return must[uint64](h)(h.store.LastSequence(h.Context(), "alice")) }
	h.equal("at first", sequence(), 0)
	h.putEvents("alice", 7)
	h.equal("after an event", sequence(), 7)
	h.commit("alice", persistence.Batch{Journal: []persistence.JournalEntry{NewJournal(9)}})
	h.equal("after a journal row", sequence(), 9)
	h.commit("alice", persistence.Batch{Events: []persistence.Event{NewEvent(8)}, Journal: []persistence.JournalEntry{NewJournal(4)}})
	h.equal("after lower ones", sequence(), 9)
	h.equal("of another", must[uint64](h)(h.store.LastSequence(h.Context(), "bob")), 0)
}

func (h *harness) allJournal(q persistence.JournalQuery) []string {
	h.Helper()
	return allIDs(h, func(r persistence.JournalEntry) string { return r.ID }, func(after *persistence.PagePosition) (journalPage, error) {
		q.After = after
		return h.store.Journal(h.Context(), q)
	})
}

func journalPages(h *harness) {
	const entries = 24
	all := make([]persistence.JournalEntry, 0, entries+1)
	for i := range entries {
		j := NewJournal(i)
		j.At = timeAt(i / 5)
		if i%2 == 0 {
			j.Channel, j.Result = fmt.Sprintf("hook_%d", i%3), []string{"ok", "rejected"}[i/2%2]
		}
		if i%4 == 0 {
			j.Symbol = "BTCUSDT"
		}
		all = append(all, j)
	}
	noSubject := NewJournal(entries)
	noSubject.Subject = ""
	all = append(all, noSubject)
	h.commit("alice", persistence.Batch{Journal: all})
	for _, q := range []persistence.JournalQuery{
		{},
		{Kind: "risk"},
		{Kind: "ri"},
		{Subject: "ord_000002"},
		{Subject: "ord_000002", Kind: "order"},
		{Subject: "ord"},
		{From: timeAt(2).Time, To: timeAt(4).Time},
		{Subject: "ord_000001", From: timeAt(1).Time, To: timeAt(2).Time},
		{Channel: "hook_1"},
		{Channel: "hook"},
		{Channel: "hook_2", Kind: "risk", Result: "ok"},
		{Channel: "hook_0", Subject: "ord_000001"},
		{Channel: "hook_1", From: timeAt(1).Time, To: timeAt(3).Time},
		{Symbol: "BTCUSDT"},
		{Symbol: "BTCUSDT", Result: "rejected"},
		{Result: "ok", To: timeAt(3).Time},
	} {
		var want []string
		for i := len(all) - 1; i >= 0; i-- {
			if j := all[i]; wantedJournal(q, j) && !j.At.Before(q.From) && (q.To.IsZero() || j.At.Before(q.To)) {
				want = append(want, j.ID)
			}
		}
		q.Customer = "alice"
		for _, q.Limit = range []int{0, 1, 4} {
			h.equal(fmt.Sprintf("%+v", q), h.allJournal(q), want)
		}
	}
}

func wantedJournal(q persistence.JournalQuery, j persistence.JournalEntry) bool {
	for _, filter := range [][2]string{
		{q.Kind, j.Kind}, {q.Subject, j.Subject}, {q.Channel, j.Channel}, {q.Symbol, j.Symbol}, {q.Result, j.Result},
	} {
		if filter[0] != "" && filter[0] != filter[1] {
			return false
		}
	}
	return true
}

// journalBounded stores one matching row after as many as one page scans.
func journalBounded(h *harness) {
	const batch = 512
	for first := 0; first <= persistence.ScanRowsMax; first += batch {
		b := persistence.Batch{}
		for i := first; i < first+batch && i <= persistence.ScanRowsMax; i++ {
			j := NewJournal(i)
			j.Subject, j.Result = "", ""
			if i == 0 {
				j.Result = "rare"
			}
			b.Journal = append(b.Journal, j)
		}
		h.commit("alice", b)
	}
	q := persistence.JournalQuery{Customer: "alice", Result: "rare"}
	page := must[journalPage](h)(h.store.Journal(h.Context(), q))
	h.equal("rows of the first page", len(page.Items), 0)
	if page.Next == nil {
		h.Error("the first page has no next one, want a bounded scan")
	}
	h.equal("rows of all pages", h.allJournal(q), []string{"jrn_000000"})
}

func logOfInstallation(h *harness) {
	h.commit("", persistence.Batch{Journal: []persistence.JournalEntry{NewJournal(1)}, Events: []persistence.Event{NewEvent(2)}})
	h.equal("journal", h.allJournal(persistence.JournalQuery{}), []string{"jrn_000001"})
	h.equal("sequence", must[uint64](h)(h.store.LastSequence(h.Context(), "")), 2)
	h.isEmpty("alice")
}
