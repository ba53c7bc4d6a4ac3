package rest

import (
	"errors"
	"fmt"
	"net"
	"testing"
	"testing/synctest"
	"time"

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

// A key that has used up its rows leaves the rows of all keys to others.
func TestBusyKeysLeaveRowsToOthers(t *testing.T) {
	r, now := newReads(), time.Now()
	r.rows.perSecond = 2 * rowsPerSecondKey
	reserve := func(key string) (time.Duration, error) {
		reading, err := r.begin(key)
		if err != nil {
			t.Fatal(err)
		}
		defer reading.end()
		return reading.reserve(api.OrdersLimitMax, now)
	}
	var refused error
	lists := 0
	for ; refused == nil; lists++ {
		_, refused = reserve("busy")
	}
	if most := 2 * rowsPerSecondKey / api.OrdersLimitMax; lists > most/2 {
		t.Errorf("a key reserves %d lists at once, want less than half of the %d of a second", lists, most)
	}
	if wait, err := reserve("other"); err != nil || wait > 2*listWaitBusyMax {
		t.Errorf("another key waits for %v, error %v, want at most %v", wait, err, 2*listWaitBusyMax)
	}
}

// A list costs its key and all keys the rows that it reports, and no more than were reserved.
func TestListsCostWhatTheyRead(t *testing.T) {
	for _, c := range []struct{ reported, cost int }{{0, 1}, {60, 60}, {100, 100}, {10 * rowsPerSecondKey, 100}} {
		synctest.Test(t, func(t *testing.T) {
			r := newReads()
			reading, err := r.begin("key")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := reading.list(t.Context(), 100, func() ([]byte, int, error) { return nil, c.reported, nil }); err != nil {
				t.Fatal(err)
			}
			for of, p := range map[string]*pacer{"the key": &reading.key.rows, "all keys": &r.rows} {
				if got, want := time.Until(p.paidAt), p.timeOf(c.cost); got != want {
					t.Errorf("rows of %s are paid for %v after a list that reported %d, want %v", of, got, c.reported, want)
				}
			}
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
