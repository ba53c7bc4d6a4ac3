package persistence_test

import (
	"bytes"
	"crypto/rand"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/oklog/ulid/v2"
	"pgregory.net/rapid"

	"venuegate/persistence"
	"venuegate/venues"
)

func TestNewIDIsPrefixAndULIDOfTheTime(t *testing.T) {
	at := time.Date(2026, 11, 20, 9, 19, 0, 123_456_789, time.UTC)
	got := persistence.NewID("ord", at, bytes.NewReader(make([]byte, 10)))
	if want := "ord_01M7W4110V0000000000000000"; got != want {
		t.Fatalf("NewID = %q, want %q", got, want)
	}
	id, err := ulid.ParseStrict(strings.TrimPrefix(got, "ord_"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := ulid.Time(id.Time()), at.Truncate(time.Millisecond); !got.Equal(want) {
		t.Errorf("time in the id = %v, want %v", got, want)
	}
}

func TestNewIDSortsByTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		earlier := rapid.Int64Range(0, 1<<45).Draw(t, "earlier")
		later := earlier + rapid.Int64Range(1, 1<<40).Draw(t, "gap")
		a := persistence.NewID("ord", time.UnixMilli(earlier), rand.Reader)
		b := persistence.NewID("ord", time.UnixMilli(later), rand.Reader)
		if a >= b {
			t.Fatalf("%q does not sort before %q", a, b)
		}
	})
}

func TestNewIDsOfOneMillisecondDiffer(t *testing.T) {
	at := time.UnixMilli(1)
	seen := make(map[string]bool)
	for range 1000 {
		id := persistence.NewID("ord", at, rand.Reader)
		if seen[id] {
			t.Fatalf("NewID returned %q twice", id)
		}
		seen[id] = true
	}
}

func TestNewIDClampsTimesOutOfRange(t *testing.T) {
	zero := persistence.NewID("ord", time.Time{}, bytes.NewReader(make([]byte, 10)))
	if want := "ord_00000000000000000000000000"; zero != want {
		t.Errorf("NewID of the zero time = %q, want %q", zero, want)
	}
	far := persistence.NewID("ord", time.Date(20000, 1, 1, 0, 0, 0, 0, time.UTC), bytes.NewReader(make([]byte, 10)))
	if want := "ord_7ZZZZZZZZZ0000000000000000"; far != want {
		t.Errorf("NewID of the year 20000 = %q, want %q", far, want)
	}
}

func TestNewIDPanicsWithoutEntropy(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("NewID without entropy did not panic")
		}
	}()
	persistence.NewID("ord", time.UnixMilli(1), iotest.ErrReader(iotest.ErrTimeout))
}

func TestFillIDIsAPureFunction(t *testing.T) {
	at := time.Date(2026, 11, 20, 9, 19, 0, 123_000_000, time.UTC)
	first := persistence.FillID(venues.Binance, "BTCUSDT", "4242", "77", at)
	if again := persistence.FillID(venues.Binance, "BTCUSDT", "4242", "77", at.In(time.FixedZone("", 3600))); again != first {
		t.Errorf("second FillID of one execution = %q, want %q", again, first)
	}
	// Golden: the ids of stored fills must not change.
	if want := "fil_01M7W4110VDJWYYRQVXDCDKAN2"; first != want {
		t.Errorf("FillID = %q, want %q", first, want)
	}
}

func TestFillIDsOfExecutionsDiffer(t *testing.T) {
	at := time.UnixMilli(1_700_000_000_000)
	ids := map[string]string{}
	for _, c := range []struct {
		venue                venues.Venue
		symbol, order, trade string
	}{
		{venues.Binance, "BTCUSDT", "1", "23"},
		{venues.Binance, "BTCUSDT", "12", "3"},
		{venues.Binance, "ETHUSDT", "1", "23"},
		{venues.Bybit, "BTCUSDT", "1", "23"},
		{venues.Binance, "BTCUSDT", "", "123"},
		{venues.Binance, "BTCUSDT", "123", ""},
	} {
		id := persistence.FillID(c.venue, c.symbol, c.order, c.trade, at)
		name := string(c.venue) + " " + c.symbol + " " + c.order + " " + c.trade
		if other, taken := ids[id]; taken {
			t.Errorf("FillID of %q = %q, which is that of %q", name, id, other)
		}
		ids[id] = name
	}
}

func TestAdoptedIdentitiesDiffer(t *testing.T) {
	first := persistence.AdoptedIdentity(venues.OKX, "alice", "BTCUSDT", "7", true)
	if again := persistence.AdoptedIdentity(venues.OKX, "alice", "BTCUSDT", "7", true); again != first {
		t.Errorf("second identity of one order = %s, want %s", again, first)
	}
	for _, other := range []string{
		persistence.AdoptedIdentity(venues.OKX, "alice", "BTCUSDT", "7", false),
		persistence.AdoptedIdentity(venues.OKX, "alice", "BTCUSDT", "8", true),
		persistence.AdoptedIdentity(venues.OKX, "alice", "ETHUSDT", "7", true),
		persistence.AdoptedIdentity(venues.OKX, "bob", "BTCUSDT", "7", true),
		persistence.AdoptedIdentity(venues.Bybit, "alice", "BTCUSDT", "7", true),
	} {
		if other == first {
			t.Errorf("two orders have the identity %s", first)
		}
	}
}

// The ids of adopted orders sort with those of the service's own orders, by time.
func TestAdoptedOrderIDHasTimeAndIdentity(t *testing.T) {
	identity := persistence.AdoptedIdentity(venues.OKX, "alice", "BTCUSDT", "7", true)
	at := time.UnixMilli(1_700_000_000_123)
	id := persistence.AdoptedOrderID(identity, at)
	own := persistence.NewID(persistence.PrefixOrder, at, strings.NewReader("0123456789"))
	if len(id) != len(own) || id[:len(id)-len(identity)] != own[:len(id)-len(identity)] {
		t.Errorf("id = %s, want the time of %s", id, own)
	}
	if got := persistence.IdentityOfID(id); got != identity {
		t.Errorf("identity of %s = %s, want %s", id, got, identity)
	}
	if later := persistence.AdoptedOrderID(identity, at.Add(time.Millisecond)); later <= id {
		t.Errorf("id a millisecond later = %s, want one after %s", later, id)
	}
}

func TestEventIDContainsTheSequence(t *testing.T) {
	id := persistence.NewID(persistence.PrefixEvent, time.UnixMilli(1_700_000_000_123), strings.NewReader("0123456789"))
	for _, seq := range []uint64{0, 1, 77, 1 << 32, 1<<40 - 1} {
		got := persistence.EventID(id, seq)
		in, ok := persistence.EventSequence(got)
		if !ok || in != seq || len(got) != len(id) || got[:len(id)-8] != id[:len(id)-8] {
			t.Errorf("EventID(%q, %d) = %q with the sequence %d, %v; want the same id but for its end", id, seq, got, in, ok)
		}
	}
	for _, other := range []string{"", "evt_1", "ord_" + id[4:], strings.ToLower(id), id + "0"} {
		if got := persistence.EventID(other, 7); got != other {
			t.Errorf("EventID(%q) = %q, want it as it is", other, got)
		}
		if seq, ok := persistence.EventSequence(other); ok {
			t.Errorf("EventSequence(%q) = %d, want none", other, seq)
		}
	}
	if got := persistence.EventID(id, 1<<40); got != id {
		t.Errorf("EventID of a sequence that does not fit = %q, want %q", got, id)
	}
}
