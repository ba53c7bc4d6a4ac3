package venuetest

import (
	"context"
	"net"
	"slices"
	"strings"
	"time"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

// Harness is one venue as the suite needs to know it.
type Harness struct {
	// Simulate makes a simulator that does not serve yet.
	Simulate func(Conditions) (Simulator, error)
	// Connect makes a connector for a simulator.
	Connect func(restURL, streamURL string, c Conditions) Connector
	Wire    Wire
	// Lacks names each capability that the venue has not, with the reason.
	Lacks map[Capability]string
	// entry is set while the suite runs over a connection for orders.
	entry *OrderEntry
	seen  *coverage
}

// Simulator is what every simulated venue offers beside its wire.
type Simulator interface {
	Serve(venue, control net.Listener)
	Close() error
	DemoAccount() simcore.AccountInfo
	Control() *simcore.Control
	Exchange() *simcore.Exchange
	// Hold keeps the venue from what it has acknowledged and not done, until Release.
	Hold()
	Release()
}

// BookRestarter is a Simulator that can begin to number its books anew.
type BookRestarter interface{ RestartBooks() }

// PriceBander is a Simulator of a venue that moves a far price to the edge of its
// band unless the account's owner has chosen to have it refused.
type PriceBander interface{ RejectFarPrices(account string) }

// Connector is a venue's connector with its end.
type Connector interface {
	venues.Connector
	Close()
}

// Conditions are what a case wants of simulator and connector.
type Conditions struct {
	// Lively lets the market move by itself; otherwise the simulator is quiet.
	Lively bool
	// ClockOffset is how far the venue's clock is ahead.
	ClockOffset time.Duration
	// OrdersMax, if positive, is how many orders the venue takes before it answers
	// that the limit is used up: in a window of a minute or more, so that the
	// slowest machine uses it up.
	OrdersMax int
	// SilenceMax is after how long a stream without messages counts as broken: books,
	// and private streams that owe an event; never where the case names none.
	SilenceMax time.Duration
	// ConnLifetime, if positive, is after how long the connector renews a public
	// connection by itself, or the venue asks it to.
	ConnLifetime time.Duration
	// StreamsMax, if positive, is how many private streams an account may have.
	StreamsMax int
	// EngineDelay, if positive, is how long the venue takes for a change of an order
	// that it has acknowledged, where it acknowledges first.
	EngineDelay time.Duration
	// Timeout of one request; a minute where the case names none.
	Timeout time.Duration
	// Dial makes the connector's network connections; the usual way if nil.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// OrderEntry is how the connector enters orders.
	OrderEntry venues.OrderEntry
}

// Capability is something that not every venue can do.
type Capability string

// Capabilities that cases ask for.
const (
	// AttachedProtection: stop loss and take profit travel with an order.
	AttachedProtection Capability = "attached protection"
	// AmendStops: an untriggered stop is amended in place.
	AmendStops Capability = "amending stops"
	// StreamSnapshots: the book stream brings its own snapshots.
	StreamSnapshots Capability = "book snapshots on the stream"
	// RESTSnapshots: a book is a REST snapshot joined to the stream.
	RESTSnapshots Capability = "books joined to a REST snapshot"
	// BookRestarts: the venue may begin to number a book anew.
	BookRestarts Capability = "books numbered anew"
	// ClientIDReuse: the id of a closed order is free again.
	ClientIDReuse Capability = "client ids used again"
	// ClientIDForever: a client id is never accepted twice.
	ClientIDForever Capability = "client ids unique for ever"
	// ContractUnits: the venue counts contracts that are not one base coin.
	ContractUnits Capability = "contracts of several coins"
	// InstrumentPages: the catalogue is read in pages.
	InstrumentPages Capability = "catalogue in pages"
	// SyncAck: the answer to an order tells its state.
	SyncAck Capability = "answers that tell the state"
	// MinNotional: the venue refuses orders of little value.
	MinNotional Capability = "least notional"
	// Renewal: a connector renews its connections before the venue cuts them.
	Renewal Capability = "renewal of connections"
	// OrderedEvents: what is told of one order comes on one connection.
	OrderedEvents Capability = "one connection for the events of an order"
	// EntryLogin: a connection for orders is opened by a login.
	EntryLogin Capability = "login of the connection for orders"
	// EntryRefusals: a connection for orders refuses messages for what they are.
	EntryRefusals Capability = "refusals of messages on the connection for orders"
	// EntryProtection: a connection for orders takes orders with their protection.
	EntryProtection Capability = "protected orders on the connection for orders"
	// LateOutcomes: a change of an order is acknowledged before it is done, and may
	// come to nothing.
	LateOutcomes Capability = "changes acknowledged before they are done"
	// PartialLiquidation: a large position is taken down before all of it is lost.
	PartialLiquidation Capability = "liquidation of a part"
	// StreamPositions: a private stream begins with the open positions.
	StreamPositions Capability = "positions at the beginning of a stream"
	// StreamLimits: an account may have so many private streams and no more.
	StreamLimits Capability = "a most of private streams"
	// AmendAboveFilled: an amendment to what is filled already is refused.
	AmendAboveFilled Capability = "refusal of quantities that are filled already"
	// MovedPrices: a price too far from the market is moved to the edge of what the
	// venue allows, unless the account's owner has chosen otherwise.
	MovedPrices Capability = "far prices moved"
)

// Route is a method and a path of the venue's REST interface.
type Route struct{ Method, Path string }

// Swap is a piece of a venue's message and what a case puts in its place.
type Swap struct{ Old, New string }

// in puts the swap into a message.
func (w Swap) in(message string) string { return strings.ReplaceAll(message, w.Old, w.New) }

// Wire is how faults find their way to what they strike: the venue's paths,
// topics and a few words.
type Wire struct {
	Place, Amend, Cancel, Query, OpenOrders, Instruments, SetLeverage Route
	// PlaceStop places a stop; zero is whatever is posted.
	PlaceStop Route
	// PublicStream and PrivateStream are prefixes of paths; BookTopic, OrderTopic and
	// PositionTopic prefixes of topics: the book of BTCUSDT, events of orders, and
	// positions at the beginning of a stream.
	PublicStream, PrivateStream          string
	BookTopic, OrderTopic, PositionTopic string
	// InstrumentState makes the state of every instrument an unknown word.
	InstrumentState Swap
	// InstrumentPage makes the pages of the catalogue small in the query, where
	// it names the venue's page size PageMax; PageRows is what comes before the
	// rows of a page.
	InstrumentPage Swap
	PageMax        int
	PageRows       string
	// NoMargin is the venue's code for too little margin, Uncertain one that
	// leaves the outcome of an order open, in JSON; NotListed is one that nobody
	// knows.
	NoMargin, Uncertain, NotListed string
	// Answers and Events are the rows of the table of bad input: all that the venue
	// answers, and all that its streams tell. Control are pieces of what these say
	// about themselves.
	Answers []Answer
	Events  []Event
	Control []string
	// PositionEntry is the entry price in an event of a position.
	PositionEntry string
	// FillsPage is how many fills a page of the venue holds.
	FillsPage int
	// BusyBody is an answer with status 200 that says that the venue failed, with %s
	// for its words.
	BusyBody string
}

// isControl says whether a message is about the stream itself.
func (w *Wire) isControl(message string) bool {
	return slices.ContainsFunc(w.Control, func(mark string) bool { return strings.Contains(message, mark) })
}
