package simcore

import (
	"time"

	"github.com/shopspring/decimal"
)

// Event is one thing that happened. Seq rises by one from event to event.
type Event struct {
	Seq  uint64
	Time time.Time
	Body EventBody
}

// EventBody is one of OrderEvent, ConditionalEvent, AccountEvent,
// MarginCallEvent, ConfigEvent, BookEvent, TradeEvent, MarkEvent, CandleEvent
// and StatusEvent.
type EventBody interface{ event() }

// OrderEventKind says what happened to an order.
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

// OrderEvent reports an account's order after the change, with the money and
// the position as they are then. Fill is set for OrderFilled alone.
type OrderEvent struct {
	Kind     OrderEventKind
	Order    Order
	Fill     *Fill
	Balance  Balance
	Position PositionView
}

// ConditionalEvent reports a conditional order after a change of its status.
type ConditionalEvent struct{ Conditional Conditional }

// AccountReason says why an account changed without an order.
type AccountReason uint8

// Reasons of account events.
const (
	AccountFunding AccountReason = iota
	AccountDeposit
	AccountInsurance
	AccountMarginTransfer
)

// AccountEvent reports money that changed for another reason than a fill.
// Positions are those concerned; none for a change of the balance alone.
type AccountEvent struct {
	Account   string
	Reason    AccountReason
	Symbol    string
	Change    decimal.Decimal
	Balance   Balance
	Positions []PositionView
}

// MarginCallEvent warns an account once, when its cross margin comes near the
// maintenance margin. Positions are those in cross margin, which Equity backs and
// which need Needed.
type MarginCallEvent struct {
	Account        string
	Balance        Balance
	Equity, Needed decimal.Decimal
	Positions      []PositionView
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

// BookEvent reports the changes that one call made to one book. Update ids
// count changes of all books of the venue together: they rise within a symbol,
// with holes.
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

// CandleEvent reports a candle that closed.
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
