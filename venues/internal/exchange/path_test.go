package exchange_test

import (
	"bufio"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"venuegate/venues/internal/exchange"
)

// A certificate is checked against the roots of the configuration and the host of the
// address.
func TestCertificateIsChecked(t *testing.T) {
	server, o := secure(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") })
	place(t, client(t, o))
	dial := o.Dial
	o.Dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return dial(ctx, network, server.Listener.Addr().String())
	}
	o.BaseURL = "https://example.com" // the certificate of httptest names it
	place(t, client(t, o))
	o.BaseURL = "https://venue.invalid"
	if err := fails(t.Context(), t, client(t, o), false); !errors.As(err, new(x509.HostnameError)) {
		t.Errorf("error %v, want that of the wrong host", err)
	}
}

// Dial gets the address of the venue: a proxy of the environment is not used, as by the
// other requests, and Dial may bind an address or tunnel through a proxy.
func TestDial(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://proxy.invalid:1")
	t.Setenv("HTTPS_PROXY", "http://proxy.invalid:1")
	peer := make(chan string, 1)
	server, o := secure(t, func(w http.ResponseWriter, r *http.Request) {
		host, _, _ := net.SplitHostPort(r.RemoteAddr)
		peer <- host
		_, _ = io.WriteString(w, "{}")
	})
	o.BaseURL = "https://example.com"
	o.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		if address != "example.com:443" {
			t.Errorf("dialled %s, want the venue", address)
		}
		bound := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 7)}}
		return bound.DialContext(ctx, network, server.Listener.Addr().String())
	}
	place(t, client(t, o))
	if from := <-peer; from != "127.0.0.7" {
		t.Errorf("connection from %s, want the bound address", from)
	}

	proxy := newVenue(t, func(_ *venue, conn net.Conn, _ int64) {
		request, err := http.ReadRequest(bufio.NewReader(conn))
		if err != nil || request.Method != http.MethodConnect || request.Host != "example.com:443" {
			t.Errorf("request %v, error %v, want CONNECT", request, err)
			return
		}
		onward, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 200 Established\r\n\r\n")
		go func() { _, _ = io.Copy(onward, conn); onward.Close() }()
		_, _ = io.Copy(conn, onward)
	})
	o.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, proxy.listener.Addr().String())
		if err != nil {
			return nil, err
		}
		_, _ = fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: %[1]s\r\n\r\n", address)
		_, err = http.ReadResponse(bufio.NewReaderSize(conn, 16), nil)
		return conn, err
	}
	c := client(t, o)
	for range 2 {
		place(t, c)
		<-peer
	}
	if proxy.accepted.Load() != 1 {
		t.Errorf("%d tunnels for 2 requests, want 1", proxy.accepted.Load())
	}
}

// Many callers, some of which give up, on connections some of which the venue closes: each
// gets its own answer, no request arrives twice, and nothing is left over.
func TestManyCallers(t *testing.T) {
	before := descriptors(t)
	var mu sync.Mutex
	arrived := make(map[string]int)
	v := newVenue(t, func(v *venue, conn net.Conn, n int64) {
		r, chance := bufio.NewReader(conn), rand.New(rand.NewPCG(1, uint64(n)))
		for {
			body, ok := v.read(r)
			if !ok {
				return
			}
			mu.Lock()
			arrived[body]++
			mu.Unlock()
			if chance.IntN(50) == 0 {
				time.Sleep(3 * time.Millisecond)
			}
			if _, err := io.WriteString(conn, withLength("", body)); err != nil || chance.IntN(30) == 0 {
				return
			}
		}
	})
	o := options(v.url())
	o.ConnsMax = 16
	c := exchange.New(o)
	sent := make(map[string]bool)
	var callers sync.WaitGroup
	for caller := range 16 {
		callers.Go(func() {
			chance := rand.New(rand.NewPCG(2, uint64(caller)))
			for n := range 200 {
				mine := order
				mine.Body = fmt.Sprintf("%d/%d", caller, n)
				ctx, cancel := context.WithCancel(t.Context())
				if chance.IntN(10) == 0 {
					time.AfterFunc(time.Duration(chance.IntN(500))*time.Microsecond, cancel)
				}
				answer, wasSent, err := c.Do(ctx, mine)
				cancel()
				if err == nil && string(answer.Body) != mine.Body {
					t.Errorf("answer %q to %q, want its own", answer.Body, mine.Body)
				}
				mu.Lock()
				sent[mine.Body] = wasSent
				mu.Unlock()
			}
		})
	}
	callers.Wait()
	c.Close()
	mu.Lock()
	defer mu.Unlock()
	for body, n := range arrived {
		if n != 1 || !sent[body] {
			t.Errorf("%q arrived %d times, sent %v, want once and only if it was sent", body, n, sent[body])
		}
	}
	v.listener.Close()
	v.running.Wait()
	if after := descriptors(t); after > before {
		t.Errorf("%d descriptors, want at most the %d of the beginning", after, before)
	}
}

// descriptors returns the number of open descriptors of the process that are sockets.
func descriptors(t *testing.T) (n int) {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("descriptors cannot be counted: ", err)
	}
	for _, e := range entries {
		if target, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && strings.HasPrefix(target, "socket:") {
			n++
		}
	}
	return n
}
