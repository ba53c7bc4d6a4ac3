package rest_test

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"

	"venuegate/persistence"
)

// BenchmarkServe is one request over a connection in memory: parser, guard,
// handler, answer; fakes behind it.
func BenchmarkServe(b *testing.B) {
	w := newWorld(b, notLimited)
	answerable(w)
	key := w.key("cus_1", persistence.ScopeRead, persistence.ScopeTrade)
	w.trader.forgetful = true
	w.server.App().Handler() // the router is ready
	post := fmt.Sprintf("POST /v1/orders HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		key, len(marketOrder), marketOrder)
	get := "GET /v1/orders/ord_1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + key + "\r\n\r\n"
	for name, raw := range map[string]string{http.MethodPost: post, http.MethodGet: get} {
		b.Run(name, func(b *testing.B) {
			const pipelined = 1000
			requests := bytes.Repeat([]byte(raw), pipelined)
			b.ReportAllocs()
			for n := 0; n < b.N; n += pipelined {
				conn := &wire{in: bytes.NewReader(requests)}
				if err := w.server.App().Server().ServeConn(conn); err != nil {
					b.Fatal(err)
				}
				if answer := conn.out.Bytes(); !bytes.HasPrefix(answer, []byte("HTTP/1.1 20")) {
					b.Fatalf("%.300s", answer)
				}
			}
		})
	}
}
