package bybitsim

import (
	"slices"
	"strconv"
	"time"

	"venuegate/venues/simcore"
)

// changes are the changes that are published to an account together.
type changes []change

// push is a message of the private stream without its topic: each client receives
// it under the name that it subscribed to.
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

// stages splits a batch after its triggers: that an order was triggered is published
// before its next state.
func (batch changes) stages() []changes {
	var stages []changes
	begin := 0
	for n := 1; n < len(batch); n++ {
		if batch[n-1].triggers() && !batch[n].triggers() {
			stages, begin = append(stages, batch[begin:n]), n
		}
	}
	return append(stages, batch[begin:])
}

func (c *change) triggers() bool { return c.order != nil && c.order.OrderStatus == statusTriggered }

// trades returns the messages about executions and orders: one of each for a symbol.
// An order that changed several times is published once, in its last state.
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
			if !slices.ContainsFunc(orders, orderRecord.matched) {
				id = uuidOf(last.seq)
			}
			messages = append(messages, push{topicOrder, id, last.at, orders})
		}
	}
	return messages
}

// symbols returns the symbols of a batch, in the order of their first change.
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
	return push{topicWallet, userID(account.ID) + "_wallet_" + millisText(now), now, []walletRecord{walletOf(account, u.realised(account.ID))}}
}
