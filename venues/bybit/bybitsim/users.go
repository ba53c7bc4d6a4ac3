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

	// flushing keeps messages in order while several goroutines settle.
	flushing sync.Mutex

	mu        sync.Mutex
	listeners simnet.Topics[*client]
	pending   []change
	// history are the executions of an account, oldest first.
	history map[string][]execution
	// closings are the fills of an account that closed a position, oldest first.
	closings map[string][]closing
	seqs     map[seqKey]int64
	// results are the realized results of the positions.
	results map[positionKey]*result
	// unsaved is collected only where the state is kept.
	keepsState bool
	unsaved    unsaved
}

type seqKey struct{ account, symbol string }

// change is an event that is to be published to an account.
type change struct {
	account, symbol string
	seq             int64
	at              time.Time
	// noted is the time of the first flush that saw it, the same for all changes of
	// one call.
	noted     time.Time
	order     *orderRecord
	execution *execution
}

func newUsers(s *Sim) *users {
	return &users{
		sim: s, listeners: simnet.Topics[*client]{}, history: map[string][]execution{}, closings: map[string][]closing{},
		seqs: map[seqKey]int64{}, results: map[positionKey]*result{}, keepsState: s.options.StateDir != "",
	}
}

// receive records an event of the exchange. It runs under the exchange's lock.
func (u *users) receive(event simcore.Event) {
	c := change{seq: u.sim.firstSeq + int64(event.Seq), at: event.Time}
	switch body := event.Body.(type) {
	case simcore.OrderEvent:
		o := &body.Order
		if body.Fill != nil {
			detailOf(o.Detail).add(body.Fill, u.recordFill(&body))
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
	u.record(c)
}

func (u *users) record(c change) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.seqs[seqKey{c.account, c.symbol}] = c.seq
	if c.execution != nil {
		u.history[c.account] = appendBounded(u.history[c.account], *c.execution)
	}
	if u.keepsState {
		u.unsaved.seqs = touch(u.unsaved.seqs, seqKey{c.account, c.symbol})
		if c.execution != nil {
			u.unsaved.executions = append(u.unsaved.executions, storedExecution{c.account, *c.execution, c.execution.at})
		}
	}
	if u.listeners.Has(c.account) {
		u.pending = append(u.pending, c)
	}
}

// appendBounded adds an execution to a list and drops the oldest of a long one.
func appendBounded[T any](list []T, item T) []T {
	if len(list) >= 2*executionsMax {
		list = append([]T(nil), list[len(list)-executionsMax:]...)
	}
	return append(list, item)
}

// republish publishes an order that has not changed, with the outcome of a request
// to change it.
func (u *users) republish(o *simcore.Order, cancelType, rejectReason string) {
	record := recordOf(o)
	record.CancelType, record.RejectReason = cancelType, rejectReason
	u.publish(o.Account, &record)
}

// publish publishes an order without an event of the exchange.
func (u *users) publish(account string, record *orderRecord) {
	u.record(change{
		account: account, symbol: record.Symbol, seq: u.lastSeq(account, record.Symbol),
		at: u.sim.Clock.Now(), order: record,
	})
}

// lastSeq returns the cross sequence of the last event of an account and a symbol,
// or -1 where it never traded.
func (u *users) lastSeq(account, symbol string) int64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	if seq, ok := u.seqs[seqKey{account, symbol}]; ok {
		return seq
	}
	return -1
}

// executionsOf returns the executions of an account that keep accepts, newest first.
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

func (u *users) removeClient(cl *client) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.listeners.RemoveAll(cl)
}

// flush publishes what is due, account by account: executions, orders, positions,
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

// due removes and returns the changes whose delay is over, by account. It runs
// between two calls of the exchange, because the changes of one call are published
// together.
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
