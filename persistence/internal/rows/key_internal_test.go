package rows

import (
	"bytes"
	"cmp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"venuegate/persistence"
)

// anyText generates texts, often with the bytes that keys escape.
func anyText() *rapid.Generator[string] {
	return rapid.OneOf(rapid.String(), rapid.StringMatching("[a\x00\x01\\xff]{0,4}"))
}

func TestKeysSortByTheirParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) (string, int64, string) {
			return anyText().Draw(t, name), rapid.Int64Range(-3, 3).Draw(t, name), anyText().Draw(t, name)
		}
		a1, a2, a3 := draw("a")
		b1, b2, b3 := draw("b")
		a := newKey(a1, tableOrderTime).millis(a2).text(a3)
		b := newKey(b1, tableOrderTime).millis(b2).text(b3)
		want := cmp.Or(strings.Compare(a1, b1), cmp.Compare(a2, b2), strings.Compare(a3, b3))
		if got := bytes.Compare(a, b); got != want {
			t.Fatalf("Compare of (%q %d %q) with (%q %d %q) = %d, want %d", a1, a2, a3, b1, b2, b3, got, want)
		}
	})
}

func TestKeyReaderReadsKeyParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		customer, id := anyText().Draw(t, "customer"), anyText().Draw(t, "id")
		ms, n := rapid.Int64Range(-1<<40, 1<<42).Draw(t, "ms"), rapid.Uint64().Draw(t, "n")
		reader := keyReader{rest: newKey(customer, tableJournal).millis(ms).text(id).number(n)}
		gotCustomer, gotTable := reader.text(), reader.table()
		gotAt, gotID, gotN := reader.time(), reader.text(), reader.number()
		if reader.err != nil || gotCustomer != customer || gotTable != tableJournal || gotAt.UnixMilli() != ms || gotID != id || gotN != n {
			t.Fatalf("read %q %c %v %q %d, %v; want %q %c %d %q %d",
				gotCustomer, gotTable, gotAt, gotID, gotN, reader.err, customer, tableJournal, ms, id, n)
		}
	})
}

func TestKeysOfCustomersDoNotOverlap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyText().Draw(t, "a"), anyText().Draw(t, "b")
		if a != b && bytes.HasPrefix(newKey(b, tableOrderTime), key(nil).text(a)) {
			t.Fatalf("keys of %q have the prefix of %q", b, a)
		}
		if bytes.Compare(newKey(a, 0), firstKey) < 0 {
			t.Fatalf("keys of %q sort before %x, among those of the engine", a, firstKey)
		}
	})
}

func TestEndIsAfterEveryKeyOfThePrefix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		prefix := key(rapid.SliceOfN(rapid.Byte(), 1, 4).Draw(t, "prefix"))
		rest := rapid.SliceOf(rapid.Byte()).Draw(t, "rest")
		end := prefix.end()
		if within := append(prefix.clone(), rest...); end != nil && bytes.Compare(within, end) >= 0 {
			t.Fatalf("end %x does not sort after the key %x", end, within)
		}
		if end != nil && bytes.HasPrefix(end, prefix) {
			t.Fatalf("end %x has the prefix %x", end, prefix)
		}
	})
}

func TestAttemptsOfARequestShareAPrefix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := persistence.IdempotencyRecord{
			Customer: rapid.StringN(1, 3, 9).Draw(t, "customer"), Scope: "rest",
			RequestID: anyText().Draw(t, "request"), Attempt: rapid.IntRange(0, 1<<40).Draw(t, "attempt"),
		}
		k, err := recordKey(r.Key())
		if err != nil {
			t.Skip(err)
		}
		want := newKey(r.Customer, tableRecord).text("idempotency").text("rest/" + r.RequestID)
		if got := RequestPrefix(k); !bytes.Equal(got, want) {
			t.Fatalf("RequestPrefix(%q) = %q, want %q", k, got, want)
		}
		if other := newKey(r.Customer, tableRecord).text("order").text(r.RequestID); RequestPrefix(other) != nil {
			t.Fatalf("RequestPrefix(%q) = %q, want nil", other, RequestPrefix(other))
		}
	})
}

func TestZeroTimeSortsFirst(t *testing.T) {
	zero, first := newKey("a", tableJournal).time(time.Time{}), newKey("a", tableJournal).time(time.Unix(0, 0))
	if bytes.Compare(zero, first) >= 0 {
		t.Errorf("the key of the zero time %x does not sort before that of 1970, %x", zero, first)
	}
}

func FuzzKeyReader(f *testing.F) {
	f.Add([]byte(newKey("alice", tableRecord).text("order").text("ord_1")), []byte("\x01{}"))
	f.Add([]byte(newKey("alice", tableEvent).number(1)), []byte{})
	f.Add([]byte(newKey("alice", tableRecord).text("signal").text("sig_1")), []byte("\x01{}"))
	f.Add([]byte(newKey("alice", tableRecord).text("delivery").text("end_1/evt_1")), []byte("\x01"+`{"status":"pending"}`))
	f.Add([]byte(newKey("alice", tableJournal).millis(1).text("jrn_1")), []byte("\x01"+`{"subject":"s","channel":"c"}`))
	f.Add([]byte{0}, []byte{0, 0})
	f.Fuzz(func(_ *testing.T, key, value []byte) {
		_ = RequestPrefix(key)
		_, _ = decodePrimary(key, value)
		_, _ = decodeEntity(key, value)
		_, _ = decodeIndexFields(value)
		_, _ = decodeNumber(value)
		for _, ids := range []string{"", "ord_"} {
			_, _, _ = timeRange{prefix: newKey("a", tableOrderTime), ids: ids}.position(append(newKey("a", tableOrderTime), key...))
		}
		_, _, _ = compact(key, value)
	})
}
