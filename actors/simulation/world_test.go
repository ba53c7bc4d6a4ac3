package simulation_test

import (
	"context"
	"fmt"
	"hash"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"

	"venuegate/actors"
	"venuegate/actors/actortest"
	"venuegate/actors/delivery"
	"venuegate/actors/root"
	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

var customers = []string{"c1", "c2"}

const clientIDPrefix = "simu"

// world is the state of one seed.
type world struct {
	t         testing.TB
	seed      uint64
	swarm     *swarm
	plan      *plan
	scheduler *actortest.Scheduler
	venues    map[venues.Venue]*venue
	memory    *storetest.Memory
	process   *process // nil while nothing runs
	// downs are the times without a process.
	downs     []span
	downSince time.Time
	processes int
	born      time.Time
	coverage  *coverage
	screens   map[string]*screen

	mu       sync.Mutex
	counts   map[string]int
	orders   map[string]seen
	byClient map[string]string
	// incomplete are the orders with known missing fills.
	incomplete map[string]bool
	// locks are the durable risk locks by customer and venue.
	locks map[string]*persistence.RiskLock
	// placing is the planned time of each order, by client id.
	placing  map[string]int
	arrivals map[string]time.Time
	sentAt   map[string]time.Time
	// alarmed are the orders that an alert reported as unprotected.
	alarmed map[string]bool
	// tries are the attempts that the receivers recorded, by customer and event.
	tries     map[string][]try
	deadlines map[string]time.Time
	// testMode is the time since which the live channel is certainly in test mode.
	testMode   time.Time
	digest     hash.Hash64
	lines      []string
	violations []violation
}

type violation struct {
	invariant string
	text      string
}

// process is one run of the service.
type process struct {
	number int
	system *actors.System
	tree   *root.Tree
	dead   chan struct{}
}

func (p *process) isDead() bool {
	select {
	case <-p.dead:
		return true
	default:
		return false
	}
}

// occasion returns the name of an occasion that belongs to this process, so that the
// goroutines that a process leaves behind change nothing for the next one.
func (p *process) occasion(name string) string { return fmt.Sprintf("%d/%s", p.number, name) }

func newWorld(t testing.TB, seed uint64, c *coverage) *world {
	rng := rand.New(rand.NewPCG(seed, 7))
	w := &world{
		t: t, seed: seed, swarm: drawSwarm(seed, rng), scheduler: actortest.NewScheduler(seed),
		venues: map[venues.Venue]*venue{}, memory: storetest.NewMemory(storetest.Async(time.Duration(200+rng.IntN(4000)) * time.Microsecond)),
		born: time.Now(), coverage: c, screens: map[string]*screen{},
		counts: map[string]int{}, orders: map[string]seen{}, byClient: map[string]string{},
		incomplete: map[string]bool{}, locks: map[string]*persistence.RiskLock{}, placing: map[string]int{}, arrivals: map[string]time.Time{}, sentAt: map[string]time.Time{}, tries: map[string][]try{}, alarmed: map[string]bool{}, deadlines: map[string]time.Time{},
		digest: fnv.New64a(),
	}
	w.plan = drawPlan(w.swarm, rng)
	for _, exchange := range w.plan.venues {
		skew := time.Duration(0)
		if w.swarm.on(faultClockSkew) {
			skew = between(rng, -900*time.Millisecond, 900*time.Millisecond)
			w.struck(faultClockSkew, "")
		}
		w.venues[exchange] = openVenue(w, exchange, skew)
	}
	w.enroll()
	return w
}

// enroll stores the customers and their accounts.
func (w *world) enroll() {
	var puts []persistence.Record
	for _, customer := range customers {
		puts = append(puts, persistence.Customer{ID: customer, Name: customer, CreatedAt: venues.At(w.born)})
	}
	w.commit(persistence.Batch{Puts: puts})
	for _, customer := range customers {
		var fence persistence.Fence
		var err error
		w.scheduler.Do(func() { fence, err = w.memory.TakeOwnership(context.Background(), customer) })
		if err != nil {
			w.t.Fatal(err)
		}
		var accounts []persistence.Record
		for _, exchange := range w.plan.venues {
			accounts = append(accounts, persistence.VenueAccount{
				Customer: customer, Exchange: exchange, Environment: "sim", Sealed: []byte(customer), CreatedAt: venues.At(w.born),
				Limits: persistence.RiskLimits{DailyLoss: w.plan.dailyLoss},
			})
		}
		if in := w.plan.inbound; in != nil && customer == in.live.Customer {
			accounts = append(accounts, in.live, in.dryRun)
		}
		if w.plan.outbound != nil {
			accounts = append(accounts, endpointOf(customer))
		}
		w.commit(persistence.Batch{Fence: fence, Puts: accounts})
	}
}

func (w *world) commit(b persistence.Batch) {
	var err error
	w.scheduler.Do(func() { err = w.memory.Commit(context.Background(), b) })
	if err != nil {
		w.t.Fatal(err)
	}
}

type span struct{ from, to time.Time }

// down returns how long the service was down within a period.
func (w *world) down(of span) time.Duration {
	var sum time.Duration
	for _, d := range w.downs {
		from, to := d.from, d.to
		if from.Before(of.from) {
			from = of.from
		}
		if to.After(of.to) {
			to = of.to
		}
		sum += max(0, to.Sub(from))
	}
	return sum
}

// start starts a process with the current content of the store.
func (w *world) start() {
	w.processes++
	if !w.downSince.IsZero() {
		w.downs = append(w.downs, span{w.downSince, time.Now()})
	}
	p := &process{number: w.processes, dead: make(chan struct{})}
	w.trace("process %d starts", p.number)
	seed := w.seed + uint64(p.number)<<32
	// The stop of an earlier process takes its steps in an order of its own.
	w.scheduler.Reseed(seed)
	p.system = actors.New(zap.NewNop(),
		actors.WithDispatcher(w.scheduler), actors.WithSeed(seed),
		actors.WithObserver(actors.Observer{Unhandled: func(path string, msg any) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.violated("kit", "%s does not know %T", path, msg)
		}}))
	connectors, markets := map[venues.Venue]venues.Connector{}, map[venues.Venue]root.Market{}
	for exchange, v := range w.venues {
		connectors[exchange], markets[exchange] = connector{venue: v, process: p}, market{venue: v}
	}
	var err error
	w.scheduler.Do(func() {
		p.tree, err = root.Start(context.Background(), root.Deps{
			System: p.system, Store: disk{w.memory, w, p}, Connectors: connectors, Markets: markets,
			Senders:  map[persistence.EndpointKind]delivery.Sender{persistence.EndpointWebhook: receiver{w, p}},
			Schedule: delivery.ScheduleDefault(),
			Encoder:  encoder{}, ClientIDPrefix: clientIDPrefix, NewID: w.newIDs(p.number),
			Unseal: func(a persistence.VenueAccount) (venues.Credentials, error) {
				return venues.Credentials{APIKey: venues.Secret(a.Sealed)}, nil
			},
		})
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.process = p
	w.watchStreams(p)
}

// newIDs returns a source of ids that the seed determines.
func (w *world) newIDs(process int) func(string, time.Time) string {
	var mu sync.Mutex
	var seed [32]byte
	copy(seed[:], fmt.Sprintf("%d/%d", w.seed, process))
	source := rand.NewChaCha8(seed)
	return func(prefix string, at time.Time) string {
		mu.Lock()
		defer mu.Unlock()
		return persistence.NewID(prefix, at, source)
	}
}

// kill ends the process immediately; of the pending batches, survive become durable.
func (w *world) kill(survive int) {
	if w.process == nil {
		return
	}
	w.struck(faultKill, "")
	w.crash(survive)
}

// cutPower ends the process and loses all but the oldest pending batches.
func (w *world) cutPower(survive int) {
	w.struck(faultPowerFailure, "")
	w.crash(survive)
	w.start()
}

func (w *world) crash(survive int) {
	p := w.process
	w.trace("process %d is killed, %d of %d batches survive", p.number, survive, w.memory.Pending())
	close(p.dead)
	w.process, w.downSince = nil, time.Now()
	w.memory = w.memory.Crash(survive)
	// Its remaining goroutines can reach neither store nor venue.
	w.stopSystem(p, time.Hour)
}

// stop stops the process cleanly.
func (w *world) stop() {
	p := w.process
	if p == nil {
		return
	}
	w.struck(faultStop, "")
	w.trace("process %d stops", p.number)
	w.process, w.downSince = nil, time.Now()
	began := time.Now()
	w.stopSystem(p, stopWithin)
	if took := time.Since(began); took > stopWithin {
		w.violate("I-24", "the clean stop took %s", took)
	}
	w.mu.Lock()
	close(p.dead)
	w.mu.Unlock()
	w.memory = w.memory.Reopen()
}

// stopWithin bounds a clean stop, which waits for running venue calls; their own
// deadlines bound them.
const stopWithin = 30 * time.Second

func (w *world) stopSystem(p *process, within time.Duration) {
	var err error
	w.scheduler.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), within)
		defer cancel()
		err = p.system.Stop(ctx)
	})
	if err != nil {
		w.violate("I-24", "the actors did not stop: %v", err)
	}
}

// after calls a function of the venues after a delay.
func (w *world) after(occasion string, low, high time.Duration, do func()) {
	rng := w.swarm.random(occasion, w.count(occasion))
	time.AfterFunc(between(rng, low, high), do)
}

// count returns the number of the current occurrence of an occasion.
func (w *world) count(occasion string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts[occasion]++
	return w.counts[occasion]
}

func (w *world) sent(p *port, r *venues.OrderRequest) {
	reduces := r.ReduceOnly || r.ClosePosition || p.reduces(r)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.placing[r.ClientOrderID]++
	w.sentAt[r.ClientOrderID] = time.Now()
	w.deadlines[r.ClientOrderID] = r.Deadline
	if n := w.placing[r.ClientOrderID]; n > 1 {
		w.violated("I-1", "%s was sent %d times", r.ClientOrderID, n)
	}
	lock := w.locks[p.customer+"/"+string(p.exchange)]
	if lock != nil && !reduces && !w.lowers(r) && time.Now().Before(lock.Until.Time) && !p.process.isDead() {
		w.violated("I-14", "%s adds to a position of an account that was locked at %s", r.ClientOrderID, lock.At.Sub(w.born))
	}
	if o := w.orders[w.byClient[r.ClientOrderID]].record; w.isDryRun(&o) {
		w.violated("I-15", "%s (%s %s replaces %q), made at %s, is sent in test mode since %s", r.ClientOrderID, o.Scope, o.RequestID, o.Replaces, o.CreatedAt.Sub(w.born), w.testMode.Sub(w.born))
	}
	if _, durable := w.byClient[r.ClientOrderID]; !durable && !p.process.isDead() {
		w.violated("I-2", "%s is sent and its intent is not durable", r.ClientOrderID)
	}
}

// lowers reports whether an order replaces one that differs only by a larger remaining
// quantity: a locked account may reduce its risk.
func (w *world) lowers(r *venues.OrderRequest) bool {
	was, replaces := w.orders[w.orders[w.byClient[r.ClientOrderID]].record.Replaces]
	return replaces && was.record.Status == venues.StatusReplaced && r.Side == was.record.Side &&
		r.Qty.LessThanOrEqual(was.record.Qty.Sub(was.record.FilledQty)) &&
		venues.EqualOptional(r.Price, was.record.Price) && venues.EqualOptional(r.TriggerPrice, was.record.TriggerPrice)
}

func (w *world) arrived(p *port, clientID string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.arrivals[clientID] = p.core.Clock().Now()
}

func (w *world) struck(f fault, clientID string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.coverage.struck(f, w.lastKnown(clientID))
}

// linesMax bounds the printed trace; its digest covers everything.
const linesMax = 4000

// trace adds a line to the run's trace.
func (w *world) trace(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.note(format, args...)
}

func (w *world) note(format string, args ...any) {
	line := strconv.FormatFloat(time.Since(w.born).Seconds(), 'f', 6, 64) + " " + fmt.Sprintf(format, args...)
	_, _ = io.WriteString(w.digest, line+"\n")
	if len(w.lines) < linesMax {
		w.lines = append(w.lines, line)
	}
}

func (w *world) violate(invariant, format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.violated(invariant, format, args...)
}

func (w *world) violated(invariant, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	w.note("VIOLATION %s: %s", invariant, text)
	w.violations = append(w.violations, violation{invariant, text})
}

func (w *world) traceText() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.lines, "\n")
}
