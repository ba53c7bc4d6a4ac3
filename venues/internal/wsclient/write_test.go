package wsclient_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fasthttp/websocket"

	"venuegate/venues/internal/wsclient"
)

// Writes are not paced, from any number of goroutines, and overtake queued messages.
func TestWriteIsNotPaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const writes = 200
		arrived := make(chan string, 2*writes)
		v := newVenue(t, func(_ int, c *websocket.Conn) {
			for {
				_, text, err := c.ReadMessage()
				if err != nil {
					return
				}
				arrived <- string(text)
			}
		})
		r := newRecorder()
		conns := make(chan *wsclient.Conn, 1)
		r.onOpen = func(c *wsclient.Conn) { conns <- c }
		open(t, v, r, func(o *wsclient.Options) { o.SendsPerSecond = 1 })
		conn := <-conns
		for range writes {
			conn.Send([]byte("queued"))
		}
		var writers sync.WaitGroup
		for n := range writes {
			writers.Go(func() {
				if began, err := conn.Write(t.Context(), []byte(fmt.Sprint("order ", n))); err != nil || !began {
					t.Errorf("write %d: began %v, error %v, want true and none", n, began, err)
				}
			})
		}
		writers.Wait()
		orders, deadline := 0, time.After(time.Minute)
		for orders < writes {
			select {
			case text := <-arrived:
				if strings.HasPrefix(text, "order") {
					orders++
				}
			case <-deadline:
				t.Fatalf("%d of %d writes arrived, want all", orders, writes)
			}
		}
	})
}

func TestWriteThatDoesNotBegin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVenue(t, func(n int, c *websocket.Conn) {
			if n == 1 {
				send(c, "bye")
				return
			}
			hold(c)
		})
		r := newRecorder()
		conns := make(chan *wsclient.Conn, 2)
		r.onOpen = func(c *wsclient.Conn) { conns <- c }
		open(t, v, r, nil)
		first, second := <-conns, <-conns
		if began, err := first.Write(t.Context(), []byte("x")); began || err == nil {
			t.Errorf("write on a lost connection: began %v, error %v, want false and an error", began, err)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if began, err := second.Write(ended, []byte("x")); began || !errors.Is(err, context.Canceled) {
			t.Errorf("write after the context ended: began %v, error %v, want false and Canceled", began, err)
		}
	})
}

// Consecutive dials that fail alike are logged as a warning once.
func TestDialFailureIsLoggedOnce(t *testing.T) {
	lines := make(chan string, 100)
	causes := []string{"refused", "refused", "refused", "unreachable", "refused"}
	attempts := make(chan struct{})
	n := 0
	link := wsclient.New(wsclient.Options{
		URL: func(ctx context.Context) (string, error) {
			if n++; n > len(causes) {
				close(attempts)
				<-ctx.Done()
				return "", ctx.Err()
			}
			return "", errors.New(causes[n-1])
		},
		Handler: newRecorder(), Log: captureWarnings(lines), BackoffMin: time.Millisecond, BackoffMax: time.Millisecond,
	})
	link.Start()
	<-attempts
	link.Close()
	var warnings []string
	for len(lines) > 0 {
		warnings = append(warnings, <-lines)
	}
	if len(warnings) < 3 || !strings.Contains(warnings[1], "unreachable") || !strings.Contains(warnings[2], "refused") {
		t.Errorf("warnings %v, want one", warnings)
	}
}
