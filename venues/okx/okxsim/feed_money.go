package okxsim

import (
	"encoding/json"
	"time"

	"venuegate/venues/simcore"
)

// paces are how often the channels of money are told by the clock: at what the
// client asked for, or at about five seconds.
var paces = map[json.Number]time.Duration{"0": 0, "2000": 2 * time.Second, "3000": 3 * time.Second, "4000": 4 * time.Second}

// flushAccounts tells what changed in accounts since the last time, greets new
// listeners and tells everything to those whose time has come.
func (h *hub) flushAccounts(base time.Time) {
	due := map[time.Duration]bool{paceRegular: h.due(paceRegular, base)}
	for _, pace := range paces {
		if pace > 0 {
			due[pace] = h.due(pace, base)
		}
	}
	var taken map[string]*accountChanges
	views := map[string]*simcore.AccountView{}
	// What was changed and what it was changed to are taken together, so that
	// nothing is told twice.
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
		h.tellAccount(v, now, changes, due)
		h.tellPositions(account, held, changes, due)
	}
}

// takeChanges are the accounts that there is something to tell of.
func (h *hub) takeChanges(due map[time.Duration]bool) map[string]*accountChanges {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, isDue := range due {
		if !isDue {
			continue
		}
		for cl := range h.clients {
			if cl.account.ID != "" && h.heard(cl.account.ID) {
				h.changesOf(cl.account.ID)
			}
		}
		break
	}
	taken := h.changed
	h.changed = map[string]*accountChanges{}
	return taken
}

// pace is how often a channel of money is told by the clock; zero for never. What the
// venue does not know as an interval is its own.
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

// greet says whether a subscription has not been told everything yet; it is taken
// to be told now. The lock is held.
func (sub *subscription) greet() bool {
	first := !sub.greeted
	sub.greeted = true
	return first
}

func (h *hub) tellAccount(v *simcore.AccountView, now time.Time, changes *accountChanges, due map[time.Duration]bool) {
	body := balanceOf(v, now)
	for i := range body.Details {
		body.Details[i].CoinUsdPrice = "1"
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for sub := range h.topics[channelAccount+"@"+v.ID] {
		shown := []balanceBody{body.only(sub.arg.Ccy)}
		first := sub.greet()
		if first {
			sendPages(h, sub, shown)
		}
		if changes.balance {
			h.whisper(sub, pushBody{EventType: eventUpdate, Data: shown})
		}
		if !first && due[sub.pace] {
			sendPages(h, sub, shown)
		}
	}
	for sub := range h.topics[channelBalPos+"@"+v.ID] {
		if sub.greet() {
			h.whisper(sub, pushBody{Data: []balPosBody{h.balPos(now, eventSnapshot, v.Balance, openPositions(v))}})
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

// tellPositions greets with what is open, sends what changed, closed positions
// included, and after it what is open where that is due.
func (h *hub) tellPositions(account string, held map[positionKey]positionBody, changes *accountChanges, due map[time.Duration]bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for sub := range h.topics[channelPositions+"@"+account] {
		open := h.rows(sub, held, func(_ positionKey, row *positionBody) bool { return row.Pos != "0" })
		first := sub.greet()
		if first {
			sendPages(h, sub, open)
		}
		changed := h.rows(sub, held, func(key positionKey, _ *positionBody) bool { return changes.positions[key] })
		if len(changed) > 0 {
			h.whisper(sub, pushBody{EventType: eventUpdate, Data: changed})
		}
		if !first && due[sub.pace] {
			sendPages(h, sub, open)
		}
	}
}

// sendPages sends the rows of a snapshot in pages, an empty one in one. The lock is
// held.
func sendPages[Row any](h *hub, sub *subscription, rows []Row) {
	for number := 1; ; number++ {
		size := min(len(rows), h.sim.options.SnapshotRowsMax)
		isLast := size == len(rows)
		h.whisper(sub, pushBody{EventType: eventSnapshot, CurPage: number, LastPage: &isLast, Data: rows[:size]})
		if rows = rows[size:]; isLast {
			return
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
