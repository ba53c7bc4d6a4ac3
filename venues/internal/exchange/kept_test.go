package exchange_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues/internal/exchange"
)

// lying is what a venue or somebody in front of it may leave on a kept connection: an
// answer to a request that was not sent.
const lying = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nliar"

// testSpoiledConnection places an order, lets the venue spoil the kept connection and
// places a second order, which must be sent once, over another connection.
func testSpoiledConnection(t *testing.T, o exchange.Options, v *venue, spoil func()) {
	t.Helper()
	c := client(t, o)
	for n := range int64(2) {
		answer := place(t, c)
		if string(answer.Body) != "{}" || v.requests.Load() != n+1 || v.accepted.Load() != n+1 {
			t.Fatalf("order %d: body %q, %d requests on %d connections, want its own answer on its own connection", n+1, answer.Body, v.requests.Load(), v.accepted.Load())
		}
		spoil()
	}
}

func TestSpoiledConnectionIsNotUsed(t *testing.T) {
	for name, spoil := range map[string]func(conn *net.TCPConn) error{
		"stray bytes":    func(conn *net.TCPConn) error { _, err := io.WriteString(conn, lying); return err },
		"one stray byte": func(conn *net.TCPConn) error { _, err := io.WriteString(conn, "\n"); return err },
		"closed":         (*net.TCPConn).Close,
		"half closed":    (*net.TCPConn).CloseWrite,
		"reset":          func(conn *net.TCPConn) error { return errors.Join(conn.SetLinger(0), conn.Close()) },
		"stray and close": func(conn *net.TCPConn) error {
			_, err := io.WriteString(conn, lying)
			return errors.Join(err, conn.Close())
		},
	} {
		t.Run(name, func(t *testing.T) {
			spoiled := make(chan func() error, 2)
			v := newVenue(t, func(v *venue, conn net.Conn, n int64) {
				spoiled <- func() error { return spoil(conn.(*net.TCPConn)) }
				answering(okAnswer)(v, conn, n)
			})
			testSpoiledConnection(t, options(v.url()), v, func() {
				if err := (<-spoiled)(); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}

// An answer with something behind it, or after which the venue closes, is the last one.
func TestConnectionEndsWithTheAnswer(t *testing.T) {
	for name, answer := range map[string]string{
		"stray bytes":   okAnswer + lying,
		"close":         "HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 2\r\n\r\n{}",
		"close in list": "HTTP/1.1 200 OK\r\nConnection: close\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\n{}",
		"old protocol":  "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}",
		"switch":        "HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			v := newVenue(t, answering(answer))
			o := options(v.url())
			o.ConnsMax = 1 // the place of the closed connection is free
			c := client(t, o)
			for range 2 {
				if body := string(place(t, c).Body); body != "{}" && name != "switch" {
					t.Errorf("body %q, want its own", body)
				}
			}
			if v.accepted.Load() != 2 {
				t.Errorf("%d connections, want 2", v.accepted.Load())
			}
		})
	}
	v := newVenue(t, answering("HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\n{}"))
	c := client(t, options(v.url()))
	for range 3 {
		place(t, c)
	}
	if v.accepted.Load() != 1 {
		t.Errorf("%d connections for 3 answers without an end, want 1", v.accepted.Load())
	}
}

// delayed is a server's connection that cuts the records of TLS: what is written while it
// holds is sent together, and last without its end.
type delayed struct {
	net.Conn
	holding atomic.Bool
	held    []byte
}

func (d *delayed) Write(p []byte) (int, error) {
	if !d.holding.Load() {
		return d.Conn.Write(p)
	}
	d.held = append(d.held, p...)
	return len(p), nil
}

// TLS reads more of the network than it delivers. What it holds back counts as arrived.
func TestSpoiledTLSConnectionIsNotUsed(t *testing.T) {
	certified, trusting := secure(t, http.NotFound)
	for name, spoil := range map[string]struct {
		// with is what the venue writes with the answer, in records of their own.
		with func(*tls.Conn)
		// missing is how much of the last record's end does not arrive.
		missing int
		// later is done after the answer.
		later func(*tls.Conn)
	}{
		"record with the answer":    {with: func(conn *tls.Conn) { _, _ = io.WriteString(conn, lying) }},
		"half a record":             {with: func(conn *tls.Conn) { _, _ = io.WriteString(conn, lying) }, missing: 10},
		"half a record's header":    {with: func(conn *tls.Conn) { _, _ = io.WriteString(conn, "x") }, missing: 20},
		"end with the answer":       {with: func(conn *tls.Conn) { _ = conn.CloseWrite() }},
		"record after the answer":   {later: func(conn *tls.Conn) { _, _ = io.WriteString(conn, lying) }},
		"end after the answer":      {later: func(conn *tls.Conn) { _ = conn.CloseWrite() }},
		"network closed afterwards": {later: func(conn *tls.Conn) { conn.NetConn().Close() }},
	} {
		t.Run(name, func(t *testing.T) {
			for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
				spoiled := make(chan *tls.Conn, 2)
				v := newVenue(t, func(v *venue, network net.Conn, _ int64) {
					below := &delayed{Conn: network}
					conn := tls.Server(below, certified.TLS)
					r := bufio.NewReader(conn)
					for {
						if _, ok := v.read(r); !ok {
							return
						}
						below.holding.Store(true)
						_, _ = io.WriteString(conn, okAnswer)
						if spoil.with != nil {
							spoil.with(conn)
						}
						held := below.held
						if below.holding.Store(false); spoil.missing > 0 {
							held = held[:len(held)-spoil.missing]
						}
						below.held = nil
						spoiled <- conn
						_ = network.SetWriteDeadline(time.Time{}) // that of CloseWrite
						_, _ = network.Write(held)
					}
				})
				o := trusting
				o.BaseURL, o.TLS = "https://"+v.listener.Addr().String(), trusting.TLS.Clone()
				o.TLS.MaxVersion = version
				testSpoiledConnection(t, o, v, func() {
					conn := <-spoiled
					if spoil.later != nil {
						spoil.later(conn)
					}
				})
			}
		})
	}
}

// A connection of TLS is kept although the server sends tickets.
func TestQuietConnectionIsKept(t *testing.T) {
	var accepted atomic.Int64
	_, o := secure(t, func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 1 {
			t.Errorf("protocol %s, want HTTP/1.1", r.Proto)
		}
		_, _ = io.WriteString(w, "{}")
	})
	o.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		accepted.Add(1)
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	c := client(t, o)
	for range 5 {
		place(t, c)
		time.Sleep(5 * time.Millisecond) // whatever else the server sends arrives
	}
	if accepted.Load() != 1 {
		t.Errorf("%d TLS connections for 5 requests, want 1", accepted.Load())
	}
}

// A connection without a descriptor is read briefly.
func TestConnectionWithoutDescriptor(t *testing.T) {
	for name, spoil := range map[string]func(net.Conn){
		"quiet":  nil,
		"stray":  func(conn net.Conn) { _, _ = io.WriteString(conn, lying) },
		"closed": func(conn net.Conn) { conn.Close() },
	} {
		synctest.Test(t, func(t *testing.T) {
			v, dials := &venue{}, 0
			o := options("http://venue")
			o.Dial = func(context.Context, string, string) (net.Conn, error) {
				dials++
				ours, theirs := net.Pipe()
				go func() {
					defer theirs.Close()
					v.read(bufio.NewReader(theirs))
					_, _ = io.WriteString(theirs, okAnswer)
					if spoil != nil {
						spoil(theirs)
					}
					answering(okAnswer)(v, theirs, 0)
				}()
				return ours, nil
			}
			c := exchange.New(o)
			defer c.Close()
			for range 2 {
				if body := string(place(t, c).Body); body != "{}" {
					t.Errorf("%s: body %q, want its own", name, body)
				}
				synctest.Wait()
			}
			if (dials == 1) != (spoil == nil) {
				t.Errorf("%s: %d connections, want another one only if it is not quiet", name, dials)
			}
		})
	}
}

// An unused connection is closed after IdleTimeout, and one that is used is not.
func TestIdleTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options("http://venue")
		o.IdleTimeout = 30 * time.Second
		var open atomic.Int64
		o.Dial = func(context.Context, string, string) (net.Conn, error) {
			ours, theirs := net.Pipe()
			open.Add(1)
			go func() {
				answering(okAnswer)(&venue{}, theirs, 0)
				theirs.Close()
				open.Add(-1)
			}()
			return ours, nil
		}
		c := exchange.New(o)
		for range 3 {
			place(t, c)
			time.Sleep(20 * time.Second)
		}
		if synctest.Wait(); open.Load() != 1 {
			t.Errorf("%d connections, want 1 that was never unused for long", open.Load())
		}
		time.Sleep(11 * time.Second)
		if synctest.Wait(); open.Load() != 0 {
			t.Errorf("%d connections after the idle timeout, want none", open.Load())
		}
		place(t, c)
		c.Close()
		if synctest.Wait(); open.Load() != 0 {
			t.Errorf("%d connections after Close, want none", open.Load())
		}
		place(t, c)
		if synctest.Wait(); open.Load() != 0 {
			t.Errorf("%d connections kept by a closed client, want none", open.Load())
		}
	})
}
