package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

const (
	// orderAccounts is the number of accounts over which orders are spread, so that
	// neither the venue's limit of an account nor the limit of a key per minute is
	// reached. There are no more clients than accounts.
	orderAccounts      = 64
	orderAccountsQuick = 4
	// orderTurns is the number of turns of each way in a round.
	orderTurns = 4
	// orderEvery is the average interval of an account's orders: a venue accepts 1200
	// per minute.
	orderEvery = 50 * time.Millisecond
	// ordersWarm is the number of orders of all clients together before the first
	// round, ordersWarmTurn of each client before each turn.
	ordersWarm     = 640
	ordersWarmTurn = 4
	// ordersQuick is the number of orders of a turn in a quick run.
	ordersQuick = 2
	// syncsOfTurn is the number of syncs of the probe in each turn.
	syncsOfTurn = 50
)

// orderSetting is how orders are sent.
type orderSetting struct {
	name    string
	clients int
	// each is the number of orders of a client in a turn.
	each int
	// oneCore pins all processes to one processor, so that the difference between
	// ways is work and not the wake-up of a second processor.
	oneCore bool
}

// durable reports whether the setting also measures durable orders. On one core only
// work is measured, not waits for the disk.
func (s orderSetting) durable() bool { return !s.oneCore }

var orderSettings = []orderSetting{
	{name: "1 client, one core", clients: 1, each: 200, oneCore: true},
	{name: "1 client", clients: 1, each: 200},
	{name: "16 clients", clients: 16, each: 20},
	{name: "64 clients", clients: 64, each: 6},
}

var ordersScenario = Scenario{
	Name: "orders",
	Does: "POST /v1/orders through to the simulated venue and back, durable and in memory, against a plain forward of the same request and against CCXT",
	Run:  measureOrders,
}

func measureOrders(ctx context.Context, o Options) ([]Figure, error) {
	return withOrdersBench(o, "clients", func(b *ordersBench) ([]Figure, error) { return b.figures(ctx, o) })
}

// withOrdersBench opens a bench, measures and closes it. Without a directory in memory
// for a store it returns a missing figure with the given name.
func withOrdersBench(o Options, name string, measure func(*ordersBench) ([]Figure, error)) (figures []Figure, err error) {
	if _, err := os.Stat(memoryDir); err != nil {
		return []Figure{{Name: name, Missing: "no directory in memory for a store: " + err.Error()}}, nil
	}
	defer keepAwake()()
	b := newOrdersBench(o)
	defer func() { err = errors.Join(err, b.close()) }()
	return measure(b)
}

func (b *ordersBench) figures(ctx context.Context, o Options) (figures []Figure, err error) {
	if err := b.open(ctx); err != nil {
		return nil, err
	}
	for _, setting := range orderSettings {
		if o.Quick {
			setting.clients, setting.each = min(setting.clients, b.accounts), ordersQuick
		}
		m, err := b.measure(ctx, setting, o.Rounds)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", setting.name, err)
		}
		figures = append(figures, m.figures(setting)...)
	}
	hop, err := measureHop(ctx, o)
	return append(figures, hop), err
}

// orderRounds are the measurements of one way, one value per round.
type orderRounds struct{ p50, p99, perSecond, busy []float64 }

// orderWay is a way of an order that ends immediately, with the results of a round.
type orderWay struct {
	rounds *orderRounds
	// send sends each orders from each of the clients and appends their durations.
	send func(to *laps, clients, each int) error
	// service is the process whose processor time is measured; nil for none.
	service *orderService
	laps    laps
	busy    time.Duration
}

// turn warms up and measures.
func (w *orderWay) turn(clients, each int) error {
	if err := w.send(&laps{}, clients, ordersWarmTurn); err != nil {
		return err
	}
	if w.service == nil {
		return w.send(&w.laps, clients, each)
	}
	busy, err := w.service.busy(func() error { return w.send(&w.laps, clients, each) })
	w.busy += busy
	return err
}

// conclude adds the results of the round to the measurements and resets them.
func (w *orderWay) conclude() {
	w.rounds.p50 = append(w.rounds.p50, quantile(w.laps.took, 500))
	w.rounds.p99 = append(w.rounds.p99, quantile(w.laps.took, 990))
	w.rounds.perSecond = append(w.rounds.perSecond, w.laps.perSecond())
	w.rounds.busy = append(w.rounds.busy, float64(w.busy.Nanoseconds())/1e3/float64(len(w.laps.took)))
	w.laps, w.busy = laps{}, 0
}

// measure runs the ways in turns in every round of a setting.
func (b *ordersBench) measure(ctx context.Context, setting orderSetting, rounds int) (m *ordersMeasured, err error) {
	if setting.oneCore {
		free, err := pin(b.processes())
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, free()) }()
	}
	m = &ordersMeasured{}
	ways := b.ways(m, setting)
	if err := b.renewKeys(); err != nil {
		return nil, err
	}
	for _, w := range ways {
		if err := w.send(&laps{}, setting.clients, min(ordersWarm/setting.clients, orderTurns*setting.each)); err != nil {
			return nil, err
		}
	}
	for range rounds {
		// With one client two ways use the same service.
		begun, perAccount := time.Now(), 2*orderTurns*setting.clients*(ordersWarmTurn+setting.each)/b.accounts
		if err := b.renewKeys(); err != nil {
			return nil, err
		}
		for range orderTurns {
			for _, w := range ways {
				if err := w.turn(setting.clients, setting.each); err != nil {
					return nil, err
				}
			}
		}
		for _, w := range ways {
			w.conclude()
		}
		if err := waitUntil(ctx, begun.Add(time.Duration(perAccount)*orderEvery)); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// waitUntil waits until a time.
func waitUntil(ctx context.Context, until time.Time) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(until)):
		return nil
	}
}
