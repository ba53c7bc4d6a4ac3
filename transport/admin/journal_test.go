package admin_test

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// writeJournal stores rows of a customer, one a minute.
func (h *fixture) writeJournal(customer string, rows ...persistence.JournalEntry) {
	h.t.Helper()
	h.writeJournalAt(customer, time.Minute, func(i int) string { return fmt.Sprintf("jrn_%03d", i) }, rows...)
}

func (h *fixture) writeJournalAt(customer string, apart time.Duration, id func(int) string, rows ...persistence.JournalEntry) {
	h.t.Helper()
	fence, err := h.store.TakeOwnership(h.t.Context(), customer)
	if err != nil {
		h.t.Fatal(err)
	}
	begin := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	for i := range rows {
		rows[i].ID, rows[i].Seq = id(i), uint64(i+1)
		rows[i].At = venues.At(begin.Add(time.Duration(i) * apart))
	}
	if err := h.store.Commit(h.t.Context(), persistence.Batch{Fence: fence, Journal: rows}); err != nil {
		h.t.Fatal(err)
	}
}

// signalRows are rows of two signals and a delivery.
func signalRows() []persistence.JournalEntry {
	return []persistence.JournalEntry{
		{Kind: "signal.received", Subject: "sig_1", Channel: "hook_1", Symbol: "BTCUSDT", Result: "accepted"},
		{Kind: "signal.rule", Subject: "sig_1", Channel: "hook_1", Symbol: "BTCUSDT", Result: "passed"},
		{
			Kind: "signal.received", Subject: "sig_2", Channel: "hook_2", Symbol: "ETHUSDT", Result: "accepted",
			Fields: []persistence.JournalField{{Name: "comment", Value: "=1+1"}},
		},
		{Kind: "delivery.attempt", Subject: "=cmd()", Channel: "end_1", Result: "failed"},
	}
}

func TestJournalIsFilteredAndPaged(t *testing.T) {
	h := open(t)
	customer := h.customer("desk")
	h.writeJournal(customer, signalRows()...)
	read := func(query string) (ids string, next any) {
		a := h.call(http.StatusOK, "GET", "/admin/v1/journal?customer="+customer+query, "")
		var list []string
		items, _ := a.field("items").([]any)
		for _, item := range items {
			row, _ := item.(map[string]any)
			list = append(list, fmt.Sprint(row["seq"]))
		}
		return strings.Join(list, " "), a.field("nextCursor")
	}
	for query, want := range map[string]string{
		"":                             "4 3 2 1",
		"&channel=hook_1":              "2 1",
		"&symbol=ETHUSDT":              "3",
		"&kind=signal.received":        "3 1",
		"&result=failed":               "4",
		"&subject=sig_1&result=passed": "2",
		"&from=2026-01-02T03:01:00Z&to=2026-01-02T03:03:00Z": "3 2",
	} {
		if got, next := read(query); got != want || next != nil {
			t.Errorf("%s: rows = %s with cursor %v, want %s without one", query, got, next, want)
		}
	}
	var all []string
	query := "&limit=3"
	for {
		ids, next := read(query)
		all = append(all, ids)
		if next == nil {
			break
		}
		query = "&limit=3&cursor=" + url.QueryEscape(next.(string))
	}
	if got := strings.Join(all, ","); got != "4 3 2,1" && got != "4 3 2,1," {
		t.Errorf("pages = %s, want 4 3 2,1", got)
	}
	for query, field := range map[string]string{
		"limit=0": "limit", "limit=1001": "limit", "limit=1&limit=2": "limit", "Limit=1": "Limit", "cursor=x": "cursor", "colour=red": "colour",
		"from=today": "from", "from=9999-01-01T00:00:00Z": "from", "to=0001-01-01T00:00:00Z": "to", "kind=%ff": "kind", "kind=%": "query",
	} {
		if a := h.call(http.StatusBadRequest, "GET", "/admin/v1/journal?"+query, ""); !strings.Contains(a.text, fmt.Sprintf(`"field":%q`, field)) {
			t.Errorf("%s: response = %s, want the field %s", query, a.text, field)
		}
	}
	h.call(http.StatusBadRequest, "GET", "/admin/v1/journal?customer=cus_none", "")
	message := "a: unknown_name; b: unknown_name; limit: out_of_range"
	if a := h.call(http.StatusBadRequest, "GET", "/admin/v1/journal?b=1&limit=0&a=2", ""); !strings.Contains(a.text, message) {
		t.Errorf("response = %s, want %s in it", a.text, message)
	}
}

// A store sorts rows of equal time by their ids.
func TestRowsOfEqualTimeAreSortedBySequence(t *testing.T) {
	h := open(t)
	customer := h.customer("desk")
	rows := make([]persistence.JournalEntry, 9)
	for i := range rows {
		rows[i] = persistence.JournalEntry{Kind: "k", Subject: "s"}
	}
	h.writeJournalAt(customer, 0, func(i int) string { return fmt.Sprintf("jrn_%d", i*4%9) }, rows...)
	var seqs []string
	items, _ := h.call(http.StatusOK, "GET", "/admin/v1/journal?customer="+customer, "").field("items").([]any)
	for _, item := range items {
		row, _ := item.(map[string]any)
		seqs = append(seqs, fmt.Sprint(row["seq"]))
	}
	if got := strings.Join(seqs, " "); got != "9 8 7 6 5 4 3 2 1" {
		t.Errorf("rows = %s, want 9 to 1", got)
	}
}

func TestExportHasNoFormulas(t *testing.T) {
	h := open(t)
	customer := h.customer("desk")
	h.writeJournal(customer, signalRows()...)
	lines := h.call(http.StatusOK, "GET", "/admin/v1/journal/export?customer="+customer+"&channel=hook_2", "").text
	if lines != `{"id":"jrn_002","seq":3,"at":"2026-01-02T03:02:00.000Z","kind":"signal.received","subject":"sig_2","channel":"hook_2","symbol":"ETHUSDT","result":"accepted","fields":[{"name":"comment","value":"=1+1"}]}`+"\n" {
		t.Errorf("lines = %s, want the row of hook_2", lines)
	}
	table, err := csv.NewReader(strings.NewReader(h.call(http.StatusOK, "GET", "/admin/v1/journal/export?format=csv&customer="+customer, "").text)).ReadAll()
	if err != nil || len(table) != 5 || table[0][0] != "at" {
		t.Fatalf("table = %q, %v; want a header and 4 rows", table, err)
	}
	for _, row := range table[1:] {
		for _, cell := range row {
			if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
				t.Errorf("cell = %q, want one that is no formula", cell)
			}
		}
	}
	if table[1][4] != "'=cmd()" || table[2][8] != "comment==1+1" {
		t.Errorf("cells = %q, %q; want '=cmd(), comment==1+1", table[1][4], table[2][8])
	}
	h.call(http.StatusBadRequest, "GET", "/admin/v1/journal/export?format=pdf", "")
}

// Some programs split lines at semicolons or tabs, and a text without comma and quote
// is not quoted.
func TestExportHasNoFormulasAfterOtherSeparators(t *testing.T) {
	h := open(t)
	customer := h.customer("desk")
	var rows []persistence.JournalEntry
	for _, text := range []string{"x;=1+1", "x; =1+1", "a,-1", "\t=1", "x\r\n+1", "x\";@f()", "\uff1d1+1", ";;=1", " =1"} {
		rows = append(rows, persistence.JournalEntry{
			Kind: "signal.received", Subject: text, Result: "rejected", Fields: []persistence.JournalField{{Name: "comment", Value: text}},
		})
	}
	h.writeJournal(customer, rows...)
	text := h.call(http.StatusOK, "GET", "/admin/v1/journal/export?format=csv&customer="+customer, "").text
	for cell := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(",;\t\r\n", r) }) {
		if cell = strings.Trim(cell, `" `); cell != "" && strings.ContainsAny(cell[:1]+string([]rune(cell)[0]), "=+-@\uff1d") {
			t.Errorf("part = %q, want one that is no formula", cell)
		}
	}
	if table, err := csv.NewReader(strings.NewReader(text)).ReadAll(); err != nil || len(table) != len(rows)+1 {
		t.Errorf("table of %d rows, %v; want %d", len(table), err, len(rows)+1)
	}
}

func TestVerifyFindsAnInsertedRow(t *testing.T) {
	h := open(t)
	h.customer("one")
	h.customer("two")
	if a := h.call(http.StatusOK, "GET", "/admin/v1/journal/verify", ""); a.text != `{"rows":2,"intact":true,"break":null}` {
		t.Errorf("verified = %s, want 2 intact rows", a.text)
	}
	changed := h.journal()[0]
	changed.Seq, changed.ID, changed.Subject = 9, "jrn_planted", "another"
	if err := h.store.Commit(t.Context(), persistence.Batch{Journal: []persistence.JournalEntry{changed}}); err != nil {
		t.Fatal(err)
	}
	if a := h.call(http.StatusOK, "GET", "/admin/v1/journal/verify", ""); a.field("intact") != false || a.str("break", "id") != "jrn_planted" {
		t.Errorf("verified = %s, want a break at jrn_planted", a.text)
	}
}
