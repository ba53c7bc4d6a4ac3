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

func TestNewIDIsPrefixAndULIDOfTheMoment(t *testing.T) {
	at := time.Date(2026, 11, 20, 9, 19, 0, 123_456_789, time.UTC)
	got := persistence.NewID("ord", at, bytes.NewReader(make([]byte, 10)))
	if want := "ord_01M7W4110V0000000000000000"; got != want {
		t.Fatalf("NewID = %q, want %q", got, want)
	}
	id, err := ulid.ParseStrict(strings.TrimPrefix(got, "ord_"))
	if err != nil {
		t.Fatal(err)
	}
	if moment := ulid.Time(id.Time()); !moment.Equal(at.Truncate(time.Millisecond)) {
		t.Errorf("moment in the id = %v, want %v", moment, at.Truncate(time.Millisecond))
	}
}

func TestNewIDSortsByMoment(t *testing.T) {
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

func TestNewIDsOfOneMomentDiffer(t *testing.T) {
	at := time.UnixMilli(1)
	seen := make(map[string]bool)
	for range 1000 {
		id := persistence.NewID("ord", at, rand.Reader)
		if seen[id] {
			t.Fatalf("%q was made twice", id)
		}
		seen[id] = true
	}
}

func TestNewIDTakesMomentsOutOfRange(t *testing.T) {
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
		t.Errorf("the same execution got %q and %q", first, again)
	}
	// Golden: stored fills keep their ids for ever.
	if want := "fil_01M7W4110VDJWYYRQVXDCDKAN2"; first != want {
		t.Errorf("FillID = %q, want %q", first, want)
	}
}

func TestFillIDTellsExecutionsApart(t *testing.T) {
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
			t.Errorf("%q and %q share the id %q", name, other, id)
		}
		ids[id] = name
	}
}

func TestForeignOrderIDTellsOrdersApart(t *testing.T) {
	first := persistence.ForeignOrderID(venues.OKX, "alice", "BTCUSDT", "7", true)
	if again := persistence.ForeignOrderID(venues.OKX, "alice", "BTCUSDT", "7", true); again != first {
		t.Errorf("%s and %s", first, again)
	}
	for _, other := range []string{
		persistence.ForeignOrderID(venues.OKX, "alice", "BTCUSDT", "7", false),
		persistence.ForeignOrderID(venues.OKX, "alice", "BTCUSDT", "8", true),
		persistence.ForeignOrderID(venues.OKX, "alice", "ETHUSDT", "7", true),
		persistence.ForeignOrderID(venues.OKX, "bob", "BTCUSDT", "7", true),
		persistence.ForeignOrderID(venues.Bybit, "alice", "BTCUSDT", "7", true),
	} {
		if other == first {
			t.Errorf("%s names two orders", first)
		}
	}
}
