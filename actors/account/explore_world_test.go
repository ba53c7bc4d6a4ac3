package account

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"venuegate/actors"
	"venuegate/actors/journal"
	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/venues"
)

// world is one state: the account in its process, its store and its venue, and the clients.
type world struct {
	x       *explorer
	process *process
	durable image
	memory  *storetest.Memory
	venue   *exploredVenue
	clients []*client
	left    budget
	ids     map[string]int

	violation string
}

// budget bounds what may go wrong in one run.
type budget struct {
	// crashes are ends of the process, failures commits that fail, losses requests, answers and
	// events that are lost, and reads that fail.
	crashes, failures, losses int
}

// scope is what one exploration covers.
type scope struct {
	name string
	// requests are the requests that place an order; clients what clients do with them.
	requests []request
	clients  []clientOp
	budget   budget
	// ends lets the venue cancel open orders, lags lets its queries and lists lack an order for
	// Capabilities.AbsenceAfter.
	ends, lags bool
}

type request struct {
	tif  venues.TimeInForce
	lots int
}

// process is one run of the service with the account.
type process struct {
	world  *world
	isDead bool
	ref    actors.Ref
	client Client
	events Observer
	disk   *disk
	queue  *journal.CommitQueue
	// isFailing is set while a commit fails.
	isFailing bool
	// account is the current incarnation, context its access to the kit.
	account *account
	context *actors.Context
	// submitted are the records that the account has submitted, oldest first.
	submitted []persistence.Record
}

var exploredConfig = Config{
	Customer: "c1", Exchange: venues.Binance, ClientIDPrefix: "test",
	Capabilities: venues.Capabilities{UnfilledRetention: 72 * time.Hour, AbsenceAfter: 10 * time.Second},
}

// newWorld returns the state in which the account has started and nothing was done yet. It
// begins at a full hour, so that no day ends during the run, but not at midnight: in all
// worlds the day has begun long ago.
func newWorld(x *explorer) *world {
	begin := time.Now().UTC().Truncate(time.Hour).Add(time.Hour)
	if begin.Hour() == 0 {
		begin = begin.Add(time.Hour)
	}
	x.kit.Scheduler().Reseed(1)
	x.kit.Advance(time.Until(begin))
	w := &world{x: x, memory: storetest.NewMemory(), left: x.scope.budget, ids: map[string]int{}}
	w.venue = &exploredVenue{world: w, placedAt: map[string]time.Time{}, sent: map[string]int{}}
	for i, op := range x.scope.clients {
		w.clients = append(w.clients, &client{op: op, index: i})
	}
	w.start()
	for w.violation == "" && !w.isSettled() {
		w.do(fairAction(w.actions()))
	}
	return w
}

func (w *world) fail(format string, args ...any) {
	if w.violation == "" {
		w.violation = fmt.Sprintf(format, args...)
	}
}

// start starts a process with what is durable.
func (w *world) start() {
	p := &process{world: w, disk: &disk{Memory: w.memory}}
	p.disk.process = p
	w.process = p
	log := journal.NewClient(p.disk)
	fence, err := log.Own(w.x.kit.T.Context(), exploredConfig.Customer)
	if err != nil {
		w.x.kit.T.Fatal(err)
	}
	p.queue = log.CommitQueue(exploredConfig.Customer, "account")
	deps := Deps{
		Config: exploredConfig, Fence: fence, Venue: w.venue, Store: p.disk, Market: exploredMarket{}, Updates: p,
		Journal: submitter{p.queue, p}, NewID: w.newID,
		Private: func(events Observer) actors.Child {
			p.events = events
			return actors.Child{Name: "private", Producer: func() actors.Behaviour { return connection{events} }}
		},
	}
	w.x.setPools(reflect.ValueOf(&deps).Elem())
	spec := Child(deps)
	w.x.processes++
	spec.Name = fmt.Sprintf("account/%d", w.x.processes)
	spec.Restart = actors.Transient // so that a corpse can end
	produce := spec.Producer
	spec.Producer = func() actors.Behaviour {
		if p.isDead {
			return corpse{}
		}
		return watched{produce().(*account), p}
	}
	p.ref = w.x.kit.Start(spec)
	p.client = NewClient(p.ref, exploredConfig, clientReads{p.disk, p}, exploredMarket{})
}

// newID returns ids that are the same in every run.
func (w *world) newID(prefix string, _ time.Time) string {
	w.ids[prefix]++
	return fmt.Sprintf("%s_%026d", prefix, w.ids[prefix])
}

// kill ends the process.
func (w *world) kill() {
	w.process.isDead = true
	w.venue.disconnect()
	w.process.ref.Tell(die{})
	w.x.kit.Settle()
	for _, c := range w.clients {
		c.giveUp()
	}
}

// crash ends the process and starts the next one. The oldest batches, as many as survive, are
// durable.
func (w *world) crash(survive int) {
	w.left.crashes--
	w.process.disk.settle(survive)
	w.kill()
	w.start()
}

// mayPass reports whether time may pass. Commits take no time, changes of an order at most
// venueCallMax, events at most streamLagMax; reads take none except that one query of an
// unknown outcome may be late. While everything is settled the time makes no difference.
func (w *world) mayPass() bool {
	now := time.Now()
	if len(w.process.disk.pending) > 0 || w.isSettled() {
		return false
	}
	if e := w.venue.events; len(e) > 0 && now.Sub(e[0].VenueTime) >= streamLagMax {
		return false
	}
	for _, c := range w.venue.calls {
		switch {
		case c.isChange() && now.Before(c.sentAt.Add(venueCallMax)):
		case c.kind == callsQuery && !now.After(c.sentAt):
		default:
			return false
		}
	}
	return true
}

// pass advances the time until something happens. A tick that is too early changes nothing.
func (w *world) pass(took time.Duration) {
	if took > 0 {
		w.x.kit.Advance(took)
		return
	}
	begun := time.Now()
	before := w.x.canon.hash(w, begun)
	for w.x.canon.hash(w, begun) == before {
		now := time.Now()
		w.x.kit.Scheduler().AdvanceUntil(time.Hour, func() bool { return time.Now().After(now) })
		if time.Since(begun) >= time.Hour {
			w.fail(isStuck)
			return
		}
	}
}

// isSettled reports whether nothing is under way, and the account, the store and the venue
// agree.
func (w *world) isSettled() bool {
	s := w.process.account.state
	if !s.ready || len(w.process.disk.pending)+len(w.venue.calls)+len(w.venue.orphans)+len(w.venue.events) > 0 {
		return false
	}
	for _, c := range w.clients {
		if c.phase == phaseSent {
			return false
		}
	}
	for _, r := range recordsOf[persistence.OrderRecord](w.durable) {
		if o := s.orders[r.OrderID]; o != nil && (o.changed() || o.Status != r.Status || len(o.waiters) > 0) {
			return false
		}
		if r.PendingAction != venues.PendingNone || w.disagrees(&r) != "" {
			return false
		}
	}
	return true
}

// watched is the account of a process.
type watched struct {
	*account
	process *process
}

func (b watched) Started(ctx *actors.Context) {
	b.process.account, b.process.context, b.process.submitted = b.account, ctx, nil
	b.account.Started(ctx)
}

func (b watched) Receive(ctx *actors.Context, msg any) {
	if _, is := msg.(die); is {
		ctx.Fail(fmt.Errorf("killed"))
	}
	b.account.Receive(ctx, msg)
}

// die ends the account of a process that is killed; a corpse takes its place.
type (
	die    struct{ actors.Internal }
	corpse struct{}
)

func (corpse) Started(ctx *actors.Context)  { ctx.Stop() }
func (corpse) Receive(*actors.Context, any) {}

// connection is a private connection that is connected when it starts.
type connection struct{ events Observer }

func (c connection) Started(*actors.Context)    { c.events.Connected() }
func (connection) Receive(*actors.Context, any) {}

// submitter notes what the account submits.
type submitter struct {
	persistence.Submitter
	process *process
}

func (s submitter) Submit(b persistence.Batch, done func(error)) {
	s.process.submitted = append(s.process.submitted, b.Puts...)
	s.Submitter.Submit(b, done)
}

// exploredMarket is a market with one instrument.
type exploredMarket struct{}

func (exploredMarket) Instrument(string) (*venues.Instrument, bool) { return instrument(), true }
func (exploredMarket) Mark(string) venues.Optional                  { return venues.Some(venues.MustDecimal("60000")) }
func (m exploredMarket) LiveMark(symbol string) venues.Optional     { return m.Mark(symbol) }
func (m exploredMarket) LiveLast(symbol string) venues.Optional     { return m.Mark(symbol) }

// Reconciled and the next three implement Updates.
func (p *process) Reconciled(venues.Venue, []venues.Order, []venues.Position, []venues.Balance) {}
func (p *process) PositionChanged(venues.Position)                                              {}
func (p *process) BalancesChanged(venues.Venue, []venues.Balance)                               {}
func (p *process) OrderChanged(o venues.Order)                                                  { p.world.checkPublished(p, &o) }

// clientReads are what clients read. Of several calls with one request id, the later ones wait
// after their read.
type clientReads struct {
	*disk
	process *process
}

func (r clientReads) Idempotency(ctx context.Context, customer, scope, requestID string) (persistence.IdempotencyRecord, error) {
	prior, err := r.disk.Idempotency(ctx, customer, scope, requestID)
	if w := r.process.world; w.isRepeated(requestID) {
		if waitErr := w.venue.park(ctx, &call{kind: callsClient, args: prior, isProcessed: true}); waitErr != nil {
			return prior, waitErr
		}
	}
	return prior, err
}
