package deliveries_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync/atomic"
	"testing"

	"venuegate/actors/delivery"
	"venuegate/transport/webhook"
)

// BenchmarkDeliveries measures events from their commit to the answer of a
// receiver in the same process: signed, over loopback sockets, each attempt
// journaled in the embedded store. One operation is one event to all endpoints.
func BenchmarkDeliveries(b *testing.B) {
	for _, endpoints := range []int{1, 1000} {
		b.Run(fmt.Sprintf("endpoints=%d", endpoints), func(b *testing.B) { deliver(b, endpoints) })
	}
}

func deliver(b *testing.B, endpoints int) {
	b.Helper()
	var taken atomic.Int64
	goal := int64(b.N) * int64(endpoints)
	done := make(chan struct{})
	r := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, in *http.Request) {
		_, _ = io.Copy(io.Discard, in.Body)
		if taken.Add(1) == goal {
			close(done)
		}
	}))
	defer r.Close()
	targets := make([]string, endpoints)
	for i := range targets {
		targets[i] = r.URL
	}
	p, err := start(b.Context(), b.TempDir(), targets, delivery.ScheduleDefault(), webhook.TimeoutDefault)
	if err != nil {
		b.Fatal(err)
	}
	p.settle(b)
	b.ResetTimer()
	for left := b.N; left > 0; {
		n := min(left, 100)
		left -= n
		if _, err := p.emit(b.Context(), n); err != nil {
			b.Fatal(err)
		}
	}
	<-done
	b.StopTimer()
	b.ReportMetric(float64(goal)/b.Elapsed().Seconds(), "deliveries/s")
	if err := p.stop(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkIdleEndpoint reports the heap and stacks of an endpoint without deliveries,
// as its share in a process with a thousand more.
func BenchmarkIdleEndpoint(b *testing.B) {
	const endpoints = 1000
	targets := make([]string, endpoints)
	for i := range targets {
		targets[i] = "http://127.0.0.1:9/"
	}
	for b.Loop() {
		var inUse [2]int64
		for i, of := range [][]string{nil, targets} {
			p, err := start(b.Context(), b.TempDir(), of, delivery.ScheduleDefault(), webhook.TimeoutDefault)
			if err != nil {
				b.Fatal(err)
			}
			p.settle(b)
			inUse[i] = memoryInUse()
			if err := p.stop(); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(inUse[1]-inUse[0])/endpoints, "bytes/endpoint")
	}
}

// settle waits until every queue has started.
func (p *process) settle(b *testing.B) {
	b.Helper()
	for waiting := 1; waiting > 0; {
		var err error
		if waiting, err = p.waiting(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

func memoryInUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // the second empties the pools
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}
