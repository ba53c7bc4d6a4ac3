package venues

import (
	"sync"
	"time"

	"github.com/shopspring/decimal"
)

// Timeframe of a candle.
type Timeframe string

// Timeframes returns the timeframes of the public interface and their lengths.
func Timeframes() map[Timeframe]time.Duration {
	return map[Timeframe]time.Duration{
		"1m": time.Minute, "3m": 3 * time.Minute, "5m": 5 * time.Minute, "15m": 15 * time.Minute, "30m": 30 * time.Minute,
		"1h": time.Hour, "2h": 2 * time.Hour, "4h": 4 * time.Hour, "6h": 6 * time.Hour, "12h": 12 * time.Hour,
		"1d": 24 * time.Hour, "1w": 7 * 24 * time.Hour,
	}
}

// Trade is one public trade. Side is the side of the taker.
type Trade struct {
	Symbol    string
	ID        string
	Price     decimal.Decimal
	Qty       decimal.Decimal
	Side      Side
	VenueTime time.Time
}

// Candle is one candle. Closed is false while it still changes. Volume is in base coin,
// Turnover in quote currency.
type Candle struct {
	Symbol    string
	Timeframe Timeframe
	Start     time.Time
	End       time.Time
	Open      decimal.Decimal
	High      decimal.Decimal
	Low       decimal.Decimal
	Close     decimal.Decimal
	Volume    decimal.Decimal
	Turnover  decimal.Decimal
	Closed    bool
	VenueTime time.Time
}

// CandlesQuery selects the newest Limit candles of an instrument that begin before Before,
// or the newest of all if that is zero. A venue may limit an answer to fewer (see
// CandlesMax).
type CandlesQuery struct {
	Symbol    string
	Timeframe Timeframe
	Before    time.Time
	Limit     int
}

// CandlesMax is a Limit that every venue grants.
const CandlesMax = 1000

// UnknownTimeframe returns the error for a timeframe that is none of Timeframes.
func UnknownTimeframe(tf Timeframe) *Error {
	return InvalidFields(FieldError{Field: "timeframe", Rule: "unknown_value", Given: string(tf)})
}

// MarkPrice is the price at which a venue values positions.
type MarkPrice struct {
	Symbol    string
	Price     decimal.Decimal
	VenueTime time.Time
}

// Ticker is the newest prices of an instrument and its figures of the last 24 hours. What the
// venue does not publish is unknown. High, Low, Volume (in base coin) and Turnover (in quote
// currency) are of the last 24 hours.
type Ticker struct {
	Exchange      Venue
	Symbol        string
	Last          Optional
	Bid, BidQty   Optional
	Ask, AskQty   Optional
	Mark, Index   Optional
	FundingRate   Optional // of the funding at NextFundingAt
	NextFundingAt Time
	High, Low     Optional
	Volume        Optional
	Turnover      Optional
	// VenueTime is that of the newest part.
	VenueTime Time
}

// Scale maps prices and quantities of an instrument to int64 fixed-point numbers and
// back, exactly: value = integer / 10^decimals.
type Scale struct {
	PriceDecimals int
	QtyDecimals   int
}

// Price returns the decimal of a fixed-point price.
func (s Scale) Price(n int64) decimal.Decimal { return decimal.New(n, int32(-s.PriceDecimals)) }

// Qty returns the decimal of a fixed-point quantity.
func (s Scale) Qty(n int64) decimal.Decimal { return decimal.New(n, int32(-s.QtyDecimals)) }

// Level is one price level of a book in fixed-point numbers of the instrument's Scale.
// Quantity zero removes the level.
type Level struct {
	Price int64
	Qty   int64
}

// BookUpdate is one message about a book: a snapshot, or new absolute quantities of
// levels. The venues' sequence numbers are mapped to one form: an update follows the one
// whose LastSeq is its PrevSeq. FirstSeq serves venues where a REST snapshot is joined to
// a running stream: the first update after snapshot s has FirstSeq <= s <= LastSeq, or
// PrevSeq == s.
//
// Updates come from a pool. The receiver calls Release exactly once, after the last use
// of the levels.
type BookUpdate struct {
	Symbol   string
	Snapshot bool
	FirstSeq uint64
	LastSeq  uint64
	PrevSeq  uint64
	Bids     []Level
	Asks     []Level
	// VenueTime is by the venue's clock, Received by ours.
	VenueTime time.Time
	Received  time.Time
}

var bookUpdates = sync.Pool{New: func() any { return new(BookUpdate) }}

// NewBookUpdate returns an empty update from the pool.
func NewBookUpdate() *BookUpdate { return bookUpdates.Get().(*BookUpdate) }

// Release returns the update to the pool. It must not be used afterwards.
func (u *BookUpdate) Release() {
	*u = BookUpdate{Bids: u.Bids[:0], Asks: u.Asks[:0]}
	bookUpdates.Put(u)
}

// Frame is one message of a public stream topic, encoded once and shared by all
// subscribers, who must not change Bytes. Seq increases by exactly one per frame of an
// epoch. A new epoch begins with a snapshot.
type Frame struct {
	Topic    string
	Epoch    uint64
	Seq      uint64
	Snapshot bool
	Bytes    []byte
}
