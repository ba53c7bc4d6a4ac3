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

// memoryConn is a connection whose client has sent all its data in advance.
type memoryConn struct {
	in  *bytes.Reader
	out bytes.Buffer
}

func (w *memoryConn) Read(p []byte) (int, error)  { return w.in.Read(p) }
func (w *memoryConn) Write(p []byte) (int, error) { return w.out.Write(p) }
func (w *memoryConn) Close() error                { return nil }
func (w *memoryConn) LocalAddr() net.Addr         { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

func (w *memoryConn) RemoteAddr() net.Addr             { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }
func (w *memoryConn) SetDeadline(time.Time) error      { return nil }
func (w *memoryConn) SetReadDeadline(time.Time) error  { return nil }
func (w *memoryConn) SetWriteDeadline(time.Time) error { return nil }

// serveBytes sends raw bytes to the server and returns the status of each response.
func serveBytes(t *testing.T, w *world, raw []byte) (statuses []int) {
	t.Helper()
	conn := &memoryConn{in: bytes.NewReader(raw)}
	_ = w.server.App().Server().ServeConn(conn) // rejections are in the responses
	responses := bufio.NewReader(&conn.out)
	for {
		resp, err := http.ReadResponse(responses, nil)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return statuses
		}
		if err != nil {
			t.Fatalf("response: error %v, want HTTP", err)
		}
		_, err = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if err != nil {
			return statuses // the response to HEAD has a length and no body
		}
		if resp.StatusCode == http.StatusContinue {
			continue
		}
		statuses = append(statuses, resp.StatusCode)
	}
}

// FuzzServer checks that no bytes on a connection cause a 5xx, and that none reach the
// trader without a key.
func FuzzServer(f *testing.F) {
	f.Add([]byte("GET /v1/time HTTP/1.1\r\nHost: a\r\n\r\n"))
	f.Add([]byte("POST /v1/orders HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}"))
	f.Add([]byte("DELETE /v1/orders?symbol=%zz HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer vgk_\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"))
	f.Add([]byte("GET /v1/orders/%00 HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 1.2.3.4, \xff\r\n\r\nGET / HTTP/1.0\r\n\r\n"))
	w := newWorld(f)
	w.server.App().Handler() // builds the router
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, status := range serveBytes(t, w, raw) {
			if status >= 500 {
				t.Fatalf("status = %d, want below 500", status)
			}
		}
		if len(w.trader.commands) > 0 {
			t.Fatalf("commands without a key = %v, want none", w.trader.commands)
		}
	})
}

// FuzzQueries checks that no query string causes a 5xx.
func FuzzQueries(f *testing.F) {
	w := newWorld(f, withoutRateLimit)
	w.customer("cus_1", venues.Binance)
	w.history("cus_1", 5, time.Now())
	key := w.key("cus_1", allScopes...)
	cursor := w.do(http.MethodGet, "/v1/fills?limit=1", key, "").page().NextCursor
	for _, seed := range []string{
		"", "status=all&limit=3", "limit=1&cursor=" + *cursor, "from=2026-11-20&to=2026-11-21T00:00:00%2B01:00", "symbol=%F0%9F%92%A5&exchange=okx",
		"currency=USDT&kind=future", "from=0000-01-01T00:00:00Z", "exchange=okx&symbol=BTCUSDT&timeframe=1w&from=0000-01-01&to=9999-12-31&limit=1500", "after=evt_1&limit=500", "limit=99999999999999999999",
	} {
		f.Add(seed)
	}
	head := func(path, query string) []byte {
		return []byte("GET " + path + "?" + query + " HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + key + "\r\n\r\n")
	}
	f.Fuzz(func(t *testing.T, query string) {
		for _, path := range []string{"/v1/orders", "/v1/fills", "/v1/events", "/v1/instruments", "/v1/candles", "/v1/account", "/v1/positions"} {
			for _, status := range serveBytes(t, w, head(path, query)) {
				if status >= 500 {
					t.Fatalf("%s?%s: status = %d, want below 500", path, query, status)
				}
			}
		}
	})
}
