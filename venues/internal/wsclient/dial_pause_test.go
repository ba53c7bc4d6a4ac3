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

// dialTimes records the times of all dials.
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

// A link dials when the pause is over, not before, and its handler receives ticks
// meanwhile.
func TestLinkObservesTheDialPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVenue(t, func(_ int, c *websocket.Conn) { hold(c) })
		r, dials := newRecorder(), &dialTimes{dial: v.dial}
		var ticks, asked atomic.Int64
		r.onTick = func() { ticks.Add(1) }
		pausedUntil := time.Now().Add(time.Hour)
		open(t, v, r, func(o *wsclient.Options) {
			o.Dial, o.TickInterval = dials.Dial, time.Second
			o.DialPause = func() time.Duration {
				asked.Add(1)
				return time.Until(pausedUntil)
			}
		})
		time.Sleep(time.Hour)
		r.await(t, "the connection", has("opened", 1))
		if at := dials.list(); len(at) != 1 || at[0].Before(pausedUntil) || at[0].After(pausedUntil.Add(time.Second)) {
			t.Errorf("dialled at %v, want not before %v", at, pausedUntil)
		}
		if asked.Load() != 3 || ticks.Load() < 3500 {
			t.Errorf("%d pause queries, %d ticks, want more of both", asked.Load(), ticks.Load())
		}
	})
}

// A renewal does not dial during a pause either, and the existing connection continues.
func TestRenewalObservesTheDialPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVenue(t, func(_ int, c *websocket.Conn) { hold(c) })
		r, dials := newRecorder(), &dialTimes{dial: v.dial}
		began := time.Now()
		open(t, v, r, func(o *wsclient.Options) {
			o.Dial, o.Lifetime, o.RenewOverlap, o.TickInterval = dials.Dial, time.Hour, time.Second, time.Second
			o.DialPause = func() time.Duration {
				if took := time.Since(began); took > 30*time.Minute {
					return time.Until(began.Add(3 * time.Hour))
				}
				return 0
			}
		})
		time.Sleep(3*time.Hour - time.Minute)
		if at := dials.list(); len(at) != 1 {
			t.Errorf("dialled at %v, want one dial", at)
		}
		time.Sleep(5 * time.Minute)
		if at, events := dials.list(), r.list(); len(at) != 2 || len(events) != 2 || events[1] != "opened" {
			t.Errorf("dialled at %v, handler calls %v, want 2 dials and opened as the second call", at, events)
		}
	})
}

// The answer to a rejected handshake is reported completely, before the link continues.
func TestRejectedHandshakeIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := connectortest.NewServer(t)
		v.Add("GET /stream", connectortest.Answer{Status: http.StatusTeapot, Header: http.Header{"Retry-After": {"7"}}, Body: "banned"})
		type rejection struct {
			status             int
			retryAfter, answer string
		}
		rejections := make(chan rejection, 1)
		open(t, &venue{}, newRecorder(), func(o *wsclient.Options) {
			o.URL = func(context.Context) (string, error) { return v.StreamURL + "/stream", nil }
			o.Dial = v.Dial
			o.HandshakeRejected = func(status int, header http.Header, body []byte) {
				select {
				case rejections <- rejection{status, header.Get("Retry-After"), string(body)}:
				default:
				}
			}
		})
		if got, want := <-rejections, (rejection{418, "7", "banned"}); got != want {
			t.Errorf("rejection %+v, want %+v", got, want)
		}
	})
}
