package rest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/persistence"
	"venuegate/transport/api"
)

// A list is refused while there is no memory for it, until a response that is not read is
// slow. Its connection can no longer be written to.
func TestMemoryOfSlowResponses(t *testing.T) {
	r, now := newReads(), time.Now()
	r.rows.perSecond = int(time.Second) // no list waits
	var begun []*read
	var full error
	for n := 0; full == nil; n++ {
		reading, err := r.begin(fmt.Sprint("key", n%10))
		if err != nil {
			t.Fatal(err)
		}
		if _, full = reading.reserve(api.OrdersLimitMax, now); full == nil {
			begun = append(begun, reading)
		}
	}
	if want := unsentBytesMax / (api.OrdersLimitMax * recordBytes); !errors.Is(full, errUnsentFull) || len(begun) != want {
		t.Fatalf("%d lists, then %v; want %d, then %v", len(begun), full, want, errUnsentFull)
	}
	conn := &deadlineConn{}
	sent := begun[0].body(nil, conn)
	other, err := r.begin("other")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.reserve(api.OrdersLimitMax, now); !errors.Is(err, errUnsentFull) {
		t.Errorf("a list beside a response that is not slow: %v, want %v", err, errUnsentFull)
	}
	if _, err := other.reserve(api.OrdersLimitMax, now.Add(time.Minute)); err != nil {
		t.Errorf("a list beside a slow response: %v, want no error", err)
	}
	if !conn.deadline.Before(now) || conn.deadline.IsZero() {
		t.Errorf("write deadline of the slow response = %v, want one in the past", conn.deadline)
	}
	_ = sent.Close() // by the server; it must not count again
	for _, reading := range append(begun, other) {
		reading.end()
	}
	if r.unsent.total != 0 || len(r.unsent.answers) != 0 {
		t.Errorf("%d bytes of %d responses are not sent, want none", r.unsent.total, len(r.unsent.answers))
	}
}

// deadlineConn is a connection with a write deadline.
type deadlineConn struct {
	net.Conn
	deadline time.Time
}

func (c *deadlineConn) SetWriteDeadline(t time.Time) error {
	c.deadline = t
	return nil
}

// A key that reads no more than its equal share is served at once beside keys that read as
// much as they can, which share the rest of the rate of all keys.
func TestLightKeysAreServedBesideHeavyOnes(t *testing.T) {
	const longest = api.OrdersLimitMax + filterRows
	for name, c := range map[string]struct {
		processors int
		heavy      heavyKeys
		// light are the rows of the pages of the light key.
		light int
	}{
		"longest pages as fast as possible": {2, heavyKeys{4, api.OrdersLimitMax, time.Millisecond}, 1},
		"one key on one processor":          {1, heavyKeys{1, api.OrdersLimitMax, time.Millisecond}, 1},
		"filtered pages at 600 a minute":    {2, heavyKeys{2, longest, time.Second / 10}, 1},
		"many keys within their own limit":  {2, heavyKeys{20, 100, time.Second / 10}, 1},
		"a long page beside many keys":      {2, heavyKeys{14, api.OrdersLimitMax, time.Second / 10}, api.OrdersLimitMax},
		"a long page on one processor":      {1, heavyKeys{7, api.OrdersLimitMax, time.Second / 10}, api.OrdersLimitMax},
		"a filtered page beside many keys":  {2, heavyKeys{14, longest, time.Second / 10}, longest},
		"a filtered page on one processor":  {1, heavyKeys{7, longest, time.Second / 10}, longest},
	} {
		t.Run(name, func(t *testing.T) {
			r, begun := newReads(), time.Now()
			r.rows.perSecond = c.processors * rowsPerSecondProcessor
			const seconds = 30
			total, taken := 0, make([]int, c.heavy.keys)
			share := r.rows.timeOf(c.light * (c.heavy.keys + 1)).Truncate(time.Millisecond)
			lightEvery := max(share+time.Millisecond, time.Second/10)
			for at := time.Duration(0); at < seconds*time.Second; at += time.Millisecond {
				c.heavy.reserve(t, r, begun, at, taken)
				if at%lightEvery != 0 {
					continue
				}
				if wait, err := reserveRows(t, r, "light", c.light, begun.Add(at)); wait != 0 || err != nil {
					t.Fatalf("after %v the light key waits for %v, error %v, want neither", at, wait, err)
				}
				total += c.light
			}
			for _, rows := range taken {
				total += rows
			}
			if got, want := total/seconds, r.rows.perSecond; got < want*9/10 || got > want*11/10 {
				t.Errorf("the keys read %d rows a second, want about %d", got, want)
			}
			if least, most := slices.Min(taken), slices.Max(taken); least < most*9/10 {
				t.Errorf("heavy keys read between %d and %d rows, want equal shares", least, most)
			}
		})
	}
}

// heavyKeys are keys that request a list of as many rows every so often, each at another time.
type heavyKeys struct {
	keys, rows int
	every      time.Duration
}

// reserve reserves the lists that are requested at a time, and adds their rows to taken.
func (h heavyKeys) reserve(t *testing.T, r *reads, begun time.Time, at time.Duration, taken []int) {
	t.Helper()
	for n := range taken {
		if (at+time.Duration(n)*time.Millisecond)%h.every != 0 {
			continue
		}
		if _, err := reserveRows(t, r, fmt.Sprint("heavy", n), h.rows, begun.Add(at)); err == nil {
			taken[n] += h.rows
		}
	}
}

// reserveRows reserves the rows of a list of a key, and returns how long it waits.
func reserveRows(t *testing.T, r *reads, key string, rows int, now time.Time) (time.Duration, error) {
	t.Helper()
	reading, err := r.begin(key)
	if err != nil {
		t.Fatal(err)
	}
	defer reading.end()
	return reading.reserve(rows, now)
}

// A list costs its key and all keys the rows that it reports, and no more than were reserved.
// So does one that fails.
func TestListsCostWhatTheyRead(t *testing.T) {
	for _, c := range []struct {
		reported int
		err      error
		cost     int
	}{
		{0, nil, 1},
		{60, nil, 60},
		{100, nil, 100},
		{10 * rowsPerSecondKey, nil, 100},
		{0, persistence.ErrNotFound, 1},
		{60, persistence.ErrUnavailable, 60},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newReads()
			reading, err := r.begin("key")
			if err != nil {
				t.Fatal(err)
			}
			_, err = reading.list(t.Context(), 100, func() ([]byte, int, error) { return nil, c.reported, c.err })
			if !errors.Is(err, c.err) {
				t.Errorf("error = %v, want %v", err, c.err)
			}
			for of, p := range map[string]*pacer{"the key": &reading.key.rows, "all keys": &r.rows} {
				if got, want := time.Until(p.paidAt), p.timeOf(c.cost); got != want {
					t.Errorf("rows of %s are paid for %v after a list that reported %d, error %v; want %v", of, got, c.reported, c.err, want)
				}
			}
		})
	}
}

// A list that is refused after its rows were reserved costs nothing.
func TestRefusedListsCostNothing(t *testing.T) {
	for name, c := range map[string]struct {
		// earlier are the rows of an earlier list.
		earlier int
		timeout time.Duration
		want    error
	}{
		"no slot in time":        {1, time.Hour, limited(readRetry, "too many lists are being read")},
		"no slot before timeout": {1, listWaitMax / 2, context.DeadlineExceeded},
		"no rows before timeout": {rowsPerSecondKey * 9 / 10, listWaitMax / 2, context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newReads()
				r.rows.perSecond = rowsPerSecondKey
				for range cap(r.slots) {
					r.slots <- struct{}{}
				}
				if _, err := reserveRows(t, r, "key", c.earlier, time.Now()); err != nil {
					t.Fatal(err)
				}
				reading, err := r.begin("key")
				if err != nil {
					t.Fatal(err)
				}
				paidAt := func() [3]time.Time {
					return [3]time.Time{reading.key.rows.paidAt, reading.key.share.paidAt, r.rows.paidAt}
				}
				before := paidAt()
				ctx, cancel := context.WithTimeout(t.Context(), c.timeout)
				defer cancel()
				_, err = reading.list(ctx, 100, func() ([]byte, int, error) { return nil, 0, nil })
				if fmt.Sprint(err) != fmt.Sprint(c.want) {
					t.Errorf("error = %v, want %v", err, c.want)
				}
				if after := paidAt(); after != before || reading.key.unsentBytes != 0 {
					t.Errorf("rows are paid for at %v, %d bytes are unsent; want %v and none", after, reading.key.unsentBytes, before)
				}
			})
		})
	}
}

// Keys without reads are forgotten.
func TestIdleKeysAreForgotten(t *testing.T) {
	r := newReads()
	for n := range 3 * keyReadsSweep {
		reading, err := r.begin(fmt.Sprint("key", n))
		if err != nil {
			t.Fatal(err)
		}
		reading.end()
	}
	if len(r.keys) > keyReadsSweep {
		t.Errorf("%d keys are kept, want at most %d", len(r.keys), keyReadsSweep)
	}
}
