package okxsim

import (
	"encoding/json"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

// storedEarnings are the earnings of a position in a state file.
type storedEarnings struct {
	Account    string               `json:"account"`
	Symbol     string               `json:"symbol"`
	Side       simcore.PositionSide `json:"side"`
	Qty        decimal.Decimal      `json:"qty"`
	PnL        decimal.Decimal      `json:"pnl"`
	Fee        decimal.Decimal      `json:"fee"`
	Funding    decimal.Decimal      `json:"funding"`
	Penalty    decimal.Decimal      `json:"penalty"`
	TradeID    int64                `json:"tradeId"`
	Opened     decimal.Decimal      `json:"opened"`
	Closed     decimal.Decimal      `json:"closed"`
	OpenValue  decimal.Decimal      `json:"openValue"`
	CloseValue decimal.Decimal      `json:"closeValue"`
	MaxQty     decimal.Decimal      `json:"maxQty"`
	Short      bool                 `json:"short,omitempty"`
	Isolated   bool                 `json:"isolated,omitempty"`
	Leverage   int                  `json:"leverage"`
	OpenedAt   time.Time            `json:"openedAt"`
	UpdatedAt  time.Time            `json:"updatedAt"`
	CloseType  string               `json:"closeType,omitempty"`
	Trigger    decimal.Decimal      `json:"trigger"`
}

func storeEarnings(key holdingKey, e *earnings) storedEarnings {
	return storedEarnings{
		key.account, key.symbol, key.side, e.qty, e.pnl, e.fee, e.funding, e.penalty, e.tradeID, e.opened, e.closed,
		e.openValue, e.closeValue, e.maxQty, e.short, e.isolated, e.leverage, e.openedAt, e.updatedAt, e.closeType, e.trigger,
	}
}

func (s *storedEarnings) restored() (holdingKey, earnings) {
	return holdingKey{s.Account, s.Symbol, s.Side}, earnings{
		s.Qty, s.PnL, s.Fee, s.Funding, s.Penalty, s.TradeID, s.Opened, s.Closed, s.OpenValue, s.CloseValue,
		s.MaxQty, s.Short, s.Isolated, s.Leverage, s.OpenedAt, s.UpdatedAt, s.CloseType, s.Trigger,
	}
}

func (h *holdings) save(all bool, put func(kind string, value any)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for key, e := range h.byKey {
		if all || h.unsaved[key] {
			put(kindHolding, storeEarnings(key, e))
		}
	}
	ended := h.unsavedEnded
	if all {
		ended = nil
		for _, list := range h.ended {
			ended = append(ended, list...)
		}
	}
	for i := range ended {
		put(kindEnded, storeEarnings(ended[i].holdingKey, &ended[i].earnings))
	}
	clear(h.unsaved)
	h.unsavedEnded = nil
}

func (h *holdings) load(kind string, value json.RawMessage) error {
	var stored storedEarnings
	if err := json.Unmarshal(value, &stored); err != nil {
		return err
	}
	key, e := stored.restored()
	h.mu.Lock()
	defer h.mu.Unlock()
	if kind == kindEnded {
		h.end(endedPosition{key, e})
	} else {
		h.byKey[key] = &e
	}
	return nil
}
