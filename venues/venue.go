package venues

import (
	"context"
	"time"

	"github.com/shopspring/decimal"
)

// Venue is the code of a trading venue, the `exchange` of the public interface.
type Venue string

// Venues.
const (
	Binance Venue = "binance"
	Bybit   Venue = "bybit"
	OKX     Venue = "okx"
)

// All returns the venues in their usual order.
func All() []Venue { return []Venue{Binance, Bybit, OKX} }

// ParseVenue parses an exchange code.
func ParseVenue(text string) (Venue, bool) {
	for _, v := range All() {
		if string(v) == text {
			return v, true
		}
	}
	return "", false
}

// Credentials of an account at a venue. They are printed as [redacted].
type Credentials struct {
	APIKey     Secret `json:"apiKey"`
	APISecret  Secret `json:"apiSecret"`
	Passphrase Secret `json:"passphrase,omitempty"`
}

// Capabilities are what a venue does natively, so that the account knows what it must do
// itself. They are facts, not switches.
type Capabilities struct {
	// AttachedProtection: stop loss and take profit are part of the order request.
	AttachedProtection bool
	// AmendStops: an untriggered stop can be amended in place.
	AmendStops bool
	// AsyncAck: a positive answer means "received"; the private stream reports whether
	// the order was accepted.
	AsyncAck bool
	// StreamSnapshots: the book stream sends its own snapshots, so MarketData.Snapshot is
	// never needed.
	StreamSnapshots bool
	// SharedReadLimit: the reads of all accounts at one address share one limit.
	SharedReadLimit bool
	// ClientIDUniqueForever: a client order id is never accepted twice.
	ClientIDUniqueForever bool
	// CheckOrder rejects an order of a kind that the venue does not have, whatever the account
	// and the market; nil rejects none.
	CheckOrder func(*OrderSpec) *Error
	// AbsenceAfter is how long after its deadline an order may still appear at the venue.
	// UnfilledRetention is how long an order that was closed without a fill can be found.
	// The absence of an order can be confirmed only between the two.
	AbsenceAfter      time.Duration
	UnfilledRetention time.Duration
}

// OrderEntry selects how orders are placed, amended and cancelled. The zero value is
// REST.
type OrderEntry string

// Ways of order entry. With OrderEntryWebSocket an account keeps a connection for orders
// while its private stream is open. What cannot be sent on it goes by REST.
const (
	OrderEntryREST      OrderEntry = "rest"
	OrderEntryWebSocket OrderEntry = "websocket"
)

// Valid reports whether e is one of the above or the zero value.
func (e OrderEntry) Valid() bool {
	return e == "" || e == OrderEntryREST || e == OrderEntryWebSocket
}

// Connector is access to a venue without credentials. Implementations are safe for
// concurrent use, and every call respects its context.
type Connector interface {
	Venue() Venue
	Capabilities() Capabilities
	Clock
	InstrumentLister
	MarketData
	// RateLimits returns the use of the venue's rate limits, sorted by name. Those that
	// exist for each account are part of it from the start.
	RateLimits() []RateLimit
	// Congestion returns what holds up requests now.
	Congestion() Congestion
	// OpenAccount returns access to an account. Nothing is sent yet.
	OpenAccount(Credentials) (Account, error)
}

// Clock compares the venue's clock with the local one.
type Clock interface {
	// SyncClock measures and adopts the offset, venue minus local.
	SyncClock(ctx context.Context) (offset time.Duration, err error)
}

// InstrumentLister lists the instruments. The connector keeps the symbols and scales of
// the last list for its streams and orders.
type InstrumentLister interface {
	Instruments(ctx context.Context) ([]Instrument, error)
}

// MarketData is the public market data of a venue.
type MarketData interface {
	// Snapshot reads a book by REST (see Capabilities.StreamSnapshots).
	Snapshot(ctx context.Context, symbol string) (*BookUpdate, error)
	// Candles reads candles, oldest first. It never delays a call about an account.
	Candles(ctx context.Context, q CandlesQuery) ([]Candle, error)
	// Trades reads the newest public trades, newest first, at most limit, with the ids that
	// they have on the stream. A venue may provide fewer.
	Trades(ctx context.Context, symbol string, limit int) ([]Trade, error)
	// Tickers reads the ticker of an instrument, or of all listed ones if symbol is empty.
	Tickers(ctx context.Context, symbol string) ([]Ticker, error)
	// OpenFeed starts one public feed. It reconnects and resubscribes automatically until
	// Close, and reports each loss to the sink.
	OpenFeed(sink FeedSink) Feed
}

// FeedTopic identifies a public stream of one instrument. Timeframe is set for candles
// only.
type FeedTopic struct {
	Kind      FeedKind
	Symbol    string
	Timeframe Timeframe
}

// FeedKind is the kind of a public stream.
type FeedKind uint8

// Kinds of public stream.
const (
	FeedBook FeedKind = iota + 1
	FeedTrades
	FeedCandles
	FeedMark
)

// Feed is one venue's public connections, as many as the venue requires. Its methods
// never block and are safe for concurrent use.
type Feed interface {
	Subscribe(topics ...FeedTopic)
	Unsubscribe(topics ...FeedTopic)
	// Close closes every connection and returns when the sink is no longer called.
	Close()
}

// FeedSink receives the messages of a feed. It is called from the readers of the
// connections, one call at a time per topic, and must not block.
type FeedSink interface {
	// Book takes ownership of the update and must Release it.
	Book(*BookUpdate)
	Trade(Trade)
	Candle(Candle)
	Mark(MarkPrice)
	// Interrupted reports that messages of these topics may have been lost: the
	// connection broke, went silent or sent a message that cannot be decoded. The feed is
	// already recovering.
	Interrupted(topics []FeedTopic, cause error)
	// Resumed reports that the topics are subscribed again.
	Resumed(topics []FeedTopic)
}

// Account is access to one customer's account at a venue. Implementations are safe for
// concurrent use. Each call that changes something is sent at most once (see
// ErrOutcomeUnknown and ErrNotSent).
type Account interface {
	AccountReader
	Trading
	// OpenPrivate starts the private stream and, if OrderEntry selects it, the connection
	// for orders. The feed closes both.
	OpenPrivate(sink PrivateSink) PrivateFeed
}

// AccountReader reads the state of an account by REST. For a delisted instrument the
// venue may no longer return anything; see IsUnlisted.
type AccountReader interface {
	Mode(ctx context.Context) (AccountMode, error)
	Balances(ctx context.Context) ([]Balance, error)
	// Positions returns open positions only.
	Positions(ctx context.Context) ([]Position, error)
	OpenOrders(ctx context.Context) ([]ExecutionReport, error)
	// Order returns one order, active or closed. An Error not_found means only that the
	// venue does not return it now.
	Order(ctx context.Context, ref OrderRef) (ExecutionReport, error)
	Fills(ctx context.Context, q FillsQuery) ([]Fill, error)
	// Traded returns the instruments in which the account has executions in [from, to),
	// from orders of any origin, as far as the venue reports them.
	Traded(ctx context.Context, from, to time.Time) ([]string, error)
}

// Trading changes an account. An error is an explicit rejection unless it is joined with
// ErrOutcomeUnknown or ErrNotSent.
type Trading interface {
	Place(ctx context.Context, r OrderRequest) (ExecutionReport, error)
	Amend(ctx context.Context, r AmendRequest) (ExecutionReport, error)
	Cancel(ctx context.Context, ref OrderRef) (ExecutionReport, error)
	// SetLeverage changes the leverage and reads it back.
	SetLeverage(ctx context.Context, symbol string, leverage decimal.Decimal) (LeverageChange, error)
}

// PrivateFeed is an account's private stream. It reconnects automatically.
type PrivateFeed interface {
	// Close closes the connection and returns when the sink is no longer called.
	Close()
}

// PrivateSink receives the events of a private stream, one call at a time, and must not
// block. The stream is only a hint: reconciliation finds whatever it missed.
type PrivateSink interface {
	Report(ExecutionReport)
	// Position reports the new state of one position. Qty zero means closed, which is
	// reported only for positions that were reported or listed as open, or that a list
	// being read may contain. Fields that the event lacks are unknown.
	Position(Position)
	// BalancesChanged reports that balances changed and should be read again.
	BalancesChanged()
	Connected()
	// Lost reports that events may be missed from now on.
	Lost(cause error)
}

// KeyInfo is what a venue reports about an API key, for `venuegate doctor`.
type KeyInfo struct {
	CanTrade    bool
	CanWithdraw bool
	IPBound     bool
	ExpiresAt   time.Time
	Known       bool
}

// KeyInspector is an Account that can inspect its own key.
type KeyInspector interface {
	KeyInfo(ctx context.Context) (KeyInfo, error)
}

// MarginInfo is what a venue reports about the margin of an account, for `venuegate
// doctor`.
type MarginInfo struct {
	// Mode applies to every instrument that is not in Isolated, in the venue's sense:
	// cross, isolated or portfolio.
	Mode string
	// Isolated lists the instruments with isolated margin, by symbol, sorted.
	Isolated []string
}

// MarginInspector is an Account that can report its margin mode.
type MarginInspector interface {
	MarginInfo(ctx context.Context) (MarginInfo, error)
}
