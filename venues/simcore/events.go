package simcore

import (
	"time"

	"github.com/shopspring/decimal"
)

// Event is a change that the exchange publishes. Seq increases by one from event to
// event.
type Event struct {
	Seq  uint64
	Time time.Time
	Body EventBody
}

// EventBody is one of OrderEvent, ConditionalEvent, AccountEvent,
// MarginCallEvent, ConfigEvent, BookEvent, TradeEvent, MarkEvent, CandleEvent
// and StatusEvent.
type EventBody interface{ event() }

// OrderEventKind is the kind of a change of an order.
type OrderEventKind uint8

// Kinds of order events.
const (
	OrderAccepted OrderEventKind = iota
	OrderFilled
	OrderAmended
	OrderCancelled
	OrderExpired
)

func (k OrderEventKind) String() string {
	return [...]string{"accepted", "filled", "amended", "cancelled", "expired"}[k]
}

// OrderEvent reports an order after a change, with the balance and the position at
// that time. Fill is set for OrderFilled only.
type OrderEvent struct {
	Kind     OrderEventKind
	Order    Order
	Fill     *Fill
	Balance  Balance
	Position PositionView
}

// ConditionalEvent reports a conditional order after a change of its status.
type ConditionalEvent struct{ Conditional Conditional }

// AccountReason is the reason why an account changed without an order.
type AccountReason uint8

// Reasons of account events.
const (
	AccountFunding AccountReason = iota
	AccountDeposit
	AccountInsurance
	AccountMarginTransfer
)

// AccountEvent reports a change of the balance or the margin without a fill.
// Positions are those that changed with it, if any.
type AccountEvent struct {
	Account   string
	Reason    AccountReason
	Symbol    string
	Change    decimal.Decimal
	Balance   Balance
	Positions []PositionView
	// ChangeID is the id of the change of the wallet, zero where only margin moved.
	ChangeID int64
	// Funded and FundingRate belong to AccountFunding. The position need not have
	// changed.
	Funded      PositionView
	FundingRate decimal.Decimal
}

// MarginCallEvent reports, once, that the equity of an account in cross margin has
// come near the required margin. Positions are those in cross margin, Equity is what
// backs them, and Required is the equity at which they are liquidated.
type MarginCallEvent struct {
	Account          string
	Balance          Balance
	Equity, Required decimal.Decimal
	Positions        []PositionView
}

// ConfigEvent reports a changed setting. Symbol is empty for the position mode.
type ConfigEvent struct {
	Account  string
	Symbol   string
	Leverage int
	Isolated bool
	Mode     PositionMode
}

// LevelChange is the new quantity at a price; zero removes the level. Prices
// are in ticks, quantities in steps.
type LevelChange struct {
	Side     Side
	Ticks    int64
	Lots     int64
	UpdateID int64
}

// BookEvent reports the changes that one call made to one book. Update ids count the
// changes of all books of the venue, so those of one symbol increase with gaps.
type BookEvent struct {
	Symbol  string
	Changes []LevelChange
	// BestBid and BestAsk are the top of the book after the changes; their
	// quantity is zero where a side is empty.
	BestBid, BestAsk LevelChange
}

// TradeEvent reports a public trade.
type TradeEvent struct {
	Symbol string
	Trade  Trade
}

// MarkEvent reports new mark and index prices.
type MarkEvent struct{ Mark MarkPrice }

// CandleEvent reports a closed candle.
type CandleEvent struct {
	Symbol   string
	Interval Interval
	Candle   Candle
}

// StatusEvent reports that trading of a symbol was paused or resumed.
type StatusEvent struct {
	Symbol string
	Halted bool
}

func (OrderEvent) event()       {}
func (ConditionalEvent) event() {}
func (AccountEvent) event()     {}
func (MarginCallEvent) event()  {}
func (ConfigEvent) event()      {}
func (BookEvent) event()        {}
func (TradeEvent) event()       {}
func (MarkEvent) event()        {}
func (CandleEvent) event()      {}
func (StatusEvent) event()      {}
