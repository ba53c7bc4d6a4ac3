package bench

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"venuegate/bench/process"
)

const (
	// floodStored is the number of orders of the customer whose pages are read, more than
	// one page; floodStoredQuick that of a quick run.
	floodStored      = 600
	floodStoredQuick = 8
	// floodKeys is the number of keys that read them.
	floodKeys = 4
	// floodOrders is the number of orders of a turn, floodTurns the number of turns of a
	// round.
	floodOrders = 150
	floodTurns  = 3
	// floodSettle is how long a flood lasts before orders are sent, and floodUnreadSettle
	// how long sockets that do not read are open before their memory is read: they are
	// closed after the write timeout of the service.
	floodSettle       = 300 * time.Millisecond
	floodUnreadSettle = 6 * time.Second
	// floodKeyOrders is the number of orders that one key sends: its limit is 120.
	floodKeyOrders = 100
	// floodVenueWindow is the time over which the venue's limit counts orders.
	floodVenueWindow = 10 * time.Second
)

var floodsScenario = Scenario{
	Name: "floods",
	Does: "orders of one client, store in memory, during floods of other requests, against the same orders without them; and the memory of the service",
	Run:  measureFloods,
}

// floodKind is one flood with its measurements, one value per round.
type floodKind struct {
	name    string
	request floodRequest
	// settle is longer than floodSettle if memory needs the time.
	settle      time.Duration
	quiet, busy struct{ p50, p99 []float64 }
	memory      []float64
	answers     map[int]int
}

// floods is a service and the clients of floods.
type floods struct {
	bench   *ordersBench
	clients *partner
	kinds   []*floodKind
	orders  int
}

func measureFloods(ctx context.Context, o Options) ([]Figure, error) {
	return runFloods(ctx, o, "floods", func(f *floods) ([]*floodKind, error) {
		file := f.bench.memory.demo.File
		return []*floodKind{
			{name: "160 pages/s of 4 keys", request: floodRequest{PerSecond: 160, Keys: make([]string, floodKeys)}},
			{name: "3000 forged signals/s", request: floodRequest{PerSecond: 3000, Hook: file.Hook.URL}},
			{name: "3000 unknown keys/s", request: floodRequest{PerSecond: 3000}},
			{name: "100 slow and 100 unread sockets", request: floodRequest{Slow: 100, Unread: 100, Keys: make([]string, floodKeys)}},
			{name: "780 unread sockets", request: floodRequest{Unread: 780, Keys: make([]string, floodKeys)}, settle: floodUnreadSettle},
		}, nil
	})
}

// runFloods measures orders beside each kind of flood.
func runFloods(ctx context.Context, o Options, name string, kinds func(*floods) ([]*floodKind, error)) ([]Figure, error) {
	return withOrdersBench(o, "venue", name, func(b *ordersBench) ([]Figure, error) {
		f := &floods{bench: b, orders: floodOrders}
		stored := floodStored
		if o.Quick {
			f.orders, stored = fanoutQuick, floodStoredQuick
		}
		if err := f.open(ctx, stored); err != nil {
			return nil, err
		}
		var err error
		if f.kinds, err = kinds(f); err != nil {
			return nil, err
		}
		for _, kind := range f.kinds {
			kind.request.BaseURL, kind.answers = b.memory.demo.File.BaseURL, map[int]int{}
			kind.settle = max(kind.settle, floodSettle)
		}
		for range o.Rounds {
			for _, kind := range f.kinds {
				if err := f.round(ctx, kind); err != nil {
					return nil, fmt.Errorf("%s: %w", kind.name, err)
				}
			}
		}
		return f.figures(), nil
	})
}

// open starts the venue, the service and the clients, and stores orders to read.
func (f *floods) open(ctx context.Context, stored int) (err error) {
	b := f.bench
	if err := b.openVenue(ctx, 1+b.accounts); err != nil {
		return err
	}
	if b.memory, err = b.startService(ctx, memoryDir, b.venue.Accounts); err != nil {
		return err
	}
	if f.clients, err = startPart(ctx, b.binary, &struct{}{}, "flood", ""); err != nil {
		return err
	}
	b.closers = append(b.closers, f.clients.close)
	return f.store(ctx, stored)
}

// store places orders of the first customer. Those past the venue's limit are stored as
// rejected; it waits until the limit is free again.
func (f *floods) store(ctx context.Context, orders int) error {
	for n := range orders {
		if n%floodKeyOrders == 0 {
			if err := f.bench.memory.renewKeys(); err != nil {
				return err
			}
		}
		if err := f.bench.memory.orderOf(0); err != nil && !strings.Contains(err.Error(), `"orderId"`) {
			return err
		}
	}
	return waitUntil(ctx, time.Now().Add(floodVenueWindow))
}

// round sends orders without and with a flood in turns.
func (f *floods) round(ctx context.Context, kind *floodKind) error {
	begun := time.Now()
	if err := f.bench.memory.renewKeys(); err != nil {
		return err
	}
	if err := f.renewReaders(kind); err != nil {
		return err
	}
	if err := process.ResetPeak(f.bench.memory.process()); err != nil {
		return err
	}
	var quiet, busy laps
	for range floodTurns {
		if err := f.turn(ctx, floodRequest{}, 0, &quiet); err != nil {
			return err
		}
		if err := f.turn(ctx, kind.request, kind.settle, &busy); err != nil {
			return err
		}
		var said floodAnswer
		if err := f.clients.ask(floodRequest{}, &said); err != nil {
			return err
		}
		for status, n := range said.Answers {
			kind.answers[status] += n
		}
	}
	peak, err := process.PeakBytes(f.bench.memory.process())
	if err != nil {
		return err
	}
	kind.memory = append(kind.memory, float64(peak)/(1<<20))
	kind.quiet.p50, kind.quiet.p99 = append(kind.quiet.p50, quantile(quiet.took, 500)), append(kind.quiet.p99, quantile(quiet.took, 990))
	kind.busy.p50, kind.busy.p99 = append(kind.busy.p50, quantile(busy.took, 500)), append(kind.busy.p99, quantile(busy.took, 990))
	perAccount := 2 * floodTurns * f.orders / f.bench.accounts
	return waitUntil(ctx, begun.Add(time.Duration(perAccount)*orderEvery))
}

// renewReaders makes unused keys for the pages that a flood reads: of the customer with many
// orders, or for consoles of each customer in turn.
func (f *floods) renewReaders(kind *floodKind) error {
	service := f.bench.memory
	for i := range kind.request.Keys {
		var key orderKey
		customer := service.customers[0]
		if kind.request.Consoles > 0 {
			customer = service.customers[i%len(service.customers)]
		}
		err := service.admin("/admin/v1/keys", map[string]any{"customer": customer, "name": "flood", "scopes": []string{"read", "account"}}, &key)
		if err != nil {
			return err
		}
		kind.request.Keys[i] = key.APIKey
	}
	return nil
}

// turn sends orders while a flood lasts, which does not end.
func (f *floods) turn(ctx context.Context, flood floodRequest, settle time.Duration, to *laps) error {
	var before floodAnswer
	if err := f.clients.ask(flood, &before); err != nil {
		return err
	}
	if err := waitUntil(ctx, time.Now().Add(settle)); err != nil {
		return err
	}
	return to.run(1, f.orders, f.bench.memory.order(1))
}

func (f *floods) figures() []Figure {
	figures := make([]Figure, 0, 3*len(f.kinds))
	for _, kind := range f.kinds {
		figures = append(figures,
			Figure{Group: kind.name, Name: "order, p50", Ours: spreadOf(kind.busy.p50), Limit: spreadOf(kind.quiet.p50), Unit: "µs", Goal: "limit: without the flood" + answered(kind.answers)},
			Figure{Group: kind.name, Name: "order, p99", Ours: spreadOf(kind.busy.p99), Limit: spreadOf(kind.quiet.p99), Unit: "µs", Goal: "<= 2; limit: without the flood"},
			Figure{Group: kind.name, Name: "resident memory, peak", Ours: spreadOf(kind.memory), Unit: "MiB", Goal: "<= 512"},
		)
	}
	return figures
}

// answered lists the responses of a flood by status.
func answered(answers map[int]int) string {
	statuses := make([]int, 0, len(answers))
	for status := range answers {
		statuses = append(statuses, status)
	}
	slices.Sort(statuses)
	var text strings.Builder
	for _, status := range statuses {
		name := "none"
		if status != 0 {
			name = fmt.Sprintf("%d %s", status, fasthttp.StatusMessage(status))
		}
		fmt.Fprintf(&text, "; %s: %d", name, answers[status])
	}
	return text.String()
}
