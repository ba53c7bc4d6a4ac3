package bench

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"venuegate/bench/process"
)

const (
	// costOrders is the number of orders of which the cost is measured in a round,
	// costQuick that of a quick run.
	costOrders = 300
	costQuick  = 4
	// costTrace is the duration of an execution trace, in which all orders are sent, and
	// costTraceQuick that of a quick run; costBegin is how long a trace takes to begin.
	costTrace      = 1500 * time.Millisecond
	costTraceQuick = 500 * time.Millisecond
	costBegin      = 100 * time.Millisecond
	// costTimes is how often the orders of a round are sent: for the counters, for the
	// trace and for the rows.
	costTimes = 3
)

// orderCost is what an order costs besides its processor time, one value per round. The
// figures are differences of counters of the whole process.
type orderCost struct {
	// objects and bytes are allocated in the heap.
	objects, bytes []float64
	// switches are those of threads, ioCalls calls of read and write.
	switches, ioCalls []float64
	// started and woken are goroutines, calls their system calls. They are missing, with
	// a reason, where they cannot be counted.
	started, woken, calls []float64
	untraced              string
	// rows and rowBytes are in the store afterwards, logged is written to its log.
	rows, rowBytes, logged []float64
	unlogged               string
}

// costed is a program of which an order's cost is measured.
type costed struct {
	bench *ordersBench
	pid   int
	// base is the address of its metrics and profiles, authorization the header for them.
	base, authorization string
	send                func(client, n int) error
	// service has the store whose rows are counted; nil for none.
	service *orderService
	// idle is what an execution trace has without orders.
	idle *scheduling
	cost *orderCost
}

// heap is what a program has allocated so far.
type heap struct{ objects, bytes float64 }

// round measures orders that one client sends. Counters first: a trace changes them.
func (c *costed) round(ctx context.Context, orders int) error {
	trace := costTrace
	if orders < costOrders {
		trace = costTraceQuick
	}
	if err := c.count(orders); err != nil {
		return err
	}
	if err := c.trace(ctx, orders, trace); err != nil || c.service == nil {
		return err
	}
	return c.rows(ctx, orders)
}

// costs returns the programs of which a setting measures the cost of an order: with one
// client on one core the service with its store in memory, and the floor program.
func (b *ordersBench) costs(m *ordersMeasured, setting orderSetting) []*costed {
	if !setting.oneCore {
		return nil
	}
	return []*costed{
		{
			bench: b, pid: b.memory.process(), base: b.memory.demo.File.AdminURL, authorization: "Bearer " + b.memory.demo.File.AdminToken,
			send: b.memory.order(setting.clients), service: b.memory, cost: &m.cost,
		},
		{
			bench: b, pid: b.floorPart.process(), base: b.floor,
			send: func(int, int) error { return b.floorOrder(floorMemoryPath) }, cost: &m.floorCost,
		},
	}
}

func (c *costed) sendAll(orders int) error { return new(laps).run(1, orders, c.send) }

// count measures what the counters of the process and of Go's runtime have.
func (c *costed) count(orders int) error {
	// The difference of two readings is what a reading costs itself; the very first costs
	// more.
	if _, err := c.heap(); err != nil {
		return err
	}
	first, err := c.heap()
	if err != nil {
		return err
	}
	before, err := c.heap()
	if err != nil {
		return err
	}
	var switches, calls int64
	err = difference(&switches, func() (int64, error) { return process.ContextSwitches(c.pid) }, func() error {
		return difference(&calls, func() (int64, error) { return process.IOCalls(c.pid) }, func() error { return c.sendAll(orders) })
	})
	if err != nil {
		return err
	}
	after, err := c.heap()
	if err != nil {
		return err
	}
	n := float64(orders)
	c.cost.objects = append(c.cost.objects, (after.objects-2*before.objects+first.objects)/n)
	c.cost.bytes = append(c.cost.bytes, (after.bytes-2*before.bytes+first.bytes)/n)
	c.cost.switches = append(c.cost.switches, float64(switches)/n)
	c.cost.ioCalls = append(c.cost.ioCalls, float64(calls)/n)
	return nil
}

// difference sets by how much a counter grows while do runs.
func difference(by *int64, counter func() (int64, error), do func() error) error {
	before, err := counter()
	if err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	after, err := counter()
	*by = after - before
	return err
}

// heap reads the counters of the runtime from the metrics.
func (c *costed) heap() (heap, error) {
	metrics, err := c.bench.call(fasthttp.MethodGet, c.base+"/metrics", "Authorization", c.authorization, nil)
	if err != nil {
		return heap{}, err
	}
	objects, errObjects := metricOf(metrics, "go_memstats_mallocs_total")
	bytes, errBytes := metricOf(metrics, "go_memstats_alloc_bytes_total")
	return heap{objects, bytes}, errors.Join(errObjects, errBytes)
}

// metricOf returns the value of a metric without labels.
func metricOf(metrics []byte, name string) (float64, error) {
	for line := range strings.Lines(string(metrics)) {
		if value, is := strings.CutPrefix(line, name+" "); is {
			return strconv.ParseFloat(strings.TrimSpace(value), 64)
		}
	}
	return 0, fmt.Errorf("no metric %s", name)
}

var errTraceEnded = errors.New("the execution trace ended before the orders")

// trace counts what goroutines do in an execution trace. Where that is not possible the
// cost has the reason.
func (c *costed) trace(ctx context.Context, orders int, duration time.Duration) error {
	if c.idle == nil {
		idle, err := c.during(ctx, duration, func() error { return nil })
		if err != nil {
			c.cost.untraced = err.Error()
			return ctx.Err()
		}
		c.idle = &idle
	}
	counted, err := c.during(ctx, duration, func() error { return c.sendAll(orders) })
	if err != nil {
		c.cost.untraced = err.Error()
		return ctx.Err()
	}
	n := float64(orders)
	c.cost.started = append(c.cost.started, (counted.Started-c.idle.Started)/n)
	c.cost.woken = append(c.cost.woken, (counted.Woken-c.idle.Woken)/n)
	c.cost.calls = append(c.cost.calls, (counted.Calls-c.idle.Calls)/n)
	return nil
}

// during returns what an execution trace has while do runs.
func (c *costed) during(ctx context.Context, duration time.Duration, do func() error) (scheduling, error) {
	type result struct {
		trace []byte
		err   error
	}
	done := make(chan result, 1)
	go func() {
		address := fmt.Sprintf("%s/debug/pprof/trace?seconds=%.1f", c.base, duration.Seconds())
		trace, err := c.bench.call(fasthttp.MethodGet, address, "Authorization", c.authorization, nil)
		done <- result{trace, err}
	}()
	errDo := waitUntil(ctx, time.Now().Add(costBegin))
	if errDo == nil {
		errDo = do()
	}
	select {
	case <-done:
		return scheduling{}, errors.Join(errTraceEnded, errDo)
	default:
	}
	traced := <-done
	if err := errors.Join(traced.err, errDo); err != nil {
		return scheduling{}, err
	}
	return countTrace(traced.trace)
}
