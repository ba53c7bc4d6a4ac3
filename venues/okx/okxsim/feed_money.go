package okxsim

import (
	"encoding/json"
	"time"

	"venuegate/venues/simcore"
)

// paces are the intervals of periodic messages that a client may request; the default
// is five seconds.
var paces = map[json.Number]time.Duration{"0": 0, "2000": 2 * time.Second, "3000": 3 * time.Second, "4000": 4 * time.Second}

// flushAccounts publishes the changes of accounts, the snapshots of new subscriptions
// and the periodic messages.
func (h *hub) flushAccounts(base time.Time) {
	due := map[time.Duration]bool{paceRegular: h.due(paceRegular, base)}
	for _, pace := range paces {
		if pace > 0 {
			due[pace] = h.due(pace, base)
		}
	}
	var taken map[string]*accountChanges
	views := map[string]*simcore.AccountView{}
	// The changes and the account are read together, so that nothing is published
	// twice.
	h.sim.Exchange().Between(func(view func(string) (simcore.AccountView, error)) {
		taken = h.takeChanges(due)
		for account := range taken {
			if v, err := view(account); err == nil {
				views[account] = &v
			}
		}
	})
	for account, changes := range taken {
		v, known := views[account]
		if !known {
			continue
		}
		now := h.sim.Clock.Now()
		held := map[positionKey]positionBody{}
		for i := range v.Holdings {
			for j := range v.Holdings[i].Positions {
				p := &v.Holdings[i].Positions[j]
				body := h.sim.positionOf(v, p)
				body.PTime = millis(now)
				held[positionKey{p.Symbol, p.Side}] = body
			}
		}
		h.publishAccount(v, now, changes, due)
		h.publishPositions(account, held, changes, due)
	}
}

// takeChanges removes and returns the accounts with something to publish.
func (h *hub) takeChanges(due map[time.Duration]bool) map[string]*accountChanges {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, isDue := range due {
		if !isDue {
			continue
		}
		for cl := range h.clients {
			if cl.account.ID != "" && h.hasMoneyListeners(cl.account.ID) {
				h.changesOf(cl.account.ID)
			}
		}
		break
	}
	taken := h.changed
	h.changed = map[string]*accountChanges{}
	return taken
}

// pace returns the interval of periodic messages, zero for none. Values that the
// venue does not document mean the default.
func (a *channelArg) pace() time.Duration {
	var extra struct {
		UpdateInterval json.Number `json:"updateInterval"`
	}
	if json.Unmarshal([]byte(a.ExtraParams), &extra) != nil {
		return paceRegular
	}
	pace, known := paces[extra.UpdateInterval]
	if !known || a.Channel == channelAccount && pace > 0 {
		return paceRegular
	}
	return pace
}

// takeFirst reports whether the first snapshot is pending, and marks it as sent. The
// lock is held.
func (sub *subscription) takeFirst() bool {
	first := !sub.snapshotSent
	sub.snapshotSent = true
	return first
}

func (h *hub) publishAccount(v *simcore.AccountView, now time.Time, changes *accountChanges, due map[time.Duration]bool) {
	body := balanceOf(v, now)
	for i := range body.Details {
		body.Details[i].CoinUsdPrice = "1"
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for sub := range h.topics[channelAccount+"@"+v.ID] {
		shown := []balanceBody{body.only(sub.arg.Ccy)}
		first := sub.takeFirst()
		if first {
			sendPages(h, sub, shown)
		}
		if changes.balance {
			h.sendPrivate(sub, pushBody{EventType: eventUpdate, Data: shown})
		}
		if !first && due[sub.pace] {
			sendPages(h, sub, shown)
		}
	}
	for sub := range h.topics[channelBalPos+"@"+v.ID] {
		if sub.takeFirst() {
			h.sendPrivate(sub, pushBody{Data: []balPosBody{h.balPos(now, eventSnapshot, v.Balance, openPositions(v))}})
		}
	}
}

func openPositions(v *simcore.AccountView) []simcore.PositionView {
	var open []simcore.PositionView
	for i := range v.Holdings {
		for _, p := range v.Holdings[i].Positions {
			if !p.Qty.IsZero() {
				open = append(open, p)
			}
		}
	}
	return open
}

// publishPositions sends the first snapshot of open positions, the changes, closed
// positions included, and then the periodic snapshot where it is due.
func (h *hub) publishPositions(account string, held map[positionKey]positionBody, changes *accountChanges, due map[time.Duration]bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for sub := range h.topics[channelPositions+"@"+account] {
		open := h.rows(sub, held, func(_ positionKey, row *positionBody) bool { return row.Pos != "0" })
		first := sub.takeFirst()
		if first {
			sendPages(h, sub, open)
		}
		changed := h.rows(sub, held, func(key positionKey, _ *positionBody) bool { return changes.positions[key] })
		if len(changed) > 0 {
			h.sendPrivate(sub, pushBody{EventType: eventUpdate, Data: changed})
		}
		if !first && due[sub.pace] {
			sendPages(h, sub, open)
		}
	}
}

// sendPages sends the rows of a snapshot in pages, at least one. The lock is held.
func sendPages[Row any](h *hub, sub *subscription, rows []Row) {
	for number := 1; ; number++ {
		size := min(len(rows), h.sim.options.SnapshotRowsMax)
		isLast := size == len(rows)
		h.sendPrivate(sub, pushBody{EventType: eventSnapshot, CurPage: number, LastPage: &isLast, Data: rows[:size]})
		if rows = rows[size:]; isLast {
			return
		}
	}
}

// rows returns the positions that a subscription includes and keep accepts, in the
// order of the listing.
func (h *hub) rows(sub *subscription, held map[positionKey]positionBody, keep func(positionKey, *positionBody) bool) []positionBody {
	rows := []positionBody{}
	for _, symbol := range h.sim.symbols {
		for _, side := range positionSides {
			key := positionKey{symbol, side}
			// A position that was never open has no creation time.
			if row, known := held[key]; known && row.CTime != "" && sub.matches(symbol) && keep(key, &row) {
				rows = append(rows, row)
			}
		}
	}
	return rows
}
