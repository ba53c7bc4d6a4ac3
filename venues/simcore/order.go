package simcore

import (
	"time"

	"github.com/shopspring/decimal"
)

// Side is the direction of an order or of the taker of a trade.
type Side int8

// The two sides. Their values are the signs of the position change.
const (
	Buy  Side = 1
	Sell Side = -1
)

// Opposite returns the other side.
func (s Side) Opposite() Side { return -s }

func (s Side) String() string {
	if s == Buy {
		return "buy"
	}
	return "sell"
}

// OrderType is the type of an order in the book.
type OrderType uint8

// Order types of the book; conditional orders become one of them.
const (
	Limit OrderType = iota
	Market
)

func (t OrderType) String() string {
	if t == Market {
		return "market"
	}
	return "limit"
}

// TimeInForce is how long an order remains open.
type TimeInForce uint8

// Times in force. PostOnly rests or is rejected; GTD expires at ExpireAt.
const (
	GTC TimeInForce = iota
	IOC
	FOK
	PostOnly
	GTD
)

// SelfTrade is a mode of self-trade prevention.
type SelfTrade uint8

// Modes of self-trade prevention: which order expires when both are of one account.
const (
	SelfTradeAllow SelfTrade = iota
	SelfTradeExpireTaker
	SelfTradeExpireMaker
	SelfTradeExpireBoth
)

// OrderStatus is the state of an order that the venue accepted.
type OrderStatus uint8

// Order states; the last three are final.
const (
	StatusNew OrderStatus = iota
	StatusPartiallyFilled
	StatusFilled
	StatusCancelled
	StatusExpired
)

// Open reports whether the order is open.
func (s OrderStatus) Open() bool { return s <= StatusPartiallyFilled }

func (s OrderStatus) String() string {
	return [...]string{"new", "partially_filled", "filled", "cancelled", "expired"}[s]
}

// EndReason is the reason why an order was closed before it was filled in full.
type EndReason uint8

// Reasons why orders were closed.
const (
	EndNone EndReason = iota
	EndByUser
	EndSelfTrade
	EndImmediateRemainder
	EndMarketRemainder
	EndReduceOnly
	EndLiquidation
	EndDeadline
	EndPostOnlyAmended
	EndAmendedBelowFilled
	EndPostOnly
	EndFillOrKill
)

// Order is an order that the venue accepted. The exchange returns copies; the methods
// convert to decimals.
type Order struct {
	ID       int64
	ClientID string
	Account  string
	Symbol   string
	Side     Side
	// PosSide is PositionBoth in one-way mode.
	PosSide     PositionSide
	Type        OrderType
	TimeInForce TimeInForce
	SelfTrade   SelfTrade
	// ReduceOnly is also set on closing orders of hedge mode.
	ReduceOnly, ClosePosition bool
	// Liquidation marks an order of the venue that liquidates a position, Partial one
	// that leaves a part of it open.
	Liquidation, Partial bool
	ExpireAt             time.Time
	Status               OrderStatus
	Reason               EndReason
	// Parent is the id of the conditional order that placed this one, or zero.
	Parent     int64
	Amendments int
	CreatedAt  time.Time
	UpdatedAt  time.Time
	// Detail is a value of the simulator, kept with the order.
	Detail any

	terms      *terms
	ticks      int64
	lots       int64
	filledLots int64
	quote      decimal.Decimal
	// queued rises with every order that is put into a book.
	queued int64
}

// Instrument returns the instrument of the order.
func (o Order) Instrument() *Instrument { return o.terms.Instrument }

// Price returns the limit price, zero for a market order.
func (o Order) Price() decimal.Decimal { return o.terms.prices.value(o.ticks) }

// Qty returns the total quantity in the venue's units.
func (o Order) Qty() decimal.Decimal { return o.terms.sizes.value(o.lots) }

// BaseQty returns the total quantity in base coin.
func (o Order) BaseQty() decimal.Decimal { return o.terms.baseQty(o.lots) }

// FilledQty returns the executed quantity in the venue's units.
func (o Order) FilledQty() decimal.Decimal { return o.terms.sizes.value(o.filledLots) }

// Quote returns the executed value in the quote coin.
func (o Order) Quote() decimal.Decimal { return o.quote }

// AvgPrice returns the average execution price, zero where nothing was executed.
func (o Order) AvgPrice() decimal.Decimal {
	if o.filledLots == 0 {
		return decimal.Zero
	}
	return o.quote.DivRound(o.terms.baseQty(o.filledLots), avgPriceDigits)
}

// avgPriceDigits is the precision of prices that are quotients.
const avgPriceDigits = 10

func (o *Order) openLots() int64 { return o.lots - o.filledLots }

// Fill is one execution of an order.
type Fill struct {
	TradeID  int64
	OrderID  int64
	ClientID string
	Account  string
	Symbol   string
	Side     Side
	PosSide  PositionSide
	Price    decimal.Decimal
	Qty      decimal.Decimal
	Quote    decimal.Decimal
	// Fee is positive for a cost, in the quote coin.
	Fee         decimal.Decimal
	RealizedPnL decimal.Decimal
	Maker       bool
	// ChangeID is the id of the change of the wallet.
	ChangeID int64
	Time     time.Time
}
