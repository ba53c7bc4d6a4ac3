package listen_test

import (
	"net"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/transport/listen"
)

func TestDrainStopsAfterAPauseAndAtItsLimits(t *testing.T) {
	for name, c := range map[string]struct {
		pause time.Duration // of the client after each write; it writes nothing if negative
		ends  bool          // after the first write
		took  time.Duration
		bytes int
	}{
		"one write":     {0, true, 200 * time.Millisecond, 1 << 20},
		"endless":       {0, false, 0, 16 << 20},
		"slow":          {150 * time.Millisecond, false, 1950 * time.Millisecond, 13<<20 + 32<<10},
		"after a pause": {time.Second, false, 200 * time.Millisecond, 1 << 20},
		"nothing":       {-1, true, 200 * time.Millisecond, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, server := net.Pipe()
				sent := make(chan int)
				go func() {
					total := 0
					defer func() { sent <- total }()
					for c.pause >= 0 {
						n, err := client.Write(make([]byte, 1<<20))
						if total += n; err != nil || c.ends {
							return
						}
						time.Sleep(c.pause)
					}
				}()
				began := time.Now()
				listen.Drain(server)
				took := time.Since(began)
				server.Close()
				if total := <-sent; took != c.took || total != c.bytes {
					t.Errorf("drained %d bytes in %s, want %d in %s", total, took, c.bytes, c.took)
				}
				client.Close()
			})
		})
	}
	listen.Drain(nil)
}
