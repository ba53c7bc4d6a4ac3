package wsclient_test

import (
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fasthttp/websocket"

	"venuegate/venues/internal/connectortest"
	"venuegate/venues/internal/wsclient"
)

// dialTimes counts the connections that are made, whatever becomes of them.
type dialTimes struct {
	dial func(ctx context.Context, network, address string) (net.Conn, error)
	mu   sync.Mutex
	at   []time.Time
}

func (d *dialTimes) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	d.mu.Lock()
	d.at = append(d.at, time.Now())
	d.mu.Unlock()
	return d.dial(ctx, network, address)
}

func (d *dialTimes) list() []time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.at[:len(d.at):len(d.at)]
}

// A link dials when the silence is over, not before, and its handler hears the time
// meanwhile.
func TestALinkKeepsTheSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVenue(t, func(_ int, c *websocket.Conn) { hold(c) })
		r, dials := newRecorder(), &dialTimes{dial: v.dial}
		var ticks, asked atomic.Int64
		r.onTick = func() { ticks.Add(1) }
		silentUntil := time.Now().Add(time.Hour)
		open(t, v, r, func(o *wsclient.Options) {
			o.Dial, o.TickInterval = dials.Dial, time.Second
			o.Silence = func() time.Duration {
				asked.Add(1)
				return time.Until(silentUntil)
			}
		})
		time.Sleep(time.Hour)
		r.await(t, "the connection", has("opened", 1))
		if at := dials.list(); len(at) != 1 || at[0].Before(silentUntil) || at[0].After(silentUntil.Add(time.Second)) {
			t.Errorf("dialled at %v, silent until %v", at, silentUntil)
		}
		if asked.Load() != 3 || ticks.Load() < 3500 {
			t.Errorf("asked %d times, ticked %d times", asked.Load(), ticks.Load())
		}
	})
}

// Nothing is dialled for a renewal either, and the connection that there is goes on.
func TestARenewalKeepsTheSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVenue(t, func(_ int, c *websocket.Conn) { hold(c) })
		r, dials := newRecorder(), &dialTimes{dial: v.dial}
		began := time.Now()
		open(t, v, r, func(o *wsclient.Options) {
			o.Dial, o.Lifetime, o.RenewOverlap, o.TickInterval = dials.Dial, time.Hour, time.Second, time.Second
			o.Silence = func() time.Duration {
				if lived := time.Since(began); lived > 30*time.Minute {
					return time.Until(began.Add(3 * time.Hour))
				}
				return 0
			}
		})
		time.Sleep(3*time.Hour - time.Minute)
		if at := dials.list(); len(at) != 1 {
			t.Errorf("dialled at %v", at)
		}
		time.Sleep(5 * time.Minute)
		if at, events := dials.list(), r.list(); len(at) != 2 || len(events) != 2 || events[1] != "opened" {
			t.Errorf("dialled at %v, heard %v", at, events)
		}
	})
}

// What a venue refuses is told with all that it says, before the link goes on.
func TestRefusedHandshakeIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := connectortest.NewServer(t)
		v.Add("GET /stream", connectortest.Answer{Status: http.StatusTeapot, Header: http.Header{"Retry-After": {"7"}}, Body: "banned"})
		type refusal struct {
			status             int
			retryAfter, answer string
		}
		told := make(chan refusal, 1)
		open(t, &venue{}, newRecorder(), func(o *wsclient.Options) {
			o.URL = func(context.Context) (string, error) { return v.StreamURL + "/stream", nil }
			o.Dial = v.Dial
			o.Refused = func(status int, header http.Header, body []byte) {
				select {
				case told <- refusal{status, header.Get("Retry-After"), string(body)}:
				default:
				}
			}
		})
		if got, want := <-told, (refusal{418, "7", "banned"}); got != want {
			t.Errorf("told %+v, want %+v", got, want)
		}
	})
}
