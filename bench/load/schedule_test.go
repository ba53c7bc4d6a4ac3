package load

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// sent is what a run of a schedule did with a request.
type sent struct {
	request
	at     time.Time
	unsent bool
}

// runSchedule runs a schedule whose requests take a time, and returns what became of them.
func runSchedule(t *testing.T, s schedule, clients int, took func(n int) time.Duration) []sent {
	t.Helper()
	var mu sync.Mutex
	all := make([]sent, s.requests)
	s.run(t.Context(), clients, func(_ context.Context, _ int, r request) {
		at := time.Now()
		time.Sleep(took(r.n))
		mu.Lock()
		defer mu.Unlock()
		all[r.n] = sent{request: r, at: at}
	}, func(r request) {
		mu.Lock()
		defer mu.Unlock()
		all[r.n] = sent{request: r, unsent: true}
	})
	return all
}

// Requests are sent when they are due, whatever the ones before them take.
func TestRequestsAreSentWhenTheyAreDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		for n, s := range runSchedule(t, schedule{start: start, rate: 100, requests: 50}, 100, func(int) time.Duration { return time.Second }) {
			want := start.Add(time.Duration(n) * 10 * time.Millisecond)
			if !s.due.Equal(want) || !s.at.Equal(want) || s.unsent {
				t.Fatalf("request %d: due %v, sent %v, unsent %t, want both %v", n, s.due.Sub(start), s.at.Sub(start), s.unsent, want.Sub(start))
			}
		}
	})
}

// While the only client waits, requests become due; they keep their due times and are sent after
// it.
func TestWaitingRequestsKeepTheirDueTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		all := runSchedule(t, schedule{start: start, rate: 10, requests: 20}, 1, func(n int) time.Duration {
			if n == 5 {
				return time.Second
			}
			return 0
		})
		for n := 6; n < 15; n++ {
			if late := all[n].at.Sub(all[n].due); late != time.Duration(15-n)*100*time.Millisecond {
				t.Errorf("request %d is sent %v after it was due, want %v", n, late, time.Duration(15-n)*100*time.Millisecond)
			}
		}
		if late := all[19].at.Sub(all[19].due); late != 0 {
			t.Errorf("the last request is sent %v late, want 0", late)
		}
	})
}

// What no client sends within backlogMax is not sent any more.
func TestOldRequestsAreNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := runSchedule(t, schedule{start: time.Now(), rate: 1, requests: 40}, 1, func(n int) time.Duration {
			if n == 0 {
				return backlogMax + 5*time.Second
			}
			return 0
		})
		unsent := 0
		for _, s := range all {
			if s.unsent {
				unsent++
			}
		}
		// Requests 1 to 4 are older than 10 s when the client is free at 15 s. Ten wait, and the
		// four that are due while the queue is full are not sent either.
		if unsent < 4 || all[39].unsent || !all[1].unsent {
			t.Errorf("%d requests were not sent, the last %t, the second %t; want at least 4, false, true", unsent, all[39].unsent, all[1].unsent)
		}
	})
}
