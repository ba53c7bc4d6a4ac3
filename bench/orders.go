package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"venuegate/bench/process"
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

// cannedSettings are the settings of the canned venue.
var cannedSettings = []orderSetting{orderSettings[0], orderSettings[1], orderSettings[3]}

var ordersScenario = Scenario{
	Name: "orders",
	Does: "POST /v1/orders through to the simulated venue and back, durable and in memory, against a floor program, a plain forward and CCXT",
	Run: func(ctx context.Context, o Options) ([]Figure, error) {
		figures, err := measureOrders(ctx, o, "venue", orderSettings)
		if err != nil {
			return nil, err
		}
		hop, err := measureHop(ctx, o)
		return append(figures, hop), err
	},
}

var cannedScenario = Scenario{
	Name: "orders-canned",
	Does: "the same with a venue that matches nothing and gives a fixed answer, so that the venue is not what is measured",
	Run: func(ctx context.Context, o Options) ([]Figure, error) {
		return measureOrders(ctx, o, "canned", cannedSettings)
	},
}

func measureOrders(ctx context.Context, o Options, venue string, settings []orderSetting) ([]Figure, error) {
	return withOrdersBench(o, venue, "clients", func(b *ordersBench) ([]Figure, error) { return b.figures(ctx, o, settings) })
}

// withOrdersBench opens a bench with a venue, measures and closes it. Without a directory in memory
// for a store it returns a missing figure with the given name.
func withOrdersBench(o Options, venue, name string, measure func(*ordersBench) ([]Figure, error)) (figures []Figure, err error) {
	if _, err := os.Stat(memoryDir); err != nil {
		return []Figure{{Name: name, Missing: "no directory in memory for a store: " + err.Error()}}, nil
	}
	if !o.Quick {
		defer keepAwake()()
	}
	b := newOrdersBench(o, venue)
	defer func() { err = errors.Join(err, b.close()) }()
	return measure(b)
}

func (b *ordersBench) figures(ctx context.Context, o Options, settings []orderSetting) (figures []Figure, err error) {
	if err := b.open(ctx); err != nil {
		return nil, err
	}
	for _, setting := range settings {
		if o.Quick {
			setting.clients, setting.each = min(setting.clients, b.accounts), ordersQuick
		}
		m, err := b.measure(ctx, setting, o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", setting.name, err)
		}
		figures = append(figures, m.figures(setting)...)
	}
	return figures, nil
}

// orderRounds are the measurements of one way, one value per round. busy is the processor
// time of an order in the program on the way, venue that in the venue.
type orderRounds struct{ p50, p99, perSecond, busy, venue []float64 }

// orderWay is a way of an order that ends immediately, with the results of a round.
type orderWay struct {
	rounds *orderRounds
	// send sends each orders from each of the clients and appends their durations.
	send func(to *laps, clients, each int) error
	// process is the program on the way and venue the venue, whose processor times are
	// measured; 0 for none.
	process, venue  int
	laps            laps
	busy, venueBusy time.Duration
}

// turn warms up and measures.
func (w *orderWay) turn(clients, each int) error {
	if err := w.send(&laps{}, clients, ordersWarmTurn); err != nil {
		return err
	}
	measured := func() error { return w.send(&w.laps, clients, each) }
	for _, one := range []struct {
		pid   int
		total *time.Duration
	}{{w.process, &w.busy}, {w.venue, &w.venueBusy}} {
		if one.pid == 0 {
			continue
		}
		do := measured
		measured = func() error {
			busy, err := process.CPUTimeDuring(one.pid, do)
			*one.total += busy
			return err
		}
	}
	return measured()
}

// conclude adds the results of the round to the measurements and resets them.
func (w *orderWay) conclude() {
	anOrder := func(busy time.Duration) float64 { return float64(busy.Nanoseconds()) / 1e3 / float64(len(w.laps.took)) }
	w.rounds.p50 = append(w.rounds.p50, quantile(w.laps.took, 500))
	w.rounds.p99 = append(w.rounds.p99, quantile(w.laps.took, 990))
	w.rounds.perSecond = append(w.rounds.perSecond, w.laps.perSecond())
	w.rounds.busy = append(w.rounds.busy, anOrder(w.busy))
	w.rounds.venue = append(w.rounds.venue, anOrder(w.venueBusy))
	w.laps, w.busy, w.venueBusy = laps{}, 0, 0
}

// measure runs the ways in turns in every round of a setting.
func (b *ordersBench) measure(ctx context.Context, setting orderSetting, o Options) (m *ordersMeasured, err error) {
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
	costs, costing := b.costs(m, setting), costOrders
	if o.Quick {
		costing = costQuick
	}
	for range o.Rounds {
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
		for _, c := range costs {
			if err := c.round(ctx, costing); err != nil {
				return nil, fmt.Errorf("cost of an order: %w", err)
			}
			perAccount += costTimes * costing / b.accounts
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
