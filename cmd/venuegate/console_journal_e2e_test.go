package main

import (
	"context"
	"crypto/rand"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/persistence/badgerstore"
	"venuegate/venues"
)

const (
	manyRows = 100_000
	// rareRows is every how manyth of them is about an instrument that the others are not about.
	rareRows = 400
	// rowsInDocument is how many rows a list of any length has in the document at most.
	rowsInDocument = 80
)

// withStore stops a service, opens its store, and serves it again.
func (s *service) withStore(do func(*badgerstore.Store) error, args ...string) *service {
	s.t.Helper()
	s.kill()
	store, err := badgerstore.Open(filepath.Join(s.dir, storeName), badgerstore.Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	if err := do(store); err != nil {
		s.t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		s.t.Fatal(err)
	}
	return startService(s.t, s.dir, args...)
}

// fillJournal appends rows to the journal of a customer, one each 10 ms up to now.
func fillJournal(ctx context.Context, store *badgerstore.Store, customer string, n int) error {
	last, err := store.Journal(ctx, persistence.JournalQuery{Customer: customer, Limit: 1})
	if err != nil {
		return err
	}
	seq := uint64(0)
	if len(last.Items) > 0 {
		seq = last.Items[0].Seq
	}
	fence, err := store.TakeOwnership(ctx, customer)
	if err != nil {
		return err
	}
	begin := time.Now().Add(-time.Duration(n) * 10 * time.Millisecond)
	for first := 0; first < n; first += 1000 {
		batch := persistence.Batch{Fence: fence}
		for i := first; i < min(first+1000, n); i++ {
			at := venues.At(begin.Add(time.Duration(i) * 10 * time.Millisecond))
			row := persistence.JournalEntry{
				ID: persistence.NewID(persistence.PrefixJournal, at.Time, rand.Reader), Seq: seq + uint64(i) + 1, At: at,
				Kind: "order.status", Subject: fmt.Sprintf("ord_%06d", i/4), Symbol: "BTCUSDT", Result: "open",
				Fields: []persistence.JournalField{{Name: "n", Value: strconv.Itoa(i)}, {Name: "comment", Value: `=1+1, "quoted"`}},
			}
			if i%rareRows == 0 {
				row.Symbol, row.Result = "SOLUSDT", "filled"
			}
			batch.Journal = append(batch.Journal, row)
		}
		if err := store.Commit(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

// exported requests an export as a page does and returns its body.
func (p *page) exported(query string) string {
	p.t.Helper()
	request, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, p.url+"/console/api/journal/export?"+query, http.NoBody)
	if err != nil {
		p.t.Fatal(err)
	}
	request.AddCookie(p.cookie)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		p.t.Fatalf("export %s: status %d, %v, want %d", query, response.StatusCode, err, http.StatusOK)
	}
	return string(body)
}

// TestConsoleJournal reads a long journal in a browser: by filters, page by page, and while it
// grows. What is being read does not move, and the export has the rows of the filters.
func TestConsoleJournal(t *testing.T) {
	s, page := openConsole(t)
	customer := s.customer()
	s = s.withStore(func(store *badgerstore.Store) error { return fillJournal(t.Context(), store, customer, manyRows) },
		"--listen", strings.TrimPrefix(s.demo.BaseURL, "http://"))
	page.open(s.demo.Console.URL)
	page.enter(s)

	const rows = `[...document.querySelectorAll("tbody tr[data-index], tbody tr:not([aria-hidden])")]`
	page.open(s.demo.Console.URL + "/journal?kind=order.status")
	page.wait(rows + `.length > 10`)
	for n := 2; n <= 6; n++ {
		page.press("Older rows")
		page.wait(fmt.Sprintf(`document.querySelector("table").getAttribute("aria-rowcount") === "%d"`, n*100+1))
		page.evaluate(`scrollTo(0, document.documentElement.scrollHeight)`)
		page.wait(fmt.Sprintf(`%s.at(-1)?.dataset.index === "%d"`, rows, n*100-1))
		if got, _ := strconv.Atoi(page.evaluate(`document.querySelectorAll("tbody tr").length`)); got > rowsInDocument {
			t.Errorf("rows in the document of %d = %d, want at most %d", n*100, got, rowsInDocument)
		}
	}

	page.evaluate(`scrollTo(0, 6000)`)
	page.wait(fmt.Sprintf(`(at => at > 0 && at < 500)(%s[0].dataset.index)`, rows))
	const row = rows + `[5].textContent + " at " + ` + rows + `[5].getBoundingClientRect().top`
	read := page.evaluate(row)
	s.someOrders()
	page.wait(`[...document.querySelectorAll("button")].some(b => / new rows?$/.test(b.textContent))`)
	if got := page.evaluate(row); got != read {
		t.Errorf("the row being read = %s, want it where it was: %s", got, read)
	}
	page.evaluate(`scrollTo(0, 0)`)
	page.evaluate(`[...document.querySelectorAll("button")].find(b => / new rows?$/.test(b.textContent)).click()`)
	page.wait(`document.querySelector("tbody").textContent.includes("ETHUSDT")`)

	testExportOfTheFilter(t, s, page)
	page.wantOwnOrigin(s)
}

// testExportOfTheFilter compares the rows that a filter lists, page by page, with the export.
func testExportOfTheFilter(t *testing.T, s *service, page *devTools) {
	page.open(s.demo.Console.URL + "/journal?symbol=SOLUSDT")
	for page.evaluate(`document.querySelector("table")?.getAttribute("aria-rowcount")`) != strconv.Itoa(manyRows/rareRows+1) {
		page.wait(`!document.querySelector("[aria-label=Loading]") && ![...document.querySelectorAll("button")].some(b => b.dataset.loading)`)
		if page.evaluate(`[...document.querySelectorAll("button")].some(b => b.textContent === "Older rows")`) == "false" {
			break
		}
		page.press("Older rows")
	}
	href := page.evaluate(`document.querySelector("a[aria-label='Export as JSON lines']").href`)
	_, query, _ := strings.Cut(href, "?")
	p := signedIn(s)
	listed := p.everyRow(query)
	if len(listed) != manyRows/rareRows {
		t.Errorf("rows of the filter = %d, want %d", len(listed), manyRows/rareRows)
	}
	lines := strings.Split(strings.TrimSpace(p.exported(query)), "\n")
	cells, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(p.exported(strings.Replace(query, "jsonl", "csv", 1)), "\ufeff"))).ReadAll()
	if err != nil || len(lines) != len(listed) || len(cells) != len(listed)+1 {
		t.Fatalf("export has %d lines and %d of CSV, %v, want %d and a line of names", len(lines), len(cells), err, len(listed))
	}
	for i, want := range listed {
		var got record
		if err := json.Unmarshal([]byte(lines[i]), &got); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("line %d = %s, %v, want %v", i, lines[i], err, want)
		}
		if joined := strings.Join(cells[i+1], "|"); !strings.Contains(joined, want.text("id")) {
			t.Fatalf("line %d of CSV = %s, want row %s", i, joined, want.text("id"))
		}
	}
}

// signedIn returns a page of the demo's user.
func signedIn(s *service) *page {
	s.t.Helper()
	p := &page{service: s, url: s.demo.BaseURL}
	p.call(http.StatusOK, http.MethodPost, "/session", map[string]string{"login": s.demo.Console.User, "password": s.demo.Console.Password})
	return p
}

// everyRow reads all pages of the rows that the query of an export selects.
func (p *page) everyRow(query string) (rows []record) {
	p.t.Helper()
	filter, err := url.ParseQuery(query)
	if err != nil {
		p.t.Fatal(err)
	}
	filter.Del("format")
	filter.Set("limit", "100")
	for {
		answer := p.call(http.StatusOK, http.MethodGet, "/journal?"+filter.Encode(), nil)
		rows = append(rows, answer.items()...)
		if answer.text("nextCursor") == "" {
			return rows
		}
		filter.Set("cursor", answer.text("nextCursor"))
	}
}
