package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/valyala/fasthttp"

	"venuegate/transport/signing"
)

const (
	// soakWarm is the time before the first round. Closed orders stay in memory for ten
	// minutes, so that memory grows until then.
	soakWarm = 12 * time.Minute
	// soakRound is the time of one round: five make ten minutes.
	soakRound      = 2 * time.Minute
	soakRoundQuick = time.Second
	// soakSubscribers is the number of sockets that read soakTrades trades per second
	// each.
	soakSubscribers = 200
	soakTrades      = 20
	// soakOrderEvery and soakSignalEvery are the intervals of orders, over all accounts,
	// and of signals of one channel.
	soakOrderEvery  = 50 * time.Millisecond
	soakSignalEvery = 2 * time.Second
	// soakSampleEvery is the interval of the readings of memory and other resources.
	soakSampleEvery = time.Second
)

var soakScenario = Scenario{
	Name: "soak",
	Does: "resources of the service over ten minutes of streams, orders and signals, after twelve to warm up: the last round against the first one",
	Run:  measureSoak, OnlyNamed: true,
}

// soakGauges are the metrics that are read, with the divisor of their unit.
var soakGauges = []struct {
	metric, name, unit string
	divisor            float64
}{
	{"process_resident_memory_bytes", "resident memory", "MiB", 1 << 20},
	{"go_memstats_heap_inuse_bytes", "heap in use", "MiB", 1 << 20},
	{"go_memstats_stack_inuse_bytes", "stacks", "MiB", 1 << 20},
	{"go_goroutines", "goroutines", "goroutines", 1},
	{"process_open_fds", "open files", "files", 1},
}

// soak is a service under a constant load.
type soak struct {
	bench    *ordersBench
	service  *orderService
	audience *partner
	key      *signing.Key
	headers  signing.Headers
	signals  int
	// samples has the readings of each round, by gauge. Those of the warm-up are the
	// first.
	samples [][][]float64
	// perSecond are the deliveries per second, rejected the orders and signals that were
	// not accepted, one value per round.
	perSecond, rejected []float64
	// why is the first reason of a rejection.
	why    error
	orders laps
}

func measureSoak(ctx context.Context, o Options) (figures []Figure, err error) {
	b := newOrdersBench(o, "venue")
	defer func() { err = errors.Join(err, b.close()) }()
	s := &soak{bench: b, headers: signing.NewHeaders("")}
	subscribers, warm, span := soakSubscribers, soakWarm, soakRound
	if o.Quick {
		subscribers, warm, span = fanoutQuick, soakRoundQuick, soakRoundQuick
	}
	if err := s.open(ctx, subscribers); err != nil {
		return nil, err
	}
	if err := s.round(ctx, warm); err != nil {
		return nil, err
	}
	for range o.Rounds {
		if err := s.round(ctx, span); err != nil {
			return nil, err
		}
	}
	return s.figures(), nil
}

// open starts the venue, the service with a store on the disk and the subscribers.
func (s *soak) open(ctx context.Context, subscribers int) (err error) {
	b := s.bench
	if err := b.openVenue(ctx, 1+b.accounts); err != nil {
		return err
	}
	if s.service, err = b.startService(ctx, "", b.venue.Accounts); err != nil {
		return err
	}
	s.key = signing.NewKey(s.service.demo.File.Hook.Secret)
	if s.audience, err = startPart(ctx, b.binary, &struct{}{}, "audience", ""); err != nil {
		return err
	}
	b.closers = append(b.closers, s.audience.close)
	file := s.service.demo.File
	err = s.audience.ask(audienceRequest{
		URL: file.WSURL, Key: file.ReadKey, Channels: []string{"trades:binance:" + tradedSymbol}, Subscribers: subscribers,
	}, &struct{}{})
	if err != nil {
		return err
	}
	return b.venuePart.ask(venueRequest{TradesPerSecond: soakTrades}, &struct{}{})
}

// round loads the service for a time and reads its resources meanwhile.
func (s *soak) round(ctx context.Context, span time.Duration) error {
	var before, after audienceAnswer
	if err := s.audience.ask(audienceRequest{}, &before); err != nil {
		return err
	}
	begun := time.Now()
	loading, end := context.WithDeadline(ctx, begun.Add(span))
	defer end()
	loaded := make(chan int, 1)
	go func() { loaded <- s.load(loading) }()
	samples := make([][]float64, len(soakGauges))
	var err error
	for loading.Err() == nil && err == nil {
		err = s.sample(samples)
		_ = waitUntil(loading, time.Now().Add(soakSampleEvery))
	}
	end()
	rejected := <-loaded
	if err := errors.Join(err, ctx.Err(), s.audience.ask(audienceRequest{}, &after)); err != nil {
		return err
	}
	s.samples = append(s.samples, samples)
	s.rejected = append(s.rejected, float64(rejected))
	s.perSecond = append(s.perSecond, (after.Deliveries-before.Deliveries)/time.Since(begun).Seconds())
	return nil
}

// load sends orders and signals until ctx ends and returns how many were not accepted.
func (s *soak) load(ctx context.Context) (rejected int) {
	nextSignal := time.Now()
	send := s.service.order(1)
	count := func(err error) {
		if err != nil {
			rejected++
			s.why = cmp.Or(s.why, err)
		}
	}
	for next := time.Now(); waitUntil(ctx, next) == nil; next = next.Add(soakOrderEvery) {
		count(s.orders.run(1, 1, send))
		if time.Now().After(nextSignal) {
			nextSignal = nextSignal.Add(soakSignalEvery)
			count(s.signal())
		}
	}
	return rejected
}

// signal opens a position of the demo's account, or closes it, in turns.
func (s *soak) signal() error {
	s.signals++
	body := fmt.Appendf(nil, `{"action":"order","exchange":"binance","symbol":%q,"side":"buy","qty":"0.01","requestId":"s%d"}`, tradedSymbol, s.signals)
	if s.signals%2 == 0 {
		body = fmt.Appendf(nil, `{"action":"close","exchange":"binance","symbol":%q,"requestId":"s%d"}`, tradedSymbol, s.signals)
	}
	signature, timestamp := s.key.Sign(time.Now().Unix(), body)
	request, answer := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(request)
	defer fasthttp.ReleaseResponse(answer)
	request.SetRequestURI(s.service.demo.File.Hook.URL)
	request.Header.SetMethod(http.MethodPost)
	request.Header.SetContentType("application/json")
	request.Header.Set(s.headers.Signature, signature)
	request.Header.Set(s.headers.Timestamp, timestamp)
	request.SetBody(body)
	if err := s.bench.http.DoTimeout(request, answer, hookAnswerMax); err != nil {
		return err
	}
	if answer.StatusCode() != http.StatusAccepted {
		return fmt.Errorf("response to a signal: status %d, %s", answer.StatusCode(), answer.Body())
	}
	return nil
}

// sample reads every gauge once.
func (s *soak) sample(samples [][]float64) error {
	file := s.service.demo.File
	metrics, err := s.bench.call(fasthttp.MethodGet, file.AdminURL+"/metrics", "Authorization", "Bearer "+file.AdminToken, nil)
	if err != nil {
		return err
	}
	for i, gauge := range soakGauges {
		value, err := metricOf(metrics, gauge.metric)
		if err != nil {
			return err
		}
		samples[i] = append(samples[i], value/gauge.divisor)
	}
	return nil
}

// figures compares the last round with the first one after the warm-up.
func (s *soak) figures() []Figure {
	first, last := s.samples[1], s.samples[len(s.samples)-1]
	figures := make([]Figure, 0, len(soakGauges)+3)
	for i, gauge := range soakGauges {
		figures = append(figures, Figure{
			Name: gauge.name + ", last round", Ours: spreadOf(last[i]), Limit: spreadOf(first[i]), Unit: gauge.unit, Goal: "<= 1.10; limit: the first round",
		})
	}
	goal := "0"
	if s.why != nil {
		goal += "; first: " + s.why.Error()
	}
	return append(figures,
		Figure{Name: "delivered", Ours: spreadOf(s.perSecond[1:]), Unit: "deliveries/s"},
		Figure{Name: "order, p50 of a durable one", Ours: spreadOf([]float64{median(s.orders.took)}), Unit: "µs"},
		Figure{Name: "orders and signals not accepted, a round", Ours: spreadOf(s.rejected), Unit: "requests", Goal: goal},
	)
}
