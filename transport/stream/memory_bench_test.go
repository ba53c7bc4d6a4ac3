package stream_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"runtime"
	"testing"

	"github.com/gofiber/fiber/v2"

	"venuegate/transport/stream"
)

// BenchmarkIdleConnection reports the memory of an idle connection: heap and stacks of
// the service, with a minimal client.
func BenchmarkIdleConnection(b *testing.B) {
	const connections = 1000
	s := newServerOver(b, new(manualFeed), stream.Options{UnauthenticatedPerAddressMax: 2 * connections}, true, func(app *fiber.App) {
		// The settings of the service.
		app.Server().ReadBufferSize, app.Server().ReduceMemoryUsage = 8<<10, true
	})
	for b.Loop() {
		before := memoryInUse()
		var clients []net.Conn
		for range connections {
			clients = append(clients, s.handshake(b))
		}
		eventually(b, "every welcome is written", func() bool { return s.hub.Stats().Connections == connections })
		b.ReportMetric(float64(memoryInUse()-before)/connections, "bytes/connection")
		for _, c := range clients {
			_ = c.Close()
		}
		eventually(b, "every session is gone", func() bool { return s.hub.Stats().Connections == 0 })
	}
}

func memoryInUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // the second run empties the pools
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// handshake upgrades a connection without the client of the library, which has buffers
// of its own.
func (s *server) handshake(b *testing.B) net.Conn {
	b.Helper()
	conn, err := s.dial(b.Context(), "tcp", "")
	if err != nil {
		b.Fatal(err)
	}
	const request = "GET /v1/stream HTTP/1.1\r\nHost: stream.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: eHh4eHh4eHh4eHh4eHh4eA==\r\n\r\n"
	if _, err := io.WriteString(conn, request); err != nil {
		b.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReaderSize(conn, 16), nil)
	if err != nil || response.StatusCode != http.StatusSwitchingProtocols {
		b.Fatalf("response = %v, error %v, want 101", response, err)
	}
	_ = response.Body.Close()
	return conn
}
