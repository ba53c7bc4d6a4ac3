package wsclient_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/fasthttp/websocket"
	"golang.org/x/time/rate"

	"venuegate/venues/internal/wsclient"
)

// Links that share a limiter never dial above its rate, all of them connect, and one that
// is closed while it waits ends immediately.
func TestLinksShareTheirDials(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dialled := make(chan time.Time, 10)
		v := newVenue(t, func(_ int, c *websocket.Conn) {
			dialled <- time.Now()
			hold(c)
		})
		const between = time.Second
		dials := rate.NewLimiter(rate.Every(between), 1)
		shared := func(o *wsclient.Options) { o.Dials = dials }
		for range 4 {
			open(t, v, newRecorder(), shared)
		}
		first := <-dialled
		var last time.Time
		for range 3 {
			last = <-dialled
		}
		if spread := last.Sub(first); spread != 3*between {
			t.Errorf("four links connected within %v, want at most one in %v", spread, between)
		}
	})
}

func TestLinkThatWaitsToDialClosesImmediately(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVenue(t, func(_ int, c *websocket.Conn) { hold(c) })
		dials := rate.NewLimiter(rate.Every(time.Hour), 1)
		dials.Allow()
		r := newRecorder()
		link := open(t, v, r, func(o *wsclient.Options) { o.Dials = dials })
		link.Close()
		if events := r.list(); has("opened", 1)(events) {
			t.Errorf("handler calls %q on a link that may not dial, want none", events)
		}
	})
}
