package bybitsim

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

// Kinds of the entries in a state file.
const (
	kindExecution = "execution"
	kindClosing   = "closing"
	kindResult    = "result"
	kindSequence  = "sequence"
)

// unsaved is what changed in the records of the users since the last save.
type unsaved struct {
	executions []storedExecution
	closings   []storedClosing
	results    []positionKey
	seqs       []seqKey
}

type storedExecution struct {
	Account   string    `json:"account"`
	Execution execution `json:"execution"`
	At        time.Time `json:"at"`
}

type storedClosing struct {
	Account string  `json:"account"`
	Closing closing `json:"closing"`
}

type storedResult struct {
	Account string               `json:"account"`
	Symbol  string               `json:"symbol"`
	Side    simcore.PositionSide `json:"side"`
	Result  result               `json:"result"`
}

type storedSequence struct {
	Account string `json:"account"`
	Symbol  string `json:"symbol"`
	Seq     int64  `json:"seq"`
}

// touch adds a key that is not in the list yet.
func touch[K comparable](list []K, key K) []K {
	if slices.Contains(list, key) {
		return list
	}
	return append(list, key)
}

// Save implements simcore.StatePart.
func (u *users) Save(all bool, put func(kind string, value any)) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if all {
		u.touchAll()
	}
	for _, e := range u.unsaved.executions {
		put(kindExecution, e)
	}
	for i := range u.unsaved.closings {
		put(kindClosing, u.unsaved.closings[i])
	}
	for _, key := range u.unsaved.results {
		put(kindResult, storedResult{key.account, key.symbol, key.side, *u.results[key]})
	}
	for _, key := range u.unsaved.seqs {
		put(kindSequence, storedSequence{key.account, key.symbol, u.seqs[key]})
	}
	u.unsaved = unsaved{}
}

// touchAll marks everything. The lock is held.
func (u *users) touchAll() {
	u.unsaved = unsaved{}
	for account, list := range u.history {
		for i := range list {
			u.unsaved.executions = append(u.unsaved.executions, storedExecution{account, list[i], list[i].at})
		}
	}
	for account, list := range u.closings {
		for i := range list {
			u.unsaved.closings = append(u.unsaved.closings, storedClosing{account, list[i]})
		}
	}
	for key := range u.results {
		u.unsaved.results = append(u.unsaved.results, key)
	}
	for key := range u.seqs {
		u.unsaved.seqs = append(u.unsaved.seqs, key)
	}
}

// Load implements simcore.StatePart.
func (u *users) Load(kind string, value json.RawMessage) (known bool, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch kind {
	case kindExecution:
		var e storedExecution
		err = json.Unmarshal(value, &e)
		e.Execution.at = e.At
		u.history[e.Account] = appendBounded(u.history[e.Account], e.Execution)
	case kindClosing:
		var c storedClosing
		err = json.Unmarshal(value, &c)
		u.closings[c.Account] = appendBounded(u.closings[c.Account], c.Closing)
	case kindResult:
		var r storedResult
		err = json.Unmarshal(value, &r)
		u.results[positionKey{r.Account, r.Symbol, r.Side}] = &r.Result
	case kindSequence:
		var s storedSequence
		err = json.Unmarshal(value, &s)
		u.seqs[seqKey{s.Account, s.Symbol}] = s.Seq
	default:
		return false, nil
	}
	return true, err
}

// Detail implements simcore.StatePart.
func (u *users) Detail(encoded json.RawMessage) (any, error) {
	var s storedDetail
	if err := json.Unmarshal(encoded, &s); err != nil {
		return nil, err
	}
	return &orderDetail{
		lastPrice: s.LastPrice, slippageCap: s.SlippageCap, closeOnTrigger: s.CloseOnTrigger, stopOrderType: s.StopOrderType,
		createType: s.CreateType, triggerBy: s.TriggerBy, rising: s.Rising, conditional: s.Conditional, parentLinkID: s.ParentLinkID,
		triggerPrice: s.TriggerPrice, stops: stops{s.TakeProfit, s.StopLoss, s.TakeTriggerBy, s.StopTriggerBy},
		tally: tally{s.Fee, s.PnL}, stopsTaken: s.StopsTaken, cancelType: s.CancelType,
	}, nil
}

// storedDetail is an orderDetail in a state file.
type storedDetail struct {
	LastPrice      decimal.Decimal `json:"lastPrice"`
	SlippageCap    decimal.Decimal `json:"slippageCap"`
	CloseOnTrigger bool            `json:"closeOnTrigger,omitempty"`
	StopOrderType  string          `json:"stopOrderType,omitempty"`
	CreateType     string          `json:"createType"`
	TriggerBy      string          `json:"triggerBy,omitempty"`
	Rising         bool            `json:"rising,omitempty"`
	Conditional    bool            `json:"conditional,omitempty"`
	ParentLinkID   string          `json:"parentLinkId,omitempty"`
	TriggerPrice   decimal.Decimal `json:"triggerPrice"`
	TakeProfit     decimal.Decimal `json:"takeProfit"`
	StopLoss       decimal.Decimal `json:"stopLoss"`
	TakeTriggerBy  string          `json:"takeTriggerBy,omitempty"`
	StopTriggerBy  string          `json:"stopTriggerBy,omitempty"`
	Fee            decimal.Decimal `json:"fee"`
	PnL            decimal.Decimal `json:"pnl"`
	StopsTaken     bool            `json:"stopsTaken,omitempty"`
	CancelType     string          `json:"cancelType,omitempty"`
}

// MarshalJSON implements json.Marshaler for the state file.
func (d *orderDetail) MarshalJSON() ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return json.Marshal(storedDetail{
		LastPrice: d.lastPrice, SlippageCap: d.slippageCap, CloseOnTrigger: d.closeOnTrigger, StopOrderType: d.stopOrderType,
		CreateType: d.createType, TriggerBy: d.triggerBy, Rising: d.rising, Conditional: d.conditional, ParentLinkID: d.parentLinkID,
		TriggerPrice: d.triggerPrice, TakeProfit: d.stops.takeProfit, StopLoss: d.stops.stopLoss,
		TakeTriggerBy: d.stops.takeTriggerBy, StopTriggerBy: d.stops.stopTrigger,
		Fee: d.tally.fee, PnL: d.tally.pnl, StopsTaken: d.stopsTaken, CancelType: d.cancelType,
	})
}

// restore finds the stops of positions among the waiting conditional orders.
func (g *positionStops) restore() {
	for _, account := range g.sim.Exchange().Accounts() {
		waiting := g.sim.Exchange().Conditionals(account.ID, func(c *simcore.Conditional) bool {
			return c.Status == simcore.ConditionalWaiting && detailOf(c.Request.Detail).isPositionStop()
		})
		for i := range waiting {
			r := &waiting[i].Request
			key := positionKey{r.Account, r.Symbol, r.PosSide}
			g.mu.Lock()
			g.keep(key, detailOf(r.Detail).stopOrderType, liveStop{waiting[i].ID, r.TriggerPrice})
			g.mu.Unlock()
		}
	}
}
