package exchange_test

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"venuegate/venues/internal/exchange"
)

// BenchmarkOrder compares an exchange with net/http and with the least: the same bytes
// written and read by hand. The venue, which runs in the same process, costs each of them
// the same. cpu-ns/op is the processor time of the process, which other processes change
// least; run it with -cpu 1.
func BenchmarkOrder(b *testing.B) {
	const answer = "HTTP/1.1 200 OK\r\nServer: v\r\nDate: Sat, 01 Aug 2026 10:00:00 GMT\r\nContent-Type: application/json\r\n" +
		"X-Mbx-Used-Weight-1m: 12\r\nX-Mbx-Order-Count-10s: 1\r\nX-Mbx-Order-Count-1m: 1\r\nContent-Length: 300\r\n\r\n"
	v := newVenue(b, canned(answer+strings.Repeat("a", 300)))
	request := order
	request.Body = strings.Repeat("b", 250)
	request.Header = map[string]string{"X-Key": strings.Repeat("k", 64), "X-Sign": strings.Repeat("s", 64), "X-Time": "1786000000000"}

	b.Run("by hand", func(b *testing.B) {
		conn, err := new(net.Dialer).DialContext(b.Context(), "tcp", v.listener.Addr().String())
		if err != nil {
			b.Fatal(err)
		}
		defer conn.Close()
		wire := []byte("POST /order HTTP/1.1\r\nHost: v\r\nContent-Length: 250\r\nX: " + strings.Repeat("x", 300) + "\r\n\r\n" + request.Body)
		defer measure(b)()
		for buffer := make([]byte, 4096); b.Loop(); {
			if _, err := conn.Write(wire); err != nil {
				b.Fatal(err)
			}
			if _, err := conn.Read(buffer); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("exchange", func(b *testing.B) {
		c := client(b, options(v.url()))
		defer measure(b)()
		for b.Loop() {
			if _, _, err := c.Do(b.Context(), request); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("net http", func(b *testing.B) {
		transport := &http.Transport{MaxIdleConnsPerHost: 8}
		defer transport.CloseIdleConnections()
		defer measure(b)()
		for b.Loop() {
			if err := byNetHTTP(b, transport, v.url(), request); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// measure reports allocations and the processor time until the returned function is called.
func measure(b *testing.B) (stop func()) {
	b.ReportAllocs()
	before := processorTime(b)
	return func() { b.ReportMetric(float64(processorTime(b)-before)/float64(b.N), "cpu-ns/op") }
}

func processorTime(b *testing.B) int64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return used.Utime.Nano() + used.Stime.Nano()
}

func byNetHTTP(b *testing.B, transport *http.Transport, url string, r exchange.Request) error {
	request, err := http.NewRequestWithContext(b.Context(), r.Method, url+r.Path, strings.NewReader(r.Body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", r.ContentType)
	for name, value := range r.Header {
		request.Header.Set(name, value)
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, err = io.ReadAll(response.Body)
	return err
}

// canned answers whatever ends with a body of 250 bytes.
func canned(answer string) func(*venue, net.Conn, int64) {
	return func(_ *venue, conn net.Conn, _ int64) {
		reader, out := bufio.NewReaderSize(conn, 4096), []byte(answer)
		for {
			if _, err := reader.Peek(1); err != nil {
				return
			}
			for got, _ := reader.Peek(reader.Buffered()); ; got, _ = reader.Peek(reader.Buffered()) {
				if end := bytes.Index(got, []byte("\r\n\r\n")); end >= 0 && len(got) >= end+4+250 {
					break
				}
				if _, err := reader.Peek(len(got) + 1); err != nil {
					return
				}
			}
			_, _ = reader.Discard(reader.Buffered())
			if _, err := conn.Write(out); err != nil {
				return
			}
		}
	}
}
