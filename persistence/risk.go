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
	// MaxOrderNotional is the largest notional of an order that increases exposure.
	MaxOrderNotional venues.Optional `json:"maxOrderNotional"`
	// MaxOpenOrders is the largest number of open orders, not counting those that
	// protect a position. Zero does not limit.
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
	// Uncounted are the fees of the day that the daily loss does not include, because
	// there was no price for their currency.
	Uncounted []UncountedFees `json:"uncounted,omitempty"`
}

// UncountedFees are the uncounted fees in one currency.
type UncountedFees struct {
	Currency string          `json:"currency"`
	Amount   decimal.Decimal `json:"amount"`
}

// RiskLock is the state of an account that has reached a risk limit. Orders that
// increase exposure are rejected until the time Until.
type RiskLock struct {
	// Limit is the name of the limit, such as daily_loss. Threshold is its value, and
	// Actual the one that has reached it.
	Limit     string          `json:"limit"`
	Threshold decimal.Decimal `json:"threshold"`
	Actual    decimal.Decimal `json:"actual"`
	At        venues.Time     `json:"at"`
	Until     venues.Time     `json:"until"`
}
