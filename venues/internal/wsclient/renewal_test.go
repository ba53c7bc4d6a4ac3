package wsclient_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fasthttp/websocket"

	"venuegate/venues/internal/wsclient"
)

// Both connections receive every message of the venue. The link must pass each on at
// least once, first those of the old one, then those of the new one.
func TestRenewalLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		peers := map[*websocket.Conn]int{}
		broadcast := func(n int) {
			mu.Lock()
			defer mu.Unlock()
			for c, id := range peers {
				send(c, fmt.Sprint(id, ":", n))
			}
		}
		v := newVenue(t, func(n int, c *websocket.Conn) {
			mu.Lock()
			peers[c] = n
			mu.Unlock()
			hold(c)
			mu.Lock()
			delete(peers, c)
			mu.Unlock()
		})
		r := newRecorder()
		link := open(t, v, r, func(o *wsclient.Options) { o.RenewOverlap = 500 * time.Millisecond })
		r.await(t, "a connection", has("opened", 1))

		stop := make(chan struct{})
		var sender sync.WaitGroup
		sent := 0
		sender.Go(func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(time.Millisecond):
					broadcast(sent)
					sent++
				}
			}
		})
		r.await(t, "messages", has("message 1:", 20))
		link.Renew()
		link.Renew() // one renewal at a time
		events := r.await(t, "messages of the successor", has("message 2:", 20))
		close(stop)
		sender.Wait()

		if has("lost", 1)(events) || !has("opened", 2)(events) {
			t.Fatalf("handler calls %v, want opened twice and no loss", events)
		}
		seen, byNew := map[int]bool{}, false
		last := 0
		for _, e := range events {
			var conn, n int
			if _, err := fmt.Sscanf(e, "message %d:%d", &conn, &n); err != nil {
				continue
			}
			if byNew && conn == 1 {
				t.Fatalf("a message of the old connection after one of the new: %v, want none", events)
			}
			byNew = conn == 2
			seen[n], last = true, max(last, n)
		}
		for n := firstOf(seen); n <= last; n++ {
			if !seen[n] {
				t.Errorf("message %d was lost, want seen[n]", n)
			}
		}
	})
}

func firstOf(seen map[int]bool) int {
	first := 1 << 30
	for n := range seen {
		first = min(first, n)
	}
	return first
}

func TestRenewalByAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVenue(t, func(n int, c *websocket.Conn) {
			send(c, fmt.Sprint("from ", n))
			hold(c)
		})
		r := newRecorder()
		open(t, v, r, func(o *wsclient.Options) { o.Lifetime, o.RenewOverlap = 20*time.Millisecond, 5*time.Millisecond })
		if events := r.await(t, "the third connection", has("message from 3", 1)); has("lost", 1)(events) {
			t.Errorf("handler calls %v, want no loss", events)
		}
	})
}

// If the old connection breaks before the successor took over, messages may be missing,
// which is a loss.
func TestBreakDuringRenewalIsALoss(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kill := make(chan struct{})
		v := newVenue(t, func(n int, c *websocket.Conn) {
			if n == 1 {
				go func() { <-kill; c.Close() }()
			}
			hold(c)
		})
		r := newRecorder()
		link := open(t, v, r, func(o *wsclient.Options) { o.RenewOverlap = time.Hour })
		r.await(t, "a connection", has("opened", 1))
		link.Renew()
		r.await(t, "the successor", has("opened", 2))
		close(kill)
		r.await(t, "the loss", has("lost", 1))
		r.await(t, "a new connection", has("opened", 3))
	})
}

// The last message of a connection may request its end when its successor has taken over:
// the successor stays.
func TestAbortOfAnOldConnectionKeepsItsSuccessor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		replaced := make(chan struct{})
		v := newVenue(t, func(n int, c *websocket.Conn) {
			if n == 1 {
				send(c, "the end")
				hold(c)
				close(replaced)
				return
			}
			send(c, "hello")
			hold(c)
		})
		r := newRecorder()
		r.onMessage = func(c *wsclient.Conn, text string) {
			if text == "the end" {
				<-replaced
				c.Abort(errors.New("too late"))
			}
		}
		link := open(t, v, r, func(o *wsclient.Options) { o.RenewOverlap = time.Millisecond })
		r.await(t, "the last message", has("message the end", 1))
		link.Renew()
		r.await(t, "the successor", has("message hello", 1))
		link.Renew()
		events := r.await(t, "one more", has("message hello", 2))
		if has("lost", 1)(events) {
			t.Errorf("handler calls %v, want no loss", events)
		}
	})
}
