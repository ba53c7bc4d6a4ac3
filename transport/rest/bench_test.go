package rest_test

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"

	"venuegate/persistence"
)

// BenchmarkServe measures one request over an in-memory connection: parser,
// authorization, handler and response, with fake dependencies.
func BenchmarkServe(b *testing.B) {
	w := newWorld(b, withoutRateLimit)
	withOrder(w)
	key := w.key("cus_1", persistence.ScopeRead, persistence.ScopeTrade)
	w.trader.discardCommands = true
	w.server.App().Handler() // builds the router
	post := fmt.Sprintf("POST /v1/orders HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		key, len(marketOrder), marketOrder)
	get := "GET /v1/orders/ord_1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + key + "\r\n\r\n"
	for name, raw := range map[string]string{http.MethodPost: post, http.MethodGet: get} {
		b.Run(name, func(b *testing.B) {
			const pipelined = 1000
			requests := bytes.Repeat([]byte(raw), pipelined)
			b.ReportAllocs()
			for n := 0; n < b.N; n += pipelined {
				conn := &memoryConn{in: bytes.NewReader(requests)}
				if err := w.server.App().Server().ServeConn(conn); err != nil {
					b.Fatal(err)
				}
				if got := conn.out.Bytes(); !bytes.HasPrefix(got, []byte("HTTP/1.1 20")) {
					b.Fatalf("response = %.300s, want 2xx", got)
				}
			}
		})
	}
}
