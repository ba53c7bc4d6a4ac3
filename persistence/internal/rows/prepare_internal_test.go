package rows

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"venuegate/persistence"
	"venuegate/venues"
)

func TestPrepareChecksTheKeysOfABatch(t *testing.T) {
	long := strings.Repeat("x", TextBytesMax+1)
	for name, b := range map[string]persistence.Batch{
		"fence of a long customer": {Fence: persistence.Fence{Customer: long}},
		"key without id":           {Absent: []persistence.Key{{Kind: persistence.KindOrder, Customer: "alice"}}},
		"key of a long id":         {Absent: []persistence.Key{{Kind: persistence.KindOrder, Customer: "alice", ID: long}}},
		"key without customer":     {Absent: []persistence.Key{{Kind: persistence.KindOrder, ID: "ord_1"}}},
		"unknown kind":             {Absent: []persistence.Key{{Kind: "other", Customer: "alice", ID: "1"}}},
	} {
		if _, err := Prepare(b); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: Prepare = %v, want ErrInvalid", name, err)
		}
	}
}

func TestPositionOfAPageIsTheTimeOfItsID(t *testing.T) {
	at := time.UnixMilli(1_770_000_000_000)
	id := ulid.MustNew(ulid.Timestamp(at), nil).String()
	r := timeRange{prefix: newKey("alice", tableOrderTime), ids: "ord_"}
	got, found, err := r.position(r.prefix.clone().text("ord_" + id))
	if err != nil || !found || got.ID != "ord_"+id || !got.At.Equal(at) {
		t.Errorf("position %+v, found = %t, error %v; want %s at %s, true", got, found, err, "ord_"+id, at)
	}
	if got, found, err := r.position(r.prefix.clone().text("sig_" + id)); err != nil || found {
		t.Errorf("position %+v of another kind, found = %t, error %v; want false", got, found, err)
	}
}

// memoryRows are rows in memory. Reading fails with err if it is set.
type memoryRows struct {
	Tx
	rows map[string][]byte
	err  error
}

func (m memoryRows) LacksRequest([]byte) bool { return false }

func (m memoryRows) Scan(from, to []byte, descending bool, visit func(key, value []byte) bool) error {
	keys := slices.Sorted(maps.Keys(m.rows))
	if descending {
		slices.Reverse(keys)
	}
	for _, k := range keys {
		if k >= string(from) && (to == nil || k < string(to)) && !visit([]byte(k), m.rows[k]) {
			break
		}
	}
	return m.err
}

func (m memoryRows) Get(key []byte) ([]byte, error) { return m.rows[string(key)], m.err }

func (m memoryRows) Replace(key, _, value []byte) error {
	if value == nil {
		delete(m.rows, string(key))
	} else {
		m.rows[string(key)] = value
	}
	return nil
}

func (m memoryRows) Cache() RowCache { return RowCache{} }

// ClearClosed clears the flag of the two kinds of index rows of all customers, and of no other
// row, in steps of a bounded size.
func TestClearClosed(t *testing.T) {
	m := memoryRows{rows: map[string][]byte{}}
	closed, open := indexFields{exchange: "binance", symbol: "BTCUSDT", closed: true}.encode(), indexFields{exchange: "binance", symbol: "BTCUSDT"}.encode()
	for _, customer := range []string{"alice", "bob", "carol"} {
		for n := range uint64(clearRowsMax/2 + 1) {
			m.rows[string(newKey(customer, tableOrderTime).number(n))] = closed
		}
		m.rows[string(newKey(customer, tableOrderRequest).text("r"))] = closed
		m.rows[string(newKey(customer, tableOrderTime).number(1<<32))] = open
		m.rows[string(newKey(customer, tableJournal).text("j"))] = closed
	}
	empty := string(newKey("alice", tableOrderRequest).text("s"))
	m.rows[empty] = []byte{}
	engine := "\x00\x00" + string(newKey("alice", tableOrderTime)) // sorts before the rows of this package
	m.rows[engine] = closed
	steps := 0
	for from := []byte(nil); steps == 0 || from != nil; steps++ {
		next, err := ClearClosed(m, from)
		if err != nil || steps > 10 {
			t.Fatalf("step %d ends with error %v", steps, err)
		}
		from = next
	}
	if steps != 2 {
		t.Errorf("%d steps, want 2", steps)
	}
	for k, value := range m.rows {
		if k == engine {
			continue
		}
		reader := keyReader{rest: []byte(k)}
		reader.text()
		want := open
		if reader.table() == tableJournal {
			want = closed
		}
		if k == empty {
			want = nil
		}
		if !bytes.Equal(value, want) {
			t.Errorf("row %q = %q, want %q", k, value, want)
		}
	}
	m.err = persistence.ErrUnavailable
	if next, err := ClearClosed(m, nil); !errors.Is(err, m.err) || next != nil {
		t.Errorf("ClearClosed of rows that cannot be read = %q, %v; want nil, %v", next, err, m.err)
	}
}

func TestFence(t *testing.T) {
	c := Commit{fence: persistence.Fence{Customer: "alice", Epoch: 7}}
	m := memoryRows{rows: map[string][]byte{}}
	if err := c.checkFence(m, 0); !errors.Is(err, persistence.ErrFenced) {
		t.Errorf("fence of a customer without owner = %v, want %v", err, persistence.ErrFenced)
	}
	m.err = persistence.ErrUnavailable
	if err := c.checkFence(m, 0); !errors.Is(err, m.err) {
		t.Errorf("fence that cannot be read = %v, want %v", err, m.err)
	}
}

func TestRepairRemovesRowsWithoutARecord(t *testing.T) {
	m := memoryRows{rows: map[string][]byte{}}
	for _, e := range layoutSample(t) {
		for _, r := range e.index {
			m.rows[string(r.key)] = r.value
		}
	}
	if next, err := RepairIndex(m, nil, 1<<20); err != nil || next != nil || len(m.rows) != 0 {
		t.Errorf("RepairIndex = %q, %v, and leaves %d rows; want none", next, err, len(m.rows))
	}
	m.err = persistence.ErrUnavailable
	if _, err := RepairIndex(m, nil, 1<<20); !errors.Is(err, m.err) {
		t.Errorf("RepairIndex of rows that cannot be read = %v, want %v", err, m.err)
	}
}

func TestUnknownWordIsMalformed(t *testing.T) {
	c := &codec{decoding: true}
	if text := c.readTextForm(byte(textWord + len(words))); text != "" || !errors.Is(c.err, errMalformed) {
		t.Errorf("text %q, error %v, want %v", text, c.err, errMalformed)
	}
}

// A page has no row from after the end of the scan, and the last page no limit but its size.
func TestLoadPage(t *testing.T) {
	at := func(second int64) persistence.PagePosition {
		return persistence.PagePosition{At: venues.At(time.Unix(second, 0)), ID: "x"}
	}
	end := at(2)
	for name, c := range map[string]struct {
		end  *persistence.PagePosition
		want int
	}{"last page": {nil, 3}, "ended scan": {&end, 2}} {
		page, err := loadPage([]hit{{PagePosition: at(3)}, {PagePosition: at(2)}, {PagePosition: at(1)}}, c.end, 3, func(hit) (int, error) { return 0, nil })
		if err != nil || len(page.Items) != c.want || page.Next != c.end {
			t.Errorf("%s: %d items, next %v, %v; want %d, %v", name, len(page.Items), page.Next, err, c.want, c.end)
		}
	}
}

func TestScanEndsWithAnErrorOrItsLimit(t *testing.T) {
	r := timeRange{prefix: newKey("alice", tableRecord), ids: "ord_"}
	m := memoryRows{rows: map[string][]byte{}}
	for n := range uint64(3) {
		m.rows[string(r.prefix.clone().text("ord_"+ulid.MustNew(n+1, nil).String()))] = []byte{1}
	}
	hits, _, err := r.newestHits(t.Context(), m, 2, func(*hit) (bool, error) { return true, nil })
	if err != nil || len(hits) != 2 {
		t.Errorf("%d hits, %v; want 2", len(hits), err)
	}
	if _, _, err := r.newestHits(t.Context(), m, 2, func(*hit) (bool, error) { return false, persistence.ErrUnavailable }); !errors.Is(err, persistence.ErrUnavailable) {
		t.Errorf("scan = %v, want %v", err, persistence.ErrUnavailable)
	}
}
