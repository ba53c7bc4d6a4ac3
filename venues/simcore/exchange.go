package simcore

import (
	"fmt"
	"sort"
	"sync"
	"time"

	"github.com/shopspring/decimal"
)

// symbol is one market of the exchange.
type symbol struct {
	*terms
	book   book
	halted bool

	mark, index decimal.Decimal
	lastTicks   int64
	trades      []Trade
	tradeID     int64
	candles     candleStore
	nextFunding time.Time
	fundings    []FundingPayment
	maker       *houseMaker

	conditionals []*Conditional
	// triggersDue and marginsDue are set when a price has changed since the last check.
	triggersDue, marginsDue bool
	changes                 []LevelChange
	lastUpdate              int64
}

// Exchange is one simulated venue without its protocol. It is safe for concurrent
// use.
type Exchange struct {
	mu      sync.Mutex
	options Options
	clock   *Clock
	ledger  *VenueLedger

	symbols  map[string]*symbol
	names    []string
	accounts map[string]*account
	ids      []string
	byKey    map[string]*account

	subscribers []func(Event)
	seq         uint64
	updateID    int64
	orderID     int64
	algoID      int64
	changeID    int64
	accountSeq  int
	queueSeq    int64

	lastStep time.Time
	// dirtyPositions are the positions that changed since the last settle.
	dirtyPositions []dirtyPosition
	due            []*Conditional
	// writes is the count that Writes returns.
	writes int
	// state is nil where the state is not kept.
	state *stateKeeper
}

type dirtyPosition struct {
	account *account
	holding *holding
	side    PositionSide
}

// Bases of the identifiers. They contain the start time, so that a restarted
// simulator does not use an id again. Order ids are below 2^53. Wide ones, see
// [Instrument.ShortOrderIDs], are shifted and end in bits that a float cannot hold.
const (
	orderIDShift    = 12
	wideIDShift     = 9
	wideIDEnd       = 0b1_0101_0101
	conditionalBase = 2_000_000_000_000_000
	tradeIDSpan     = 1_000
)

// New returns an exchange whose books are filled.
func New(options Options) (*Exchange, error) {
	options, err := options.withDefaults()
	if err != nil {
		return nil, err
	}
	now := options.Clock.Now()
	seconds := now.Unix() % 1_000_000_000
	x := &Exchange{
		options: options, clock: options.Clock,
		ledger:  &VenueLedger{ledger: options.Ledger, venue: options.Name, format: options.FormatID},
		symbols: map[string]*symbol{}, accounts: map[string]*account{}, byKey: map[string]*account{},
		orderID:  now.UnixMilli() << orderIDShift,
		algoID:   conditionalBase + seconds*1_000_000,
		changeID: seconds * 1_000_000,
		updateID: now.UnixMilli(),
		lastStep: options.Clock.Base(),
	}
	for _, listed := range options.Instruments {
		if err := x.list(listed, now); err != nil {
			return nil, fmt.Errorf("simcore: %w", err)
		}
	}
	sort.Strings(x.names)
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, name := range x.names {
		x.openMarket(x.symbols[name])
	}
	x.settle()
	return x, nil
}

func (x *Exchange) list(listed Instrument, now time.Time) error {
	t, err := newTerms(listed)
	if err != nil {
		return err
	}
	if _, exists := x.symbols[t.Symbol]; exists {
		return fmt.Errorf("instrument %s is listed twice", t.Symbol)
	}
	s := &symbol{terms: t, book: newBook(), halted: t.Halted}
	s.tradeID = now.Unix() % 1_000_000_000 * tradeIDSpan
	s.nextFunding = now.Truncate(x.options.FundingInterval).Add(x.options.FundingInterval)
	x.symbols[t.Symbol] = s
	x.names = append(x.names, t.Symbol)
	return nil
}

// lockToWrite locks the exchange for a client's request to change something and
// counts the request, whether it succeeds or not.
func (x *Exchange) lockToWrite() {
	x.mu.Lock()
	x.writes++
}

// Writes returns how many requests of clients to change something were made over any
// protocol: orders, cancels, amendments and settings, including rejected ones.
func (x *Exchange) Writes() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.writes
}

// Subscribe adds a function that is called with every later event. It is called with
// the exchange's lock held, so it must be quick and must not call the exchange.
func (x *Exchange) Subscribe(receive func(Event)) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.subscribers = append(x.subscribers, receive)
}

// Between calls do while no other call is running. Of each call either all events are
// published or none, and accounts are as these events left them. Like a subscriber, do
// must be quick and must not call the exchange, except by view, which is like Account.
func (x *Exchange) Between(do func(view func(account string) (AccountView, error))) {
	x.mu.Lock()
	defer x.mu.Unlock()
	do(x.view)
}

// Clock returns the venue's clock.
func (x *Exchange) Clock() *Clock { return x.clock }

// Ledger returns the record of all orders of this exchange.
func (x *Exchange) Ledger() *VenueLedger { return x.ledger }

// Tick advances the exchange to the current time: the market moves, orders expire,
// delayed triggers fire, candles close, funding is paid.
func (x *Exchange) Tick() {
	x.mu.Lock()
	defer x.unlock()
	now := x.clock.Now()
	x.runFlow(x.clock.Base())
	for _, name := range x.names {
		s := x.symbols[name]
		x.rollCandles(s, now)
		x.payFunding(s, now)
	}
	x.expireDeadlines(now)
	x.settle()
	x.touchMarketsIfDue(x.clock.Base())
}

func (x *Exchange) emit(body EventBody) {
	x.seq++
	if len(x.subscribers) == 0 {
		return
	}
	event := Event{Seq: x.seq, Time: x.clock.Now(), Body: body}
	for _, receive := range x.subscribers {
		receive(event)
	}
}

// settle applies the consequences of a call until there are none left: reduce-only
// orders without a position expire, conditional orders trigger, accounts are
// liquidated. Then it publishes the changes of the books.
func (x *Exchange) settle() {
	for range settleRoundsMax {
		again := x.trimReducing()
		again = x.checkTriggers() || again
		again = x.fireDue() || again
		again = x.checkMargins() || again
		if !again {
			break
		}
	}
	for _, name := range x.names {
		x.flushBook(x.symbols[name])
	}
}

// settleRoundsMax bounds a chain of triggers that cause further triggers. The next
// call continues where settle stops.
const settleRoundsMax = 1000

func (x *Exchange) flushBook(s *symbol) {
	if len(s.changes) == 0 {
		return
	}
	changes := s.changes
	s.changes = nil
	x.emit(BookEvent{
		Symbol: s.Symbol, Changes: changes, BestBid: s.book.bids.top(), BestAsk: s.book.asks.top(),
	})
}

// noteLevel records the current quantity of a level as a change of the book and
// removes an empty level.
func (x *Exchange) noteLevel(s *symbol, side Side, ticks int64) {
	var lots int64
	half := s.book.of(side)
	if l := half.find(ticks); l != nil {
		if lots = l.lots; lots == 0 {
			half.drop(ticks)
		}
	}
	x.updateID++
	s.lastUpdate = x.updateID
	s.changes = append(s.changes, LevelChange{Side: side, Ticks: ticks, Lots: lots, UpdateID: x.updateID})
}

func (x *Exchange) symbol(name string) (*symbol, *Rejection) {
	if s, ok := x.symbols[name]; ok {
		return s, nil
	}
	return nil, reject(ReasonUnknownSymbol)
}

func (x *Exchange) account(id string) (*account, *Rejection) {
	if a, ok := x.accounts[id]; ok {
		return a, nil
	}
	return nil, reject(ReasonUnknownAccount)
}
