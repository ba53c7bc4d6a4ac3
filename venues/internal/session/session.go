package session

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"venuegate/venues"
	"venuegate/venues/internal/wsclient"
)

// ackTimeout is how long the venue may take to make a connection ready.
const ackTimeout = 10 * time.Second

// Reasons for closing a connection.
var (
	ErrStalled = errors.New("no event for an acknowledged order on the private stream")
	errNoAck   = errors.New("subscription was not confirmed")
)

// Protocol is the venue's part of one connection of a private stream. Its methods run one
// at a time over the whole session and must not block. They may call the methods of
// Connection and Session except Add, Start and Close.
type Protocol interface {
	// Greeting returns the first message of a new connection. Its answer makes the
	// connection ready.
	Greeting() []byte
	// Message decodes a message and passes its content to the sink. An error means an
	// event that cannot be decoded.
	Message(message []byte, now time.Time) error
	// Lost is called when the connection has ended, before the sink is notified.
	Lost()
	// Tick is called about once a second. ready means that the connection is ready.
	Tick(now time.Time, ready bool)
}

// Options of a Session.
type Options struct {
	Sink venues.PrivateSink
	// LastAck is the last acknowledged change of an order, of which the stream must
	// report an event.
	LastAck *LastAck
	// EventSilenceMax is how long after that change the stream may stay without an event.
	EventSilenceMax time.Duration
	// AssumeReadyAfter is when a connection without any answer counts as ready; 0 means
	// never.
	AssumeReadyAfter time.Duration
	Log              *zap.Logger
}

// Session is the private stream of an account.
type Session struct {
	options      Options
	connections  []*Connection
	orderEventAt atomic.Int64 // of the last event about an order, in Unix nanoseconds

	// deliver guards the connections and the fields below. It serializes all calls of the
	// sink and of the protocols.
	deliver   sync.Mutex
	connected bool // as reported to the sink
}

// New returns a session that does nothing before Start.
func New(o Options) *Session { return &Session{options: o} }

// Add adds a connection, before Start. The session is the link's Handler.
func (s *Session) Add(link wsclient.Options, p Protocol) *Connection {
	c := &Connection{session: s, protocol: p}
	link.Handler = handler{c}
	c.link = wsclient.New(link)
	s.connections = append(s.connections, c)
	return c
}

// Start connects.
func (s *Session) Start() {
	for _, c := range s.connections {
		c.link.Start()
	}
}

// Close closes the connections and returns when the sink is no longer called.
func (s *Session) Close() {
	for _, c := range s.connections {
		c.link.Close()
	}
}

// NoteOrderEvent records that an event about an order was received.
func (s *Session) NoteOrderEvent(now time.Time) { s.orderEventAt.Store(now.UnixNano()) }

// checkStalled compares the last acknowledged order with the last event; deliver is held.
func (s *Session) checkStalled(now time.Time) {
	acknowledged := s.options.LastAck.began.Load()
	if acknowledged == 0 || s.orderEventAt.Load() >= acknowledged {
		return
	}
	if now.UnixNano()-acknowledged <= int64(s.options.EventSilenceMax) {
		return
	}
	if !s.options.LastAck.began.CompareAndSwap(acknowledged, 0) {
		return
	}
	for _, c := range s.connections {
		if c.newest != nil {
			c.newest.Abort(ErrStalled)
		}
	}
}

// reportConnected notifies the sink once every connection is ready; deliver is held.
func (s *Session) reportConnected() {
	for _, c := range s.connections {
		if !c.ready {
			return
		}
	}
	if !s.connected {
		s.connected = true
		s.options.Sink.Connected()
	}
}

// LastAck is when the last acknowledged change of an order began, in Unix nanoseconds; 0
// if the private stream need not report any. It is safe for concurrent use.
type LastAck struct{ began atomic.Int64 }

// Record records a change that began at a time, unless it failed, and returns its
// arguments.
func (a *LastAck) Record(began time.Time, report venues.ExecutionReport, err error) (venues.ExecutionReport, error) {
	if err == nil {
		a.began.Store(began.UnixNano())
	}
	return report, err
}
