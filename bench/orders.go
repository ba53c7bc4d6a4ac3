package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

const (
	// orderAccounts share the orders, so that neither what a venue takes from an
	// account nor what a key may send in a minute is used up. There are no more
	// clients than accounts.
	orderAccounts      = 64
	orderAccountsQuick = 4
	// orderTurns is how often the ways take turns in a round.
	orderTurns = 4
	// orderEvery is how often an account sends an order, on average: a venue takes
	// 1200 in a minute.
	orderEvery = 50 * time.Millisecond
	// ordersWarm are sent by all clients together before the first round,
	// ordersWarmTurn by each before each turn.
	ordersWarm     = 640
	ordersWarmTurn = 4
	// ordersQuick of a turn show that it works.
	ordersQuick = 2
	// syncsOfTurn are the syncs of the probe in each turn.
	syncsOfTurn = 50
)

// orderSetting is how orders are sent.
type orderSetting struct {
	name    string
	clients int
	// each is how many orders a client sends in a turn.
	each int
	// oneCore keeps all processes on one processor: what a way adds is then its
	// work, and not how long a second processor takes to wake.
	oneCore bool
}

// durable says whether orders are made durable too: on one core it is work that is
// looked at, not waiting.
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
	return onOrdersBench(o, "clients", func(b *ordersBench) ([]Figure, error) { return b.figures(ctx, o) })
}

// onOrdersBench measures on a bench and closes it. Without a place in memory for a
// store nothing is measured, which the figure of this name says.
func onOrdersBench(o Options, name string, measure func(*ordersBench) ([]Figure, error)) (figures []Figure, err error) {
	if _, err := os.Stat(memoryDir); err != nil {
		return []Figure{{Name: name, Missing: "no place in memory for a store: " + err.Error()}}, nil
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

// orderRounds are the measurements of one way, a value for each round.
type orderRounds struct{ p50, p99, perSecond, busy []float64 }

// orderWay is a way of an order that ends at once, and what a round of it has come
// to.
type orderWay struct {
	rounds *orderRounds
	// send lets so many clients send, each so many, and adds how long they took.
	send func(to *laps, clients, each int) error
	// service is whose processor time counts; nil is nobody's.
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

// conclude makes a value of each kind of what the round has come to, and begins
// anew.
func (w *orderWay) conclude() {
	w.rounds.p50 = append(w.rounds.p50, quantile(w.laps.took, 500))
	w.rounds.p99 = append(w.rounds.p99, quantile(w.laps.took, 990))
	w.rounds.perSecond = append(w.rounds.perSecond, w.laps.perSecond())
	w.rounds.busy = append(w.rounds.busy, float64(w.busy.Nanoseconds())/1e3/float64(len(w.laps.took)))
	w.laps, w.busy = laps{}, 0
}

// measure lets the ways take turns in every round of a setting.
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
		// With one client two ways lead through the same service.
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
		if err := rest(ctx, begun.Add(time.Duration(perAccount)*orderEvery)); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// rest waits until a moment.
func rest(ctx context.Context, until time.Time) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(until)):
		return nil
	}
}
