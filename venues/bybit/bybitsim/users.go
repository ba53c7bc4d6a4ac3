package bybitsim

import (
	"sort"
	"sync"
	"time"

	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
)

// Topics of the private stream.
const (
	topicOrder     = "order"
	topicExecution = "execution"
	topicFast      = "execution.fast"
	topicPosition  = "position"
	topicWallet    = "wallet"
)

// users are the private streams, and the executions of all accounts.
type users struct {
	sim *Sim

	// flushing keeps messages in their order while several goroutines settle.
	flushing sync.Mutex

	mu        sync.Mutex
	listeners simnet.Listeners[*client]
	pending   []change
	// history are the executions of an account, oldest first.
	history map[string][]execution
	seqs    map[seqKey]int64
	// held are the positions as their last fill left them, and marks the mark
	// prices: funding is told with both.
	held  map[guardKey]simcore.PositionView
	marks map[string]simcore.MarkPrice
	// results are what the positions have brought.
	results map[guardKey]*result
}

type seqKey struct{ account, symbol string }

// change is something that an account is to be told.
type change struct {
	account, symbol string
	seq             int64
	at              time.Time
	// noted is when a flush first saw it; all that one call did has the same.
	noted     time.Time
	order     *orderRecord
	execution *execution
}

func newUsers(s *Sim) *users {
	return &users{
		sim: s, listeners: simnet.Listeners[*client]{}, history: map[string][]execution{}, seqs: map[seqKey]int64{},
		held: map[guardKey]simcore.PositionView{}, marks: map[string]simcore.MarkPrice{}, results: map[guardKey]*result{},
	}
}

// receive notes an event of the exchange. It is called under the exchange's
// lock.
func (u *users) receive(event simcore.Event) {
	c := change{seq: u.sim.firstSeq + int64(event.Seq), at: event.Time}
	switch body := event.Body.(type) {
	case simcore.MarkEvent:
		u.mark(body.Mark)
		return
	case simcore.OrderEvent:
		o := &body.Order
		closedPnl := u.hold(guardKey{o.Account, o.Symbol, o.PosSide}, &body)
		if body.Fill != nil {
			detailOf(o.Detail).add(body.Fill, closedPnl)
			e := executionOf(&body, c.seq)
			c.execution = &e
		}
		record := recordOf(o)
		c.account, c.symbol, c.order = o.Account, o.Symbol, &record
	case simcore.ConditionalEvent:
		q := &body.Conditional
		if q.Status == simcore.ConditionalTriggered || q.Order != nil {
			return
		}
		record := recordOfConditional(q)
		c.account, c.symbol, c.order = q.Request.Account, q.Request.Symbol, &record
	case simcore.AccountEvent:
		c.account, c.symbol = body.Account, body.Symbol
		c.execution = u.funding(&body, &c)
	case simcore.ConfigEvent:
		if body.Symbol == "" {
			return
		}
		c.account, c.symbol = body.Account, body.Symbol
	default:
		return
	}
	u.note(c)
}

func (u *users) note(c change) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.seqs[seqKey{c.account, c.symbol}] = c.seq
	if c.execution != nil {
		list := u.history[c.account]
		if len(list) >= 2*executionsMax {
			list = append([]execution(nil), list[len(list)-executionsMax:]...)
		}
		u.history[c.account] = append(list, *c.execution)
	}
	if len(u.listeners[c.account]) > 0 {
		u.pending = append(u.pending, c)
	}
}

// tellAgain tells an order that has not changed, with what became of a request to
// change it.
func (u *users) tellAgain(o *simcore.Order, cancelType, rejectReason string) {
	record := recordOf(o)
	record.CancelType, record.RejectReason = cancelType, rejectReason
	u.tell(o.Account, &record)
}

// tell tells an order without an event of the exchange.
func (u *users) tell(account string, record *orderRecord) {
	u.note(change{
		account: account, symbol: record.Symbol, seq: u.lastSeq(account, record.Symbol),
		at: u.sim.Clock.Now(), order: record,
	})
}

// lastSeq is the cross sequence of the last event of an account and a symbol;
// -1 where it never traded.
func (u *users) lastSeq(account, symbol string) int64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	if seq, ok := u.seqs[seqKey{account, symbol}]; ok {
		return seq
	}
	return -1
}

// executionsOf are the executions of an account that keep accepts, newest first.
func (u *users) executionsOf(account string, keep func(*execution) bool) []execution {
	u.mu.Lock()
	defer u.mu.Unlock()
	kept := []execution{}
	list := u.history[account]
	for i := len(list) - 1; i >= 0; i-- {
		if keep(&list[i]) {
			kept = append(kept, list[i])
		}
	}
	return kept
}

// listen adds a client of the private stream.
func (u *users) listen(account string, cl *client) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.listeners.Add(account, cl)
}

func (u *users) forget(cl *client) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for account := range u.listeners {
		u.listeners.Remove(account, cl)
	}
}

// flush tells what is due, account by account: executions, orders, positions,
// wallet.
func (u *users) flush() {
	u.flushing.Lock()
	defer u.flushing.Unlock()
	var due []changes
	var accounts []simcore.AccountView
	u.sim.Exchange().Between(func(view func(string) (simcore.AccountView, error)) {
		due = u.due()
		for _, batch := range due {
			account, _ := view(batch[0].account)
			accounts = append(accounts, account)
		}
	})
	for n, batch := range due {
		account := accounts[n]
		if account.ID == "" {
			continue
		}
		var messages []push
		for _, stage := range batch.stages() {
			messages = append(messages, stage.trades()...)
		}
		if symbols := batch.symbols(); len(symbols) > 0 {
			messages = append(messages, u.positionMessage(&account, symbols))
		}
		messages = append(messages, u.walletMessage(&account))
		u.send(account.ID, messages)
	}
}

// due takes the changes whose delay is over, by account. It is called between two
// calls of the exchange, whose changes are told together.
func (u *users) due() []changes {
	now := u.sim.Clock.Base()
	u.mu.Lock()
	defer u.mu.Unlock()
	for n := len(u.pending) - 1; n >= 0 && u.pending[n].noted.IsZero(); n-- {
		u.pending[n].noted = now
	}
	ready := 0
	for ready < len(u.pending) && !u.pending[ready].noted.Add(u.sim.options.PushDelay).After(now) {
		ready++
	}
	byAccount := map[string]changes{}
	for _, c := range u.pending[:ready] {
		byAccount[c.account] = append(byAccount[c.account], c)
	}
	u.pending = append([]change(nil), u.pending[ready:]...)
	batches := make([]changes, 0, len(byAccount))
	for _, batch := range byAccount {
		batches = append(batches, batch)
	}
	sort.Slice(batches, func(i, j int) bool { return batches[i][0].seq < batches[j][0].seq })
	return batches
}

// send delivers messages to the listeners of an account.
func (u *users) send(account string, messages []push) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for cl := range u.listeners[account] {
		for _, m := range messages {
			for _, name := range []string{m.topic, m.topic + ".linear"} {
				if !cl.topics[name] {
					continue
				}
				cl.session.Send(name, simnet.Encode(pushBody{Topic: name, ID: m.id, CreationTime: millis(m.at), Data: m.data}))
			}
		}
	}
}
