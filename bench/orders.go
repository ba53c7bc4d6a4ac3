package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

const (
	// ordersOfOne are the orders of a round of one client, ordersOfEach those of
	// each client of several. Neither uses up what a key may send in a minute or
	// what the venue takes from an account.
	ordersOfOne  = 100
	ordersOfEach = 20
	// ordersWarm of them, of each client, are sent before the clock runs.
	ordersWarm = 4
	// ordersQuick are as few as show that it works.
	ordersQuick = 6
	// roundEvery keeps the orders of an account below what the venue takes in ten
	// seconds.
	roundEvery = 11 * time.Second
	// commitOfOrderBytes is about what an order's intent takes in the store's log.
	commitOfOrderBytes = 7 * commitBytes
	// syncsOfRound are the syncs of the probe in each round.
	syncsOfRound = 200
)

// ordersClients are how many clients send at the same time.
var ordersClients = []int{1, 16, 64}

var ordersScenario = Scenario{
	Name: "orders",
	Does: "POST /v1/orders through to the simulated venue and back, durable and in memory, against a plain forward of the same request",
	Run:  measureOrders,
}

// orderWay is one way of an order that ends at once.
type orderWay func(client int) error

// orderRounds are the measurements of one way, a value for each round.
type orderRounds struct{ p50, p99, perSecond, busy []float64 }

// measureOrders compares four ways of an order: straight to the venue, through a
// server that only forwards, through the service with its store in memory, and
// through the service with its store on the disk.
func measureOrders(ctx context.Context, o Options) (figures []Figure, err error) {
	if _, err := os.Stat(memoryDir); err != nil {
		return []Figure{{Name: "clients", Missing: "no place in memory for a store: " + err.Error()}}, nil
	}
	defer keepAwake()()
	counts := ordersClients
	if o.Quick {
		counts = []int{1, 2}
	}
	b, err := openOrdersBench(ctx, o.Binary, counts[len(counts)-1])
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	for _, clients := range counts {
		m, err := b.measure(ctx, clients, o)
		if err != nil {
			return nil, err
		}
		figures = append(figures, m.figures(clients)...)
	}
	return figures, nil
}

// ordersMeasured is what the rounds of some clients came to.
type ordersMeasured struct {
	direct, forward, memory, disk, sync orderRounds
}

func (b *ordersBench) measure(ctx context.Context, clients int, o Options) (*ordersMeasured, error) {
	each := ordersOfEach
	switch {
	case o.Quick:
		each = ordersQuick
	case clients == 1:
		each = ordersOfOne
	}
	m := &ordersMeasured{}
	for round := range o.Rounds {
		next := time.After(roundEvery)
		if err := errors.Join(b.memory.renewKeys(clients), b.disk.renewKeys(clients)); err != nil {
			return nil, err
		}
		if err := errors.Join(
			m.direct.send(clients, each, b.direct), m.forward.send(clients, each, b.forwarded),
			m.memory.sendThrough(b.memory, clients, each), m.disk.sendThrough(b.disk, clients, each),
		); err != nil {
			return nil, err
		}
		if err := m.sync.probe(filepath.Join(b.dir, fmt.Sprint("log", clients, "-", round))); err != nil {
			return nil, err
		}
		if o.Quick {
			continue
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-next:
		}
	}
	return m, nil
}

// send lets every client send its orders, one after the other.
func (r *orderRounds) send(clients, each int, order orderWay) error {
	if err := together(clients, func(client int) error {
		for range ordersWarm {
			if err := order(client); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	took := make([]time.Duration, clients*each)
	begun := time.Now()
	err := together(clients, func(client int) error {
		for n := range each {
			sent := time.Now()
			if err := order(client); err != nil {
				return err
			}
			took[client*each+n] = time.Since(sent)
		}
		return nil
	})
	r.add(took, time.Since(begun))
	return err
}

// sendThrough sends through a service, and takes the time of the processors that it
// uses: unlike the others it says the same on a busy machine.
func (r *orderRounds) sendThrough(s *orderService, clients, each int) error {
	before, err := processorTime(s.demo.command.Process.Pid)
	if err != nil {
		return err
	}
	if err := r.send(clients, each, s.order); err != nil {
		return err
	}
	after, err := processorTime(s.demo.command.Process.Pid)
	r.busy = append(r.busy, float64((after-before).Nanoseconds())/1e3/float64(clients*(each+ordersWarm)))
	return err
}

// probe is the limit of what is durable: syncs of as many bytes as a commit of an
// order has.
func (r *orderRounds) probe(path string) error {
	log, err := openSyncLog(path, commitOfOrderBytes)
	if err != nil {
		return err
	}
	took := make([]time.Duration, syncsOfRound)
	begun := time.Now()
	for i := range took {
		sent := time.Now()
		if err := log.put(1); err != nil {
			return errors.Join(err, log.close())
		}
		took[i] = time.Since(sent)
	}
	r.add(took, time.Since(begun))
	return log.close()
}

func (r *orderRounds) add(took []time.Duration, all time.Duration) {
	r.p50 = append(r.p50, quantile(took, 50))
	r.p99 = append(r.p99, quantile(took, 99))
	r.perSecond = append(r.perSecond, float64(len(took))/all.Seconds())
}

func (m *ordersMeasured) figures(clients int) []Figure {
	name := func(what string) string { return fmt.Sprintf("%d clients, %s", clients, what) }
	if clients == 1 {
		name = func(what string) string { return "1 client, " + what }
	}
	return []Figure{
		{Name: name("forward, p50"), Ours: spreadOf(m.forward.p50), Limit: spreadOf(m.direct.p50), Unit: "µs", Goal: "limit: straight to the venue"},
		{Name: name("in memory, added p50"), Ours: added(m.memory.p50, m.direct.p50), Limit: added(m.forward.p50, m.direct.p50), Unit: "µs", Goal: "limit: what the forward adds"},
		{Name: name("in memory, p99"), Ours: spreadOf(m.memory.p99), Limit: spreadOf(m.forward.p99), Unit: "µs", Goal: "limit: the forward"},
		{Name: name("durable, p50"), Ours: spreadOf(m.disk.p50), Limit: sum(m.memory.p50, m.sync.p50), Unit: "µs", Goal: "<= 1.15; limit: in memory and one sync"},
		{Name: name("durable, p99"), Ours: spreadOf(m.disk.p99), Limit: sum(m.memory.p99, m.sync.p99), Unit: "µs", Goal: "limit: in memory and one sync"},
		{Name: name("durable, less in memory, p50"), Ours: added(m.disk.p50, m.memory.p50), Limit: spreadOf(m.sync.p50), Unit: "µs", Goal: "limit: one sync; ours are two commits"},
		{Name: name("durable"), Ours: spreadOf(m.disk.perSecond), Limit: spreadOf(m.memory.perSecond), Unit: "orders/s", HigherIsBetter: true, Goal: "limit: in memory"},
		{Name: name("processor time of an order"), Ours: spreadOf(m.disk.busy), Limit: spreadOf(m.memory.busy), Unit: "µs", Goal: "limit: in memory"},
		{Name: name("in memory"), Ours: spreadOf(m.memory.perSecond), Limit: spreadOf(m.forward.perSecond), Unit: "orders/s", HigherIsBetter: true, Goal: "limit: the forward"},
	}
}

// added is how much longer one way takes than another, round by round.
func added(through, direct []float64) Spread {
	rounds := make([]float64, len(through))
	for i := range through {
		rounds[i] = through[i] - direct[i]
	}
	return spreadOf(rounds)
}

func sum(a, b []float64) Spread {
	rounds := make([]float64, len(a))
	for i := range a {
		rounds[i] = a[i] + b[i]
	}
	return spreadOf(rounds)
}
