package persistence

import (
	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// RiskLimits are what an account may not exceed; unset ones do not limit.
// Amounts are in the settlement currency, of which USDT and USDC count alike.
type RiskLimits struct {
	// DailyLoss locks the account for the rest of the UTC day. Fees in a venue's own
	// token count at the mark price of their moment, or once one is known; until
	// then RiskRecord.Uncounted has them.
	DailyLoss venues.Optional `json:"dailyLoss"`
	// MaxOrderNotional bounds one increasing order.
	MaxOrderNotional venues.Optional `json:"maxOrderNotional"`
	// MaxOpenOrders bounds the orders that are not closed, without those that
	// protect a position. Zero is no limit.
	MaxOpenOrders int `json:"maxOpenOrders,omitempty"`
}

// RiskRecord is what an account remembers of its risk. What was realized since
// the day began is not kept here: it is the sum of the day's fills.
type RiskRecord struct {
	Customer string       `json:"customer"`
	Exchange venues.Venue `json:"exchange"`
	// Day is the 00:00 UTC at which the day of Baseline began.
	Day venues.Time `json:"day"`
	// Baseline is the unrealized P&L at the beginning of the day, or when it was
	// first known on that day.
	Baseline venues.Optional `json:"baseline"`
	// Forgiven is the loss of the day that an administrator's unlock has set
	// aside: the count begins anew there.
	Forgiven decimal.Decimal `json:"forgiven"`
	Lock     *RiskLock       `json:"lock"`
	// HaltDone names the halt that was carried out to its end, by its HaltedAt:
	// what is opened after it by whoever may is left alone.
	HaltDone venues.Time `json:"haltDone,omitzero"`
	// Uncounted are the fees of the day that the daily loss does not hold, because
	// the price of their currency was never known.
	Uncounted []UncountedFees `json:"uncounted,omitempty"`
}

// UncountedFees are those of one currency.
type UncountedFees struct {
	Currency string          `json:"currency"`
	Amount   decimal.Decimal `json:"amount"`
}

// RiskLock keeps increasing orders from being sent.
type RiskLock struct {
	Limit     string          `json:"limit"`
	Threshold decimal.Decimal `json:"threshold"`
	Actual    decimal.Decimal `json:"actual"`
	At        venues.Time     `json:"at"`
	Until     venues.Time     `json:"until"`
}

// PositionRecord is the accounting of one instrument's positions up to a cut in
// its executions: those before the cut are counted in, those after it are read
// from the fills. An instrument has two positions in hedge mode and at most one
// otherwise; it keeps its record when both are closed.
type PositionRecord struct {
	Customer string        `json:"customer"`
	Exchange venues.Venue  `json:"exchange"`
	Symbol   string        `json:"symbol"`
	Long     *PositionLife `json:"long,omitempty"`
	Short    *PositionLife `json:"short,omitempty"`
	// CutAt and CutTrade name the last execution that is counted in.
	CutAt    venues.Time `json:"cutAt"`
	CutTrade string      `json:"cutTrade,omitempty"`
	// KnownSince is when the quantity was taken from the venue's own list:
	// executions before it are part of that quantity.
	KnownSince venues.Time `json:"knownSince"`
}

// PositionLife is one position from its opening until it is flat: what entered
// and what left. Quantities are in base coin.
type PositionLife struct {
	EntryQty      decimal.Decimal `json:"entryQty"`
	EntryNotional decimal.Decimal `json:"entryNotional"`
	ExitQty       decimal.Decimal `json:"exitQty"`
	ExitNotional  decimal.Decimal `json:"exitNotional"`
	// OpenCost is what is still open has cost, at the average price; zero while
	// that is not known.
	OpenCost decimal.Decimal `json:"openCost"`
	// Fee is unknown until an execution has told one, and for good once they are
	// in more than one currency (FeesMixed).
	Fee         venues.Optional `json:"fee"`
	FeeCurrency string          `json:"feeCurrency,omitempty"`
	FeesMixed   bool            `json:"feesMixed,omitempty"`
	// OpenedAt is zero if the position was there before it was known.
	OpenedAt venues.Time `json:"openedAt"`
	// UnpricedEntry and UnpricedExit are what entered or left by executions that were never told.
	UnpricedEntry decimal.Decimal `json:"unpricedEntry"`
	UnpricedExit  decimal.Decimal `json:"unpricedExit"`
	// Reason is why the newest exit took place.
	Reason venues.CloseReason `json:"reason,omitempty"`
	// Comment is the first that an order of the position had: of the one that
	// opened it, else of one that came later.
	Comment string `json:"comment,omitempty"`
}
