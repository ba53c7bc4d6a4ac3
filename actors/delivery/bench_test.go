package delivery_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"venuegate/persistence/storetest"
)

// BenchmarkIdleEndpoint measures the cost of a queue that has nothing to do: its actor,
// its state and its timers.
func BenchmarkIdleEndpoint(b *testing.B) {
	const endpoints = 5000
	for range b.N {
		h := open(b, storetest.NewMemory())
		h.pool = h.system.NewPool("loads", 8, endpoints)
		r := newReceiver(accept)
		before := memory()
		for i := range endpoints {
			h.start(endpoint(fmt.Sprint("end_", i)), r)
		}
		for h.store.(*storetest.Memory).Committed() < 2*endpoints { // a barrier and a cursor each
			runtime.Gosched()
		}
		// Queues that have answered have nothing left to do.
		for i := range endpoints {
			if err := h.clients[i].Resend(context.Background(), "evt_none"); err == nil {
				b.Fatal("resend of an unknown event: no error, want one")
			}
		}
		b.ReportMetric(float64(memory()-before)/endpoints, "B/endpoint")
		h.close()
	}
}

func memory() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}
