package bybitsim

import (
	"sort"
	"strconv"
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
}

type seqKey struct{ account, symbol string }

// change is something that an account is to be told.
type change struct {
	account, symbol string
	seq             int64
	at, noted       time.Time
	order           *orderRecord
	execution       *execution
}

func newUsers(s *Sim) *users {
	return &users{
		sim: s, listeners: simnet.Listeners[*client]{}, history: map[string][]execution{}, seqs: map[seqKey]int64{},
		held: map[guardKey]simcore.PositionView{}, marks: map[string]simcore.MarkPrice{},
	}
}

// receive notes an event of the exchange. It is called under the exchange's
// lock.
func (u *users) receive(event simcore.Event) {
	c := change{seq: u.sim.firstSeq + int64(event.Seq), at: event.Time, noted: u.sim.Clock.Base()}
	switch body := event.Body.(type) {
	case simcore.MarkEvent:
		u.mark(body.Mark)
		return
	case simcore.OrderEvent:
		o := &body.Order
		u.hold(guardKey{o.Account, o.Symbol, o.PosSide}, body.Position)
		if body.Fill != nil {
			detailOf(o.Detail).add(body.Fill)
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

// cancelledTooLate tells of a filled order again.
func (u *users) cancelledTooLate(o *simcore.Order) {
	record := recordOf(o)
	record.CancelType, record.RejectReason = "CancelByUser", "EC_OrigClOrdIDDoesNotExist"
	u.note(change{
		account: o.Account, symbol: o.Symbol, seq: u.lastSeq(o.Account, o.Symbol),
		at: u.sim.Clock.Now(), noted: u.sim.Clock.Base(), order: &record,
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
	for _, batch := range u.due() {
		account, err := u.sim.Exchange().Account(batch[0].account)
		if err != nil {
			continue
		}
		messages := batch.trades()
		if symbols := batch.symbols(); len(symbols) > 0 {
			messages = append(messages, u.positionMessage(&account, symbols))
		}
		messages = append(messages, u.walletMessage(&account))
		u.send(account.ID, messages)
	}
}

// changes are what one account is to be told together.
type changes []change

// due takes the changes whose delay is over, by account.
func (u *users) due() []changes {
	now := u.sim.Clock.Base()
	u.mu.Lock()
	defer u.mu.Unlock()
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

// push is a message of the private stream before its topic is known: clients
// hear it under the name that they subscribed to.
type push struct {
	topic string
	id    string
	at    time.Time
	data  any
}

type pushBody struct {
	Topic        string `json:"topic"`
	ID           string `json:"id,omitempty"`
	CreationTime int64  `json:"creationTime"`
	Data         any    `json:"data"`
}

// trades are the messages about executions and orders: one of each for a symbol.
// An order that changed several times is told once, as it is at last.
func (batch changes) trades() []push {
	var messages []push
	for _, symbol := range batch.symbols() {
		var fills, fast []any
		orders, places := []orderRecord{}, map[string]int{}
		var last change
		for _, c := range batch {
			if c.symbol != symbol {
				continue
			}
			last = c
			if c.execution != nil {
				fills = append(fills, c.execution.forStream())
				fast = append(fast, c.execution.fast())
			}
			if c.order == nil {
				continue
			}
			r := *c.order
			r.Category = "linear"
			if at, seen := places[r.OrderID]; seen {
				orders[at] = r
				continue
			}
			places[r.OrderID] = len(orders)
			orders = append(orders, r)
		}
		id := userID(last.account) + "_" + symbol + "_" + strconv.FormatInt(last.seq, 10)
		if len(fills) > 0 {
			messages = append(messages, push{topicFast, "", last.at, fast}, push{topicExecution, id, last.at, fills})
		}
		if len(orders) > 0 {
			messages = append(messages, push{topicOrder, id, last.at, orders})
		}
	}
	return messages
}

// symbols are those of a batch, in the order of their first change.
func (batch changes) symbols() []string {
	var symbols []string
	seen := map[string]bool{"": true}
	for _, c := range batch {
		if !seen[c.symbol] {
			seen[c.symbol] = true
			symbols = append(symbols, c.symbol)
		}
	}
	return symbols
}

func (e execution) forStream() execution {
	e.Category = "linear"
	return e
}

type fastExecution struct {
	Category    string `json:"category"`
	Symbol      string `json:"symbol"`
	ExecID      string `json:"execId"`
	ExecPrice   string `json:"execPrice"`
	ExecQty     string `json:"execQty"`
	OrderID     string `json:"orderId"`
	IsMaker     bool   `json:"isMaker"`
	OrderLinkID string `json:"orderLinkId"`
	Side        string `json:"side"`
	ExecTime    string `json:"execTime"`
	Seq         int64  `json:"seq"`
}

func (e execution) fast() fastExecution {
	linkID := e.OrderLinkID
	if e.IsMaker {
		linkID = ""
	}
	return fastExecution{
		Category: "linear", Symbol: e.Symbol, ExecID: e.ExecID, ExecPrice: e.ExecPrice, ExecQty: e.ExecQty,
		OrderID: e.OrderID, IsMaker: e.IsMaker, OrderLinkID: linkID, Side: e.Side, ExecTime: e.ExecTime, Seq: e.Seq,
	}
}

func (u *users) positionMessage(account *simcore.AccountView, symbols []string) push {
	records := []positionRecord{}
	for _, symbol := range symbols {
		for _, p := range u.sim.positions(account, u.sim.listings[symbol]) {
			records = append(records, u.sim.positionOf(account.ID, &p).forStream())
		}
	}
	now := u.sim.Clock.Now()
	return push{topicPosition, userID(account.ID) + "_position_" + millisText(now), now, records}
}

func (u *users) walletMessage(account *simcore.AccountView) push {
	now := u.sim.Clock.Now()
	return push{topicWallet, userID(account.ID) + "_wallet_" + millisText(now), now, []walletRecord{walletOf(account)}}
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
