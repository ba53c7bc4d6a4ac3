package rest_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"venuegate/venues"
)

// wire is a connection whose client has said everything at once.
type wire struct {
	in  *bytes.Reader
	out bytes.Buffer
}

func (w *wire) Read(p []byte) (int, error)       { return w.in.Read(p) }
func (w *wire) Write(p []byte) (int, error)      { return w.out.Write(p) }
func (w *wire) Close() error                     { return nil }
func (w *wire) LocalAddr() net.Addr              { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }
func (w *wire) RemoteAddr() net.Addr             { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }
func (w *wire) SetDeadline(time.Time) error      { return nil }
func (w *wire) SetReadDeadline(time.Time) error  { return nil }
func (w *wire) SetWriteDeadline(time.Time) error { return nil }

// speak gives raw bytes to the server and reads every answer.
func speak(t *testing.T, w *world, raw []byte) (statuses []int) {
	t.Helper()
	conn := &wire{in: bytes.NewReader(raw)}
	_ = w.server.App().Server().ServeConn(conn) // what was refused is in the answers
	answers := bufio.NewReader(&conn.out)
	for {
		answer, err := http.ReadResponse(answers, nil)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return statuses
		}
		if err != nil {
			t.Fatalf("the server wrote no HTTP: %v", err)
		}
		_, err = io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
		if err != nil {
			return statuses // the answer to HEAD has a length and no body
		}
		if answer.StatusCode == http.StatusContinue {
			continue
		}
		statuses = append(statuses, answer.StatusCode)
	}
}

// FuzzServer: no bytes on a connection make the server fail, or reach the
// trader without a key.
func FuzzServer(f *testing.F) {
	f.Add([]byte("GET /v1/time HTTP/1.1\r\nHost: a\r\n\r\n"))
	f.Add([]byte("POST /v1/orders HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}"))
	f.Add([]byte("DELETE /v1/orders?symbol=%zz HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer vgk_\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"))
	f.Add([]byte("GET /v1/orders/%00 HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 1.2.3.4, \xff\r\n\r\nGET / HTTP/1.0\r\n\r\n"))
	w := newWorld(f)
	w.server.App().Handler() // the router is ready
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, status := range speak(t, w, raw) {
			if status >= 500 {
				t.Fatalf("status %d", status)
			}
		}
		if len(w.trader.commands) > 0 {
			t.Fatalf("a command without a key: %v", w.trader.commands)
		}
	})
}

// FuzzQueries: no query makes a list fail.
func FuzzQueries(f *testing.F) {
	w := newWorld(f, notLimited)
	w.customer("cus_1", venues.Binance)
	w.history("cus_1", 5, time.Now())
	key := w.key("cus_1", allScopes...)
	cursor := w.do(http.MethodGet, "/v1/fills?limit=1", key, "").page().NextCursor
	for _, seed := range []string{
		"", "status=all&limit=3", "limit=1&cursor=" + *cursor, "from=2026-11-20&to=2026-11-21T00:00:00%2B01:00", "symbol=%F0%9F%92%A5&exchange=okx",
		"currency=USDT&kind=future", "from=0000-01-01T00:00:00Z", "after=evt_1&limit=500", "limit=99999999999999999999",
	} {
		f.Add(seed)
	}
	head := func(path, query string) []byte {
		return []byte("GET " + path + "?" + query + " HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + key + "\r\n\r\n")
	}
	f.Fuzz(func(t *testing.T, query string) {
		for _, path := range []string{"/v1/orders", "/v1/fills", "/v1/events", "/v1/instruments", "/v1/account", "/v1/positions"} {
			for _, status := range speak(t, w, head(path, query)) {
				if status >= 500 {
					t.Fatalf("%s?%s: status %d", path, query, status)
				}
			}
		}
	})
}
