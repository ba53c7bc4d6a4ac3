package persistence

import (
	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// RiskLimits are the risk limits of an account; unset ones do not limit. Amounts are
// in the settlement currency; USDT and USDC count as equal.
type RiskLimits struct {
	// DailyLoss is the loss that locks the account for the rest of the UTC day. Fees
	// in a venue's own token count at the mark price at their time, or as soon as one
	// is known; until then they are in RiskRecord.Uncounted.
	DailyLoss venues.Optional `json:"dailyLoss"`
	// MaxOrderNotional bounds the notional of an order that increases exposure.
	MaxOrderNotional venues.Optional `json:"maxOrderNotional"`
	// MaxOpenOrders bounds the number of open orders, not counting those that protect
	// a position. Zero does not limit.
	MaxOpenOrders int `json:"maxOpenOrders,omitempty"`
}

// RiskRecord is the risk state of an account. The realized P&L of the day is not
// part of it: it is the sum over the fills of the day.
type RiskRecord struct {
	Customer string       `json:"customer"`
	Exchange venues.Venue `json:"exchange"`
	// Day is 00:00 UTC of the day of Baseline.
	Day venues.Time `json:"day"`
	// Baseline is the unrealized P&L at the start of the day, or the first known one
	// of the day.
	Baseline venues.Optional `json:"baseline"`
	// Forgiven is the loss of the day at the time of an administrator's unlock. The
	// daily loss counts from it.
	Forgiven decimal.Decimal `json:"forgiven"`
	Lock     *RiskLock       `json:"lock"`
	// HaltDone is the HaltedAt of the last halt that was completed. Positions opened
	// after it are not closed.
	HaltDone venues.Time `json:"haltDone,omitzero"`
	// Uncounted are the fees of the day that are missing in the daily loss, because
	// there was no price for their currency.
	Uncounted []UncountedFees `json:"uncounted,omitempty"`
}

// UncountedFees are the uncounted fees in one currency.
type UncountedFees struct {
	Currency string          `json:"currency"`
	Amount   decimal.Decimal `json:"amount"`
}

// RiskLock rejects orders that increase exposure.
type RiskLock struct {
	Limit     string          `json:"limit"`
	Threshold decimal.Decimal `json:"threshold"`
	Actual    decimal.Decimal `json:"actual"`
	At        venues.Time     `json:"at"`
	Until     venues.Time     `json:"until"`
}

// PositionRecord is the accounting of the positions in one instrument up to an
// execution, the cut. Executions up to the cut are included; later ones are read
// from the fills. An instrument has two positions in hedge mode and at most one
// otherwise. The record stays when both are closed.
type PositionRecord struct {
	Customer string          `json:"customer"`
	Exchange venues.Venue    `json:"exchange"`
	Symbol   string          `json:"symbol"`
	Long     *PositionTotals `json:"long,omitempty"`
	Short    *PositionTotals `json:"short,omitempty"`
	// CutAt and CutTrade identify the last execution that is included.
	CutAt    venues.Time `json:"cutAt"`
	CutTrade string      `json:"cutTrade,omitempty"`
	// KnownSince is the time when the quantity was taken from the venue's list of
	// positions, which includes earlier executions.
	KnownSince venues.Time `json:"knownSince"`
}

// PositionTotals are the entries and exits of one position from its opening until
// it is flat. Quantities are in base coin.
type PositionTotals struct {
	EntryQty      decimal.Decimal `json:"entryQty"`
	EntryNotional decimal.Decimal `json:"entryNotional"`
	ExitQty       decimal.Decimal `json:"exitQty"`
	ExitNotional  decimal.Decimal `json:"exitNotional"`
	// OpenCost is the cost of the open quantity at its average price; zero while that
	// is unknown.
	OpenCost decimal.Decimal `json:"openCost"`
	// Fee is unknown until an execution reports one, and permanently unknown once
	// fees are in more than one currency (FeesMixed).
	Fee         venues.Optional `json:"fee"`
	FeeCurrency string          `json:"feeCurrency,omitempty"`
	FeesMixed   bool            `json:"feesMixed,omitempty"`
	// OpenedAt is zero if the position is older than the account is connected.
	OpenedAt venues.Time `json:"openedAt"`
	// UnpricedEntry and UnpricedExit are the quantities of executions that were never
	// reported.
	UnpricedEntry decimal.Decimal `json:"unpricedEntry"`
	UnpricedExit  decimal.Decimal `json:"unpricedExit"`
	// Reason is the close reason of the last exit.
	Reason venues.CloseReason `json:"reason,omitempty"`
	// Comment is that of the order that opened the position, or else the first one of
	// a later order.
	Comment string `json:"comment,omitempty"`
}
