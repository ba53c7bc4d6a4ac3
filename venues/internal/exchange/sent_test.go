package exchange_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"venuegate/venues/internal/exchange"
)

// The venue closes the connection after each byte of the request. Whatever it has read of
// it was sent, and nothing is sent again.
func TestRequestCutAtEveryByte(t *testing.T) {
	const longest = 200 // above the length of the request
	for _, reset := range []bool{false, true} {
		for n := range longest {
			var read atomic.Int64
			v := newVenue(t, func(_ *venue, conn net.Conn, _ int64) {
				if reset {
					_ = conn.(*net.TCPConn).SetLinger(0)
				}
				_ = conn.SetReadDeadline(time.Now().Add(20 * time.Millisecond)) // the request is shorter than n
				got, _ := io.ReadFull(conn, make([]byte, n))
				read.Add(int64(got))
			})
			c := client(t, options(v.url()))
			answer, sent, err := c.Do(t.Context(), order)
			if err == nil || !sent && read.Load() > 0 {
				t.Fatalf("closed after %d bytes: answer %v, error %v, sent %v, want an unknown outcome", n, answer, err, sent)
			}
			if v.accepted.Load() != 1 {
				t.Fatalf("closed after %d bytes: %d connections, want 1", n, v.accepted.Load())
			}
		}
	}
}

// The venue closes the connection after each byte of its answer. Only the complete answer
// is one.
func TestAnswerCutAtEveryByte(t *testing.T) {
	for name, c := range map[string]struct {
		answer string
		// complete is the length from which on the answer is complete.
		complete int
	}{
		"length":          {"HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 5\r\n\r\nhello", 0},
		"chunked":         {"HTTP/1.1 400 Bad\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n", 0},
		"chunked, traced": {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n5;x=y\r\nhello\r\n0\r\nX-T: 1\r\n\r\n", 0},
		"interim":         {"HTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 0},
		"until the end":   {"HTTP/1.1 200 OK\r\n\r\nhello", len("HTTP/1.1 200 OK\r\n\r\n")},
		"no body":         {"HTTP/1.1 204 No Content\r\n\r\n", 0},
	} {
		t.Run(name, func(t *testing.T) {
			complete := c.complete
			if complete == 0 {
				complete = len(c.answer)
			}
			for n := range len(c.answer) + 1 {
				v := newVenue(t, func(v *venue, conn net.Conn, _ int64) {
					v.read(bufio.NewReader(conn))
					_, _ = io.WriteString(conn, c.answer[:n])
				})
				answer, sent, err := client(t, options(v.url())).Do(t.Context(), order)
				if !sent || (err == nil) != (n >= complete) || v.requests.Load() != 1 {
					t.Fatalf("%d of %d bytes: answer %+v, error %v, sent %v, %d requests", n, len(c.answer), answer, err, sent, v.requests.Load())
				}
				if err != nil && !strings.Contains(err.Error(), "EOF") {
					t.Errorf("%d of %d bytes: error %v, want the end of the connection as the reason", n, len(c.answer), err)
				}
				if n == len(c.answer) && answer.Status != http.StatusNoContent && string(answer.Body) != "hello" {
					t.Errorf("body %q, want hello", answer.Body)
				}
			}
		})
	}
}

// failing is a network connection whose writes fail after some bytes, once armed.
type failing struct {
	net.Conn
	armed *atomic.Bool
	after int
}

var errCable = errors.New("the cable is cut")

func (f failing) Write(p []byte) (int, error) {
	if !f.armed.Load() {
		return f.Conn.Write(p)
	}
	n, _ := f.Conn.Write(p[:min(f.after, len(p))])
	return n, errCable
}

// Only a request of which the network took no byte is not sent, also below TLS. The bytes
// of a handshake do not count.
func TestFirstByteDecides(t *testing.T) {
	server, trusting := secure(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") })
	plain := newVenue(t, answering(okAnswer)).url()
	for _, url := range []string{plain, server.URL} {
		for _, kept := range []bool{false, true} {
			for _, after := range []int{0, 1, 20} {
				o := trusting
				o.BaseURL = url
				var armed atomic.Bool
				o.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
					conn, err := new(net.Dialer).DialContext(ctx, network, address)
					return failing{conn, &armed, after}, err
				}
				c := client(t, o)
				if kept {
					place(t, c)
				}
				armed.Store(true)
				wantSent := after > 0 && (kept || url == plain)
				if err := fails(t.Context(), t, c, wantSent); !errors.Is(err, errCable) {
					t.Errorf("%s, kept %v, after %d bytes: error %v, want that of the network", url, kept, after, err)
				}
			}
		}
	}
}

func TestWithoutConnectionNothingIsSent(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0") // the kernel accepts, nothing answers
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	untrusted, _ := secure(t, http.NotFound)
	closed := newVenue(t, answering(okAnswer))
	closed.listener.Close()
	for name, url := range map[string]string{
		"nobody listens":      closed.url(),
		"unknown certificate": untrusted.URL,
		"no handshake":        "https://" + silent.Addr().String(),
		"no TLS":              "https://" + newVenue(t, answering(okAnswer)).listener.Addr().String(),
		"unsupported scheme":  "gopher://127.0.0.1",
		"no URL":              "http://[::1]:namedport",
		"no host":             "http://",
	} {
		t.Run(name, func(t *testing.T) {
			o := options(url)
			o.HandshakeTimeout = 50 * time.Millisecond
			_ = fails(t.Context(), t, client(t, o), false)
		})
	}
}

// What would be more or another request on the wire is not sent, and the error does not
// contain it.
func TestInvalidRequestIsNotSent(t *testing.T) {
	v := newVenue(t, answering(okAnswer))
	c := client(t, options(v.url()))
	for name, change := range map[string]func(*exchange.Request){
		"line end in a value": func(r *exchange.Request) { r.Header = map[string]string{"X-Key": "5ecre7\r\nX: y"} },
		"no header name":      func(r *exchange.Request) { r.Header = map[string]string{"X Key": "5ecre7"} },
		"content type":        func(r *exchange.Request) { r.ContentType = "5ecre7\n" },
		"space in the query":  func(r *exchange.Request) { r.Query = "5ecre7 HTTP/1.1" },
		"line end in a path":  func(r *exchange.Request) { r.Path = "/a\r\n" },
		"no path":             func(r *exchange.Request) { r.Path = "" },
		"no method":           func(r *exchange.Request) { r.Method = "GET /" },
	} {
		invalid := order
		change(&invalid)
		_, sent, err := c.Do(t.Context(), invalid)
		if err == nil || sent || strings.Contains(err.Error(), "5ecre7") {
			t.Errorf("%s: error %v, sent %v, want one without the value, not sent", name, err, sent)
		}
	}
	if v.accepted.Load() != 0 {
		t.Errorf("%d connections, want none", v.accepted.Load())
	}
}

func TestRequestsHaveTheUserAgent(t *testing.T) {
	got := make(chan string, 1)
	v := newVenue(t, func(_ *venue, conn net.Conn, _ int64) {
		request, err := http.ReadRequest(bufio.NewReader(conn))
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.Copy(io.Discard, request.Body)
		got <- request.UserAgent()
		_, _ = io.WriteString(conn, okAnswer)
	})
	o := options(v.url())
	o.UserAgent = "agent/7"
	if _, _, err := client(t, o).Do(t.Context(), order); err != nil {
		t.Fatal(err)
	}
	if agent := <-got; agent != o.UserAgent {
		t.Errorf("User-Agent = %q, want %q", agent, o.UserAgent)
	}
}
