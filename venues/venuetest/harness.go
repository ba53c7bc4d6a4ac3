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

// Harness describes a venue to the suite.
type Harness struct {
	// Simulate returns a simulator that is not served yet.
	Simulate func(Conditions) (Simulator, error)
	// Connect returns a connector for a simulator.
	Connect func(restURL, streamURL string, c Conditions) Connector
	Wire    Wire
	// Lacks has each capability that the venue does not have, with the reason.
	Lacks map[Capability]string
	// entry is set while the suite uses an order entry connection.
	entry *OrderEntry
	seen  *coverage
}

// Simulator is the interface of simulated venues.
type Simulator interface {
	Serve(venue, control net.Listener)
	Close() error
	DemoAccount() simcore.AccountInfo
	Control() *simcore.Control
	Exchange() *simcore.Exchange
	// Hold makes the venue hold back changes that it has acknowledged, until Release.
	Hold()
	Release()
}

// BookRestarter is a Simulator that can restart the sequence numbers of its books.
type BookRestarter interface{ RestartBooks() }

// PriceBander is a Simulator of a venue that moves a far price to the edge of its band
// unless the account rejects such prices.
type PriceBander interface{ RejectFarPrices(account string) }

// Connector is a venue's connector.
type Connector interface {
	venues.Connector
	Close()
}

// Conditions are the settings of simulator and connector for a case.
type Conditions struct {
	// Lively makes the market move by itself; otherwise it moves only by script.
	Lively bool
	// ClockOffset is how far the venue's clock is ahead.
	ClockOffset time.Duration
	// OrdersMax, if positive, is the venue's limit of orders within a minute or more, so
	// that even a slow machine reaches it.
	OrdersMax int
	// SilenceMax is after how long a stream without messages counts as broken: books,
	// and private streams with an event outstanding; default never.
	SilenceMax time.Duration
	// ConnLifetime, if positive, is after how long the connector renews a public
	// connection, or the venue requests it.
	ConnLifetime time.Duration
	// StreamsMax, if positive, limits the private streams of an account.
	StreamsMax int
	// EngineDelay, if positive, is the time between the acknowledgement of a change of
	// an order and its execution, on venues that acknowledge first.
	EngineDelay time.Duration
	// Timeout of one request; default a minute.
	Timeout time.Duration
	// Dial opens the connector's network connections; default that of package net.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// OrderEntry is how the connector enters orders.
	OrderEntry venues.OrderEntry
}

// Capability is a property that not every venue has.
type Capability string

// Capabilities that cases need.
const (
	// AttachedProtection: an order has its stop loss and take profit attached.
	AttachedProtection Capability = "attached protection"
	// AmendStops: an untriggered stop is amended in place.
	AmendStops Capability = "amending stops"
	// StreamSnapshots: the book stream sends snapshots.
	StreamSnapshots Capability = "book snapshots on the stream"
	// RESTSnapshots: a book is a REST snapshot joined to the stream.
	RESTSnapshots Capability = "books joined to a REST snapshot"
	// BookRestarts: the venue may restart the sequence numbers of a book.
	BookRestarts Capability = "restarts of book sequence numbers"
	// ClientIDReuse: the id of a closed order may be used again.
	ClientIDReuse Capability = "reuse of client ids"
	// ClientIDForever: a client id is never accepted a second time.
	ClientIDForever Capability = "client ids unique forever"
	// ContractUnits: quantities are in contracts that differ from one base coin.
	ContractUnits Capability = "contracts of several coins"
	// InstrumentPages: the instruments are read in pages.
	InstrumentPages Capability = "instruments in pages"
	// SyncAck: the answer to an order has its status.
	SyncAck Capability = "answers with the status"
	// MinNotional: the venue rejects orders with a small notional.
	MinNotional Capability = "minimum notional"
	// Renewal: a connector renews its connections before the venue cuts them.
	Renewal Capability = "renewal of connections"
	// OrderedEvents: all events of an order come on one connection.
	OrderedEvents Capability = "one connection for all events of an order"
	// EntryLogin: an order entry connection requires a login.
	EntryLogin Capability = "login of the order entry connection"
	// EntryRejections: an order entry connection may reject messages regardless of their
	// orders.
	EntryRejections Capability = "rejected messages on the order entry connection"
	// EntryProtection: an order entry connection accepts orders with protection.
	EntryProtection Capability = "protection on the order entry connection"
	// LateOutcomes: a change of an order is acknowledged before it is executed, and may
	// fail afterwards.
	LateOutcomes Capability = "changes acknowledged before execution"
	// PartialLiquidation: a large position is reduced before it is liquidated entirely.
	PartialLiquidation Capability = "partial liquidation"
	// StreamPositions: a private stream starts with the open positions.
	StreamPositions Capability = "positions at the start of a stream"
	// StreamLimits: the private streams of an account are limited.
	StreamLimits Capability = "limit of private streams"
	// AmendAboveFilled: an amendment to a quantity that is filled already is rejected.
	AmendAboveFilled Capability = "rejection of quantities that are filled already"
	// MovedPrices: a price far from the market is moved to the edge of the band, unless
	// the account rejects such prices.
	MovedPrices Capability = "far prices are moved"
)

// Route is a method and a path of the venue's REST interface.
type Route struct{ Method, Path string }

// Swap is a part of a venue's message and its replacement.
type Swap struct{ Old, New string }

// in applies the swap to a message.
func (w Swap) in(message string) string { return strings.ReplaceAll(message, w.Old, w.New) }

// Wire has the venue's paths, topics and texts that faults and corruptions need.
type Wire struct {
	Place, Amend, Cancel, Query, OpenOrders, Instruments, SetLeverage Route
	// PlaceStop places a stop; zero stands for every POST.
	PlaceStop Route
	// PublicStream and PrivateStream are prefixes of paths; BookTopic, OrderTopic and
	// PositionTopic prefixes of topics: the book of BTCUSDT, events of orders, and
	// positions at the start of a stream.
	PublicStream, PrivateStream          string
	BookTopic, OrderTopic, PositionTopic string
	// InstrumentState replaces the state of every instrument by an unknown one.
	InstrumentState Swap
	// Halted is the status of an instrument that is halted; default halted.
	Halted venues.InstrumentStatus
	// InstrumentPage reduces the page size in the query of instruments, of which PageMax
	// is the venue's; PageRows is the text before the rows of a page.
	InstrumentPage Swap
	PageMax        int
	PageRows       string
	// NoMargin is the venue's code for insufficient margin, Uncertain one for an unknown
	// outcome of an order, in JSON; NotListed is an undocumented code.
	NoMargin, Uncertain, NotListed string
	// Answers and Events are the rows of the table of bad input: all answers of the
	// venue and all messages of its streams. Control are texts that identify
	// confirmations.
	Answers []Answer
	Events  []Event
	Control []string
	// PositionEntry is the entry price in an event of a position.
	PositionEntry string
	// FillsPage is the venue's page size of fills.
	FillsPage int
	// BusyBody is an answer with status 200 that reports a failure of the venue, with %s
	// for its text.
	BusyBody string
}

// isControl reports whether a message is a confirmation of a stream.
func (w *Wire) isControl(message string) bool {
	return slices.ContainsFunc(w.Control, func(mark string) bool { return strings.Contains(message, mark) })
}
