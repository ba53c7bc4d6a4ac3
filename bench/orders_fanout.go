package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"venuegate/bench/process"
)

const (
	// fanoutSubscribers is the number of subscribers of the same trades.
	fanoutSubscribers = 1000
	// fanoutShare is the share of a processor that the service spends on them.
	fanoutShare = 0.5
	// fanoutTrades is the first guess of the trades per second that take that share,
	// up to fanoutTradesMax.
	fanoutTrades    = 20
	fanoutTradesMax = 2000
	// fanoutGuesses is the number of guesses before the rate is fixed.
	fanoutGuesses = 3
	// fanoutLook is how long the fan-out is measured alone, fanoutSettle how long it
	// takes to begin or to end.
	fanoutLook   = time.Second
	fanoutSettle = 200 * time.Millisecond
	// fanoutOrders is the number of orders of a turn, enough for the 99.9th percentile
	// of a round.
	fanoutOrders = 600
	// fanoutQuick is the number of subscribers, orders and trades of a quick run.
	fanoutQuick = 8
)

var fanoutScenario = Scenario{
	Name: "orders-fanout",
	Does: "orders of one client, store in memory, while the same service streams trades to many subscribers, against the same orders without them",
	Run:  measureFanout,
}

func measureFanout(ctx context.Context, o Options) ([]Figure, error) {
	return withOrdersBench(o, "venue", "orders", func(b *ordersBench) ([]Figure, error) {
		f := &fanout{bench: b, orders: fanoutOrders, subscribers: fanoutSubscribers}
		if o.Quick {
			f.orders, f.subscribers = fanoutQuick, fanoutQuick
		}
		if err := f.open(ctx); err != nil {
			return nil, err
		}
		if err := f.findRate(ctx); err != nil {
			return nil, err
		}
		for range o.Rounds {
			if err := f.round(ctx); err != nil {
				return nil, err
			}
		}
		return f.figures(), nil
	})
}

// fanout is a service with subscribers.
type fanout struct {
	bench       *ordersBench
	audience    *partner
	subscribers int
	// orders is the number of orders of a turn, trades the number of trades per second
	// while the venue streams.
	orders int
	trades int64
	// quiet are the orders without the fan-out, streaming the orders with it.
	quiet, streaming fanoutRounds
	// alone has the deliveries per second without orders, share the share of a
	// processor that they take, beside the deliveries per second with orders.
	alone, share, beside []float64
}

// fanoutRounds are the latencies of orders, one value per round.
type fanoutRounds struct{ p50, p999 []float64 }

func (r *fanoutRounds) add(l *laps) {
	r.p50 = append(r.p50, quantile(l.took, 500))
	r.p999 = append(r.p999, quantile(l.took, 999))
}

// open starts the venue, the service and the subscribers.
func (f *fanout) open(ctx context.Context) (err error) {
	b := f.bench
	if err := b.openVenue(ctx, 1+b.accounts); err != nil {
		return err
	}
	if b.memory, err = b.startService(ctx, memoryDir, b.venue.Accounts); err != nil {
		return err
	}
	if f.audience, err = startPart(ctx, b.binary, &struct{}{}, "audience", ""); err != nil {
		return err
	}
	b.closers = append(b.closers, f.audience.close)
	err = f.audience.ask(audienceRequest{
		URL: b.memory.demo.File.WSURL, Key: b.memory.demo.File.ReadKey, Channels: []string{"trades:binance:" + tradedSymbol}, Subscribers: f.subscribers,
	}, &struct{}{})
	if err != nil {
		return err
	}
	return f.await(ctx)
}

// await waits until the service has trades of the venue to deliver.
func (f *fanout) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, demoReadyMax)
	defer cancel()
	f.trades = fanoutTrades
	for {
		if err := f.stream(ctx, true); err != nil {
			return fmt.Errorf("no trades are delivered: %w", err)
		}
		if delivered, err := f.delivered(); err != nil || delivered > 0 {
			return err
		}
	}
}

// findRate determines how many trades per second take the service's share of a
// processor.
func (f *fanout) findRate(ctx context.Context) error {
	for range fanoutGuesses {
		_, share, err := f.look(ctx)
		if err != nil {
			return err
		}
		f.trades = min(max(1, int64(float64(f.trades)*fanoutShare/share)), fanoutTradesMax)
	}
	return nil
}

// stream begins or ends the fan-out.
func (f *fanout) stream(ctx context.Context, on bool) error {
	q := venueRequest{}
	if on {
		q.TradesPerSecond = f.trades
	}
	if err := f.bench.venuePart.ask(q, &struct{}{}); err != nil {
		return err
	}
	return waitUntil(ctx, time.Now().Add(fanoutSettle))
}

func (f *fanout) delivered() (float64, error) {
	var said audienceAnswer
	err := f.audience.ask(audienceRequest{}, &said)
	return said.Deliveries, err
}

// look streams without orders, and returns the deliveries per second and the share of
// a processor that the service uses.
func (f *fanout) look(ctx context.Context) (perSecond, share float64, err error) {
	if err := f.stream(ctx, true); err != nil {
		return 0, 0, err
	}
	before, err := f.delivered()
	if err != nil {
		return 0, 0, err
	}
	begun := time.Now()
	busy, err := process.CPUTimeDuring(f.bench.memory.process(), func() error { return waitUntil(ctx, begun.Add(fanoutLook)) })
	if err != nil {
		return 0, 0, err
	}
	took := time.Since(begun).Seconds()
	after, err := f.delivered()
	if err == nil && after == before {
		err = errors.New("nothing is delivered")
	}
	return (after - before) / took, busy.Seconds() / took, err
}

// round measures the fan-out alone, then sends orders without and with it in turns.
func (f *fanout) round(ctx context.Context) error {
	begun, perAccount := time.Now(), 2*orderTurns*(f.orders+ordersWarmTurn)/f.bench.accounts
	if err := f.bench.memory.renewKeys(); err != nil {
		return err
	}
	alone, share, err := f.look(ctx)
	if err != nil {
		return err
	}
	var quiet, streaming laps
	var delivered float64
	for range orderTurns {
		if _, err := f.turn(ctx, false, &quiet); err != nil {
			return err
		}
		more, err := f.turn(ctx, true, &streaming)
		if err != nil {
			return err
		}
		delivered += more
	}
	f.quiet.add(&quiet)
	f.streaming.add(&streaming)
	f.alone, f.share = append(f.alone, alone), append(f.share, 100*share)
	f.beside = append(f.beside, delivered/streaming.all.Seconds())
	return waitUntil(ctx, begun.Add(time.Duration(perAccount)*orderEvery))
}

// turn sends orders with or without the fan-out, and returns the deliveries in that
// time.
func (f *fanout) turn(ctx context.Context, streaming bool, to *laps) (delivered float64, err error) {
	if err := f.stream(ctx, streaming); err != nil {
		return 0, err
	}
	order := f.bench.memory.order(1)
	if err := new(laps).run(1, ordersWarmTurn, order); err != nil {
		return 0, err
	}
	before, err := f.delivered()
	if err != nil {
		return 0, err
	}
	if err := to.run(1, f.orders, order); err != nil {
		return 0, err
	}
	after, err := f.delivered()
	return after - before, err
}

func (f *fanout) figures() []Figure {
	return []Figure{
		{Name: fmt.Sprintf("to %d subscribers, while orders are sent", f.subscribers), Ours: spreadOf(f.beside), Limit: spreadOf(f.alone), Unit: "deliveries/s", HigherIsBetter: true, Goal: "150 k, or what half a processor sends; limit: without orders"},
		{Name: "the same alone, processor of the service", Ours: spreadOf(f.share), Unit: "% of a core", Goal: "50: the rate is chosen so"},
		{Name: "order during fan-out, p50", Ours: spreadOf(f.streaming.p50), Limit: spreadOf(f.quiet.p50), Unit: "µs", Goal: "<= 1.10; limit: without it"},
		{Name: "order during fan-out, p99.9", Ours: spreadOf(f.streaming.p999), Limit: spreadOf(f.quiet.p999), Unit: "µs", Goal: "<= 1000 µs; limit: without it"},
	}
}
