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

func (m memoryRows) Scan(from, to []byte, _ bool, visit func(key, value []byte) bool) error {
	for _, k := range slices.Sorted(maps.Keys(m.rows)) {
		if k >= string(from) && (to == nil || k < string(to)) && !visit([]byte(k), m.rows[k]) {
			break
		}
	}
	return m.err
}

func (m memoryRows) Get(key []byte) ([]byte, error) { return m.rows[string(key)], m.err }

func (m memoryRows) Replace(key, _, value []byte) error {
	m.rows[string(key)] = value
	return nil
}

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
		reader := keyReader{rest: []byte(k)}
		reader.text()
		want := open
		if reader.table() == tableJournal {
			want = closed
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
