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

// Why a connection is given up.
var (
	ErrMute  = errors.New("private stream told nothing of an acknowledged order")
	errNoAck = errors.New("subscription was not confirmed")
)

// Protocol is what one connection of a venue's private stream says and hears. Its
// methods run one at a time over the whole session and must not block. They may
// call those of Wire and Session but for Add, Start and Close.
type Protocol interface {
	// Greeting is the message that a new connection is told first. Its answer makes
	// the connection ready.
	Greeting() []byte
	// Message reads a message and tells the sink what it says. An error is an event
	// that cannot be understood.
	Message(message []byte, now time.Time) error
	// Lost comes when the connection has ended, before the sink hears of it.
	Lost()
	// Tick comes about once a second; served says that the connection is ready.
	Tick(now time.Time, served bool)
}

// Options of a Session.
type Options struct {
	Sink venues.PrivateSink
	// Acknowledged are the changes of orders of which the stream must tell.
	Acknowledged *Acknowledged
	// EventSilenceMax is how long after the last of them it may say nothing.
	EventSilenceMax time.Duration
	// BelievedAfter is when a connection that has answered nothing counts as ready; 0
	// if it never does.
	BelievedAfter time.Duration
	Log           *zap.Logger
}

// Session is the private stream of an account.
type Session struct {
	options Options
	wires   []*Wire
	heardAt atomic.Int64 // of an order, in unix nanoseconds

	// deliver guards the wires and what follows, and makes sure that sink and
	// protocols hear one thing at a time.
	deliver   sync.Mutex
	connected bool // the sink was told
}

// New makes a session that does nothing before Start.
func New(o Options) *Session { return &Session{options: o} }

// Add gives it a connection, before Start. The link's Handler is
// the session's.
func (s *Session) Add(link wsclient.Options, p Protocol) *Wire {
	w := &Wire{session: s, protocol: p}
	link.Handler = handler{w}
	w.link = wsclient.New(link)
	s.wires = append(s.wires, w)
	return w
}

// Start dials.
func (s *Session) Start() {
	for _, w := range s.wires {
		w.link.Start()
	}
}

// Close ends the connections and waits until the sink is silent.
func (s *Session) Close() {
	for _, w := range s.wires {
		w.link.Close()
	}
}

// Heard notes an event about orders.
func (s *Session) Heard(now time.Time) { s.heardAt.Store(now.UnixNano()) }

// checkMute holds the last acknowledged order against the last event; deliver is held.
func (s *Session) checkMute(now time.Time) {
	acknowledged := s.options.Acknowledged.began.Load()
	if acknowledged == 0 || s.heardAt.Load() >= acknowledged {
		return
	}
	if now.UnixNano()-acknowledged <= int64(s.options.EventSilenceMax) {
		return
	}
	if !s.options.Acknowledged.began.CompareAndSwap(acknowledged, 0) {
		return
	}
	for _, w := range s.wires {
		if w.newest != nil {
			w.newest.GiveUp(ErrMute)
		}
	}
}

// connect tells the sink once every wire is served; deliver is held.
func (s *Session) connect() {
	for _, w := range s.wires {
		if !w.served {
			return
		}
	}
	if !s.connected {
		s.connected = true
		s.options.Sink.Connected()
	}
}
