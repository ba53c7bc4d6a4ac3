package venues

import (
	"context"
	"time"

	"github.com/shopspring/decimal"
)

// Venue is the code of a trading venue, the `exchange` of the interface.
type Venue string

// The three venues.
const (
	Binance Venue = "binance"
	Bybit   Venue = "bybit"
	OKX     Venue = "okx"
)

// All lists the venues in the order in which the service names them.
func All() []Venue { return []Venue{Binance, Bybit, OKX} }

// ParseVenue reads an exchange code.
func ParseVenue(text string) (Venue, bool) {
	for _, v := range All() {
		if string(v) == text {
			return v, true
		}
	}
	return "", false
}

// Credentials of an account at a venue. They print as [redacted] everywhere.
type Credentials struct {
	APIKey     Secret `json:"apiKey"`
	APISecret  Secret `json:"apiSecret"`
	Passphrase Secret `json:"passphrase,omitempty"`
}

// Capabilities say what a venue does natively, so that the account knows what
// it must do itself. They are facts of the venue, not switches.
type Capabilities struct {
	// AttachedProtection: stop loss and take profit travel with the order.
	AttachedProtection bool
	// AmendStops: an untriggered stop can be amended in place.
	AmendStops bool
	// AsyncAck: a positive answer means "received"; the private stream tells
	// whether the order lives.
	AsyncAck bool
	// StreamSnapshots: the book stream brings its own snapshots, so Snapshot
	// is never needed.
	StreamSnapshots bool
	// ClientIDUniqueForever: a client id is never accepted twice.
	ClientIDUniqueForever bool
	// AbsenceAfter is how long after an order's deadline the venue may still
	// show it late; UnfilledRetention how long an order that ended without a
	// fill can be found. Absence is provable only between the two.
	AbsenceAfter      time.Duration
	UnfilledRetention time.Duration
}

// OrderEntry says how orders are placed, amended and cancelled. The zero value is
// REST.
type OrderEntry string

// Ways of entering orders. With OrderEntryWebSocket an account keeps a connection
// for orders for as long as its private stream is open; what cannot be sent there
// goes by REST.
const (
	OrderEntryREST      OrderEntry = "rest"
	OrderEntryWebSocket OrderEntry = "websocket"
)

// Valid says whether the way is one of the above, or the zero value.
func (e OrderEntry) Valid() bool {
	return e == "" || e == OrderEntryREST || e == OrderEntryWebSocket
}

// Connector is a venue without credentials. Implementations are safe for
// concurrent use; every call honours its context.
type Connector interface {
	Venue() Venue
	Capabilities() Capabilities
	Clock
	Catalogue
	MarketData
	// OpenAccount prepares the use of an account; nothing is sent yet.
	OpenAccount(Credentials) (Account, error)
}

// Clock compares the venue's clock with ours.
type Clock interface {
	// SyncClock measures and adopts the offset venue minus local.
	SyncClock(ctx context.Context) (offset time.Duration, err error)
}

// Catalogue lists the instruments. The connector keeps the symbols and scales
// of the last list for its streams and orders.
type Catalogue interface {
	Instruments(ctx context.Context) ([]Instrument, error)
}

// MarketData is the public side.
type MarketData interface {
	// Snapshot reads a book by REST (see Capabilities.StreamSnapshots).
	Snapshot(ctx context.Context, symbol string) (*BookUpdate, error)
	// Candles reads the newest candles, oldest first, at most limit.
	Candles(ctx context.Context, symbol string, tf Timeframe, limit int) ([]Candle, error)
	// OpenFeed starts one public feed. It reconnects and subscribes anew by
	// itself until Close; the sink hears of each loss.
	OpenFeed(sink FeedSink) Feed
}

// FeedChannel names a public stream of one instrument. Timeframe is set for
// candles alone.
type FeedChannel struct {
	Kind      FeedKind
	Symbol    string
	Timeframe Timeframe
}

// FeedKind of a public stream.
type FeedKind uint8

// Kinds of public stream.
const (
	FeedBook FeedKind = iota + 1
	FeedTrades
	FeedCandles
	FeedMark
)

// Feed is one venue's public connections, as many as the venue needs. Methods
// never block; they are safe for concurrent use.
type Feed interface {
	Subscribe(channels ...FeedChannel)
	Unsubscribe(channels ...FeedChannel)
	// Close ends every connection and waits until the sink is silent.
	Close()
}

// FeedSink takes what a feed receives. It is called from the connections'
// reader goroutines, one at a time per channel, and must not block.
type FeedSink interface {
	// Book takes over the update and must Release it.
	Book(*BookUpdate)
	Trade(Trade)
	Candle(Candle)
	Mark(MarkPrice)
	// Interrupted says that messages of these channels may have been lost:
	// the connection broke, fell silent or sent what cannot be decoded. The
	// feed is already on its way to mend it.
	Interrupted(channels []FeedChannel, cause error)
	// Resumed says that the channels are subscribed again.
	Resumed(channels []FeedChannel)
}

// Account is one customer's account at a venue. Implementations are safe for
// concurrent use; calls that change something are sent at most once each (see
// ErrOutcomeUnknown and ErrNotSent).
type Account interface {
	AccountReader
	Trading
	// OpenPrivate starts the private stream, and the connection for orders where
	// OrderEntry asks for one; the feed ends both. See PrivateSink.
	OpenPrivate(sink PrivateSink) PrivateFeed
}

// AccountReader reads an account's state by REST. Of an instrument that the venue
// has taken off its list it may have nothing to tell any more: see IsUnlisted.
type AccountReader interface {
	Mode(ctx context.Context) (AccountMode, error)
	Balances(ctx context.Context) ([]Balance, error)
	// Positions lists open positions only.
	Positions(ctx context.Context) ([]Position, error)
	OpenOrders(ctx context.Context) ([]ExecutionReport, error)
	// Order finds one order, active or closed. An Error not_found means only
	// that the venue does not show it now.
	Order(ctx context.Context, ref OrderRef) (ExecutionReport, error)
	Fills(ctx context.Context, q FillsQuery) ([]Fill, error)
	// Traded names the instruments of which the account has executions in
	// [from, to), in any order of anybody, as far as the venue can tell.
	Traded(ctx context.Context, from, to time.Time) ([]string, error)
}

// Trading changes an account. An error is an explicit refusal unless it is
// joined with ErrOutcomeUnknown or ErrNotSent.
type Trading interface {
	Place(ctx context.Context, r OrderRequest) (ExecutionReport, error)
	Amend(ctx context.Context, r AmendRequest) (ExecutionReport, error)
	Cancel(ctx context.Context, ref OrderRef) (ExecutionReport, error)
	// SetLeverage writes and reads back.
	SetLeverage(ctx context.Context, symbol string, leverage decimal.Decimal) (LeverageChange, error)
}

// PrivateFeed is an account's private stream. It reconnects by itself.
type PrivateFeed interface {
	// Close ends the connection and waits until the sink is silent.
	Close()
}

// PrivateSink takes what a private stream receives, one call at a time, and
// must not block. The stream is a hint: whatever it missed is found by
// reconciliation.
type PrivateSink interface {
	Report(ExecutionReport)
	// Position tells the new state of one position; Qty zero = closed, which is told
	// of those alone that were told or listed as open, or may be in a list that is
	// under way. Fields that the event lacks are unknown.
	Position(Position)
	// BalancesChanged says that balances moved and should be read again.
	BalancesChanged()
	Connected()
	// Lost says that events may have been missed since now.
	Lost(cause error)
}

// KeyFacts is what a venue tells about an API key, for `venuegate doctor`.
type KeyFacts struct {
	CanTrade    bool
	CanWithdraw bool
	IPBound     bool
	ExpiresAt   time.Time
	Known       bool
}

// KeyInspector is an Account that can examine its own key.
type KeyInspector interface {
	KeyFacts(ctx context.Context) (KeyFacts, error)
}

// MarginFacts is what a venue tells about the margin of an account, for `venuegate
// doctor`.
type MarginFacts struct {
	// Mode is that of every instrument that is not in Isolated, in the venue's
	// sense: cross, isolated or portfolio.
	Mode string
	// Isolated are the instruments with margin of their own, by symbol, sorted.
	Isolated []string
}

// MarginInspector is an Account that can tell how its margin is reckoned.
type MarginInspector interface {
	MarginFacts(ctx context.Context) (MarginFacts, error)
}
