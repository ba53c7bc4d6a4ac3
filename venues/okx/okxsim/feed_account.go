package okxsim

import (
	"slices"
	"time"

	"venuegate/venues/simcore"
)

// Channels of accounts.
const (
	channelOrders      = "orders"
	channelPositions   = "positions"
	channelAccount     = "account"
	channelBalPos      = "balance_and_position"
	channelWarning     = "liquidation-warning"
	channelAlgos       = "orders-algo"
	channelAlgoAdvance = "algo-advance"
	eventUpdate        = "event_update"
	eventSnapshot      = "snapshot"
)

// positionKey is one position of an account.
type positionKey struct {
	symbol string
	side   simcore.PositionSide
}

var positionSides = []simcore.PositionSide{simcore.PositionBoth, simcore.PositionLong, simcore.PositionShort}

// accountChanges are the changes of an account since they were last published.
type accountChanges struct {
	balance   bool
	positions map[positionKey]bool
}

func (h *hub) changesOf(account string) *accountChanges {
	c := h.changed[account]
	if c == nil {
		c = &accountChanges{positions: map[positionKey]bool{}}
		h.changed[account] = c
	}
	return c
}

// matches reports whether a subscription includes an instrument. Its name overrides
// its family.
func (sub *subscription) matches(symbol string) bool {
	a := &sub.arg
	switch {
	case a.InstType != "" && a.InstType != "ANY" && a.InstType != instTypeSwap:
		return false
	case a.InstID != "":
		return a.InstID == symbol
	default:
		return a.InstFamily == "" || a.InstFamily+"-SWAP" == symbol
	}
}

func (h *hub) orderChanged(at time.Time, event *simcore.OrderEvent) {
	account, symbol := event.Order.Account, event.Order.Symbol
	var push orderPush
	if h.hasListeners(channelOrders, account) {
		push = pushOf(event)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for sub := range h.topics[channelOrders+"@"+account] {
		if push.OrdID != "" && sub.matches(symbol) {
			h.sendPrivate(sub, pushBody{Data: []orderPush{push}})
		}
	}
	if !h.hasMoneyListeners(account) {
		return
	}
	changes := h.changesOf(account)
	changes.balance = true
	if event.Fill == nil {
		return
	}
	changes.positions[positionKey{symbol, event.Order.PosSide}] = true
	reason := "filled"
	if event.Order.Liquidation {
		reason = "liquidation"
	}
	body := h.balPos(at, reason, event.Balance, []simcore.PositionView{event.Position})
	body.Trades = []tradeRefBody{{InstID: symbol, TradeID: idText(event.Fill.TradeID)}}
	h.sendBalPos(account, body)
}

// amendFailed publishes that an amendment failed after its acknowledgement, unless
// the order was cancelled for it, which its own push reports.
func (h *hub) amendFailed(request simcore.AmendRequest, reqID string, failed *apiError) {
	o, err := h.sim.Exchange().Order(request.Account, request.Symbol, request.Order)
	if err != nil || detailOf(&o).wasCancelledFor(reqID) {
		return
	}
	mark, _ := h.sim.Exchange().Mark(o.Symbol)
	push := pushOf(&simcore.OrderEvent{Order: o, Position: simcore.PositionView{MarkPrice: mark.Mark}})
	push.AmendSource, push.ReqID, push.AmendResult = "1", reqID, "-1"
	push.Code, push.Msg = failed.code, failed.message
	h.mu.Lock()
	defer h.mu.Unlock()
	for sub := range h.topics[channelOrders+"@"+request.Account] {
		if sub.matches(o.Symbol) {
			h.sendPrivate(sub, pushBody{Data: []orderPush{push}})
		}
	}
}

// hasListeners reports whether a channel of an account has listeners. Under the
// exchange's lock only a subscription after the event can change the result.
func (h *hub) hasListeners(channel, account string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.topics.Has(channel + "@" + account)
}

// hasMoneyListeners reports whether the account, positions or balance channels of an
// account have listeners. The lock is held.
func (h *hub) hasMoneyListeners(account string) bool {
	return slices.ContainsFunc([]string{channelAccount, channelPositions, channelBalPos}, func(channel string) bool {
		return h.topics.Has(channel + "@" + account)
	})
}

func (h *hub) accountChanged(at time.Time, event *simcore.AccountEvent) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.hasMoneyListeners(event.Account) {
		return
	}
	changes := h.changesOf(event.Account)
	changes.balance = true
	for i := range event.Positions {
		changes.positions[positionKey{event.Positions[i].Symbol, event.Positions[i].Side}] = true
	}
	reason := [...]string{"funding_fee", "transferred", "claw_back", "adjust_margin"}[event.Reason]
	h.sendBalPos(event.Account, h.balPos(at, reason, event.Balance, event.Positions))
}

// configChanged publishes the positions and the balance after a new leverage.
func (h *hub) configChanged(event *simcore.ConfigEvent) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if event.Symbol == "" || !h.hasMoneyListeners(event.Account) {
		return
	}
	changes := h.changesOf(event.Account)
	changes.balance = true
	for _, side := range positionSides {
		changes.positions[positionKey{event.Symbol, side}] = true
	}
}

// marginCalled publishes positions that come near their liquidation.
func (h *hub) marginCalled(at time.Time, event *simcore.MarginCallEvent) {
	h.mu.Lock()
	defer h.mu.Unlock()
	ratio := ratioOf(event.Equity, event.Required)
	for sub := range h.topics[channelWarning+"@"+event.Account] {
		rows := []warningBody{}
		for i := range event.Positions {
			if p := &event.Positions[i]; sub.matches(p.Symbol) {
				rows = append(rows, h.sim.listings[p.Symbol].warning(p, ratio, at))
			}
		}
		h.sendPrivate(sub, pushBody{Data: rows})
	}
}

// algoChanged publishes an algo order; trailing ones have their own channel.
func (h *hub) algoChanged(account string, body algoBody) {
	channel := channelAlgos
	if body.OrdType == algoTrailing {
		channel = channelAlgoAdvance
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for sub := range h.topics[channel+"@"+account] {
		if sub.matches(body.InstID) {
			h.sendPrivate(sub, pushBody{Data: []algoBody{body}})
		}
	}
}

// sendAlgos sends the algo orders of a subscription to its client.
func (h *hub) sendAlgos(cl *client, arg *channelArg, live []algoBody) {
	h.mu.Lock()
	defer h.mu.Unlock()
	sub, subscribed := cl.subs[arg.key()]
	if !subscribed {
		return
	}
	for _, body := range live {
		if sub.matches(body.InstID) {
			h.sendPrivate(sub, pushBody{Data: []algoBody{body}})
		}
	}
}
