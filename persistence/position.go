package persistence

import (
	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// PositionRecord is the accounting of the positions in one instrument up to and
// including one execution, the cut. Later executions are read from the fills. An
// instrument has up to two positions in hedge mode and at most one otherwise. The record
// stays when both are closed.
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
	// OpenedAt is zero if the position was opened before the account was connected.
	OpenedAt venues.Time `json:"openedAt"`
	// UnpricedEntry and UnpricedExit are the quantities of executions that were never
	// reported.
	UnpricedEntry decimal.Decimal `json:"unpricedEntry"`
	UnpricedExit  decimal.Decimal `json:"unpricedExit"`
	// Reason is the close reason of the last exit.
	Reason venues.CloseReason `json:"reason,omitempty"`
	// Comment is the comment of the order that opened the position, or the first one of
	// a later order if that has none.
	Comment string `json:"comment,omitempty"`
}
