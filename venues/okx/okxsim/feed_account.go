package okxsim

import (
	"strings"
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

// accountChanges are what changed in an account since it was last told.
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

// matches says whether a subscription wants an instrument.
func (sub *subscription) matches(symbol string) bool {
	a := &sub.arg
	return (a.InstType == "" || a.InstType == "ANY" || a.InstType == instTypeSwap) &&
		(a.InstID == "" || a.InstID == symbol) && (a.InstFamily == "" || a.InstFamily+"-SWAP" == symbol)
}

func (h *hub) orderChanged(at time.Time, event *simcore.OrderEvent) {
	account, symbol := event.Order.Account, event.Order.Symbol
	var push orderPush
	if h.listens(channelOrders, account) {
		push = pushOf(event)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for sub := range h.topics[channelOrders+"@"+account] {
		if push.OrdID != "" && sub.matches(symbol) {
			h.whisper(sub, pushBody{Data: []orderPush{push}})
		}
	}
	if !h.heard(account) {
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
	body.Trades = []tradeRefBody{{InstID: symbol, TradeID: idWord(event.Fill.TradeID)}}
	h.sendBalPos(account, body)
}

// amendFailed tells that an amendment came to nothing after its acknowledgement. An
// order that was cancelled for it has told so itself.
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
			h.whisper(sub, pushBody{Data: []orderPush{push}})
		}
	}
}

// listens says whether anybody listens to a channel of an account. Under the
// exchange's lock the answer can only be outdated by a subscription that comes
// after the event.
func (h *hub) listens(channel, account string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.topics[channel+"@"+account]) > 0
}

// heard says whether anybody listens to the money of an account. The lock is
// held.
func (h *hub) heard(account string) bool {
	for _, channel := range []string{channelAccount, channelPositions, channelBalPos} {
		if len(h.topics[channel+"@"+account]) > 0 {
			return true
		}
	}
	return false
}

func (h *hub) accountChanged(at time.Time, event *simcore.AccountEvent) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.heard(event.Account) {
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

// configChanged shows a new leverage in the positions that are open.
func (h *hub) configChanged(event *simcore.ConfigEvent) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if event.Symbol == "" || !h.heard(event.Account) {
		return
	}
	changes := h.changesOf(event.Account)
	changes.balance = true
	for _, side := range positionSides {
		changes.positions[positionKey{event.Symbol, side}] = true
	}
}

// warned tells of positions that come near their liquidation.
func (h *hub) warned(at time.Time, event *simcore.MarginCallEvent) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for sub := range h.topics[channelWarning+"@"+event.Account] {
		rows := []warningBody{}
		for i := range event.Positions {
			if p := &event.Positions[i]; sub.matches(p.Symbol) {
				rows = append(rows, h.sim.listings[p.Symbol].warning(p, at))
			}
		}
		h.whisper(sub, pushBody{Data: rows})
	}
}

// algoChanged tells of an algo order; trailing ones have a channel of their own.
func (h *hub) algoChanged(account string, body algoBody) {
	channel := channelAlgos
	if body.OrdType == algoTrailing {
		channel = channelAlgoAdvance
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for sub := range h.topics[channel+"@"+account] {
		if sub.matches(body.InstID) {
			h.whisper(sub, pushBody{Data: []algoBody{body}})
		}
	}
}

// show tells one client of the algo orders that its subscription is about.
func (h *hub) show(cl *client, arg *channelArg, live []algoBody) {
	h.mu.Lock()
	defer h.mu.Unlock()
	sub, subscribed := cl.subs[arg.key()]
	if !subscribed {
		return
	}
	for _, body := range live {
		if sub.matches(body.InstID) {
			h.whisper(sub, pushBody{Data: []algoBody{body}})
		}
	}
}

// flushAccounts tells what changed in accounts since the last time, greets new
// listeners and, when the regular time has come, tells everything.
func (h *hub) flushAccounts(regular bool) {
	for account, changes := range h.takeChanges(regular) {
		v, failed := h.sim.view(account)
		if failed != nil {
			continue
		}
		now := h.sim.Clock.Now()
		held := map[positionKey]positionBody{}
		for i := range v.Holdings {
			for j := range v.Holdings[i].Positions {
				p := &v.Holdings[i].Positions[j]
				body := h.sim.positionOf(account, p)
				body.PTime = millis(now)
				held[positionKey{p.Symbol, p.Side}] = body
			}
		}
		h.tellAccount(v, now, changes, regular)
		h.tellPositions(account, held, changes, regular)
	}
}

func (h *hub) takeChanges(regular bool) map[string]*accountChanges {
	h.mu.Lock()
	defer h.mu.Unlock()
	if regular {
		for cl := range h.clients {
			if cl.account.ID != "" && h.heard(cl.account.ID) {
				h.changesOf(cl.account.ID)
			}
		}
	}
	taken := h.changed
	h.changed = map[string]*accountChanges{}
	return taken
}

// regularly says whether a subscription wants pushes by the clock.
func (sub *subscription) regularly() bool {
	return !strings.Contains(strings.ReplaceAll(sub.arg.ExtraParams, " ", ""), `"updateInterval":"0"`)
}

// snapshotDue says whether a subscription gets everything now. The lock is held.
func (sub *subscription) snapshotDue(regular bool) bool {
	first := !sub.greeted
	sub.greeted = true
	return first || regular && sub.regularly()
}

func (h *hub) tellAccount(v *simcore.AccountView, now time.Time, changes *accountChanges, regular bool) {
	body := balanceOf(v, now)
	for i := range body.Details {
		body.Details[i].CoinUsdPrice = "1"
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for sub := range h.topics[channelAccount+"@"+v.ID] {
		switch {
		case sub.snapshotDue(regular):
			h.whisper(sub, pushBody{EventType: eventSnapshot, CurPage: 1, LastPage: true, Data: []balanceBody{body}})
		case changes.balance:
			h.whisper(sub, pushBody{EventType: eventUpdate, Data: []balanceBody{body}})
		}
	}
	for sub := range h.topics[channelBalPos+"@"+v.ID] {
		if sub.snapshotDue(false) {
			var open []simcore.PositionView
			for i := range v.Holdings {
				for _, p := range v.Holdings[i].Positions {
					if !p.Qty.IsZero() {
						open = append(open, p)
					}
				}
			}
			h.whisper(sub, pushBody{Data: []balPosBody{h.balPos(now, eventSnapshot, v.Balance, open)}})
		}
	}
}

// tellPositions sends a snapshot of what is open where one is due, and what
// changed, closed positions included.
func (h *hub) tellPositions(account string, held map[positionKey]positionBody, changes *accountChanges, regular bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for sub := range h.topics[channelPositions+"@"+account] {
		if sub.snapshotDue(regular) {
			open := h.rows(sub, held, func(_ positionKey, row *positionBody) bool { return row.Pos != "0" })
			h.whisper(sub, pushBody{EventType: eventSnapshot, CurPage: 1, LastPage: true, Data: open})
		}
		changed := h.rows(sub, held, func(key positionKey, _ *positionBody) bool { return changes.positions[key] })
		if len(changed) > 0 {
			h.whisper(sub, pushBody{EventType: eventUpdate, Data: changed})
		}
	}
}

// rows are the positions that a subscription matches and keep accepts, in the
// order of the listing.
func (h *hub) rows(sub *subscription, held map[positionKey]positionBody, keep func(positionKey, *positionBody) bool) []positionBody {
	rows := []positionBody{}
	for _, symbol := range h.sim.symbols {
		for _, side := range positionSides {
			key := positionKey{symbol, side}
			// A position that never was has no time of creation.
			if row, known := held[key]; known && row.CTime != "" && sub.matches(symbol) && keep(key, &row) {
				rows = append(rows, row)
			}
		}
	}
	return rows
}
