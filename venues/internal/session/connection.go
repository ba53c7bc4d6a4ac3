package session

import (
	"time"

	"go.uber.org/zap"

	"venuegate/venues/internal/wsclient"
)

// Connection is one connection of a Session.
type Connection struct {
	session  *Session
	protocol Protocol
	link     *wsclient.Link

	// Guarded by Session.deliver.

	newest    *wsclient.Conn // nil while there is none
	current   *wsclient.Conn // connection of the current call of the Protocol
	greetedAt time.Time      // of the newest connection; zero once it is ready
	ready     bool
	// overlap counts, after a renewal, the messages that the old connection has brought
	// since its successor was opened. The successor brings them again.
	overlap map[string]int
	// repeated: the current message was one of them. tookOverAt is when the first message
	// of the successor was read.
	repeated   bool
	tookOverAt time.Time
}

// repeatsMax is how long a successor may repeat messages that waited in its socket.
const repeatsMax = 30 * time.Second

// Ready marks the connection as served by the venue: no event after it is missed. Only
// the Protocol calls it. Later calls change nothing.
func (w *Connection) Ready() {
	if w.greetedAt.IsZero() {
		return
	}
	w.greetedAt, w.ready = time.Time{}, true
	w.session.reportConnected()
}

// Conn returns the connection of the current call of the Protocol: in Message the one of
// the message, in Tick the newest one, or nil while there is none. Only the Protocol
// calls it.
func (w *Connection) Conn() *wsclient.Conn { return w.current }

// Repeated reports whether the connection that this one has replaced brought the message
// already. Only the Protocol calls it, in Message.
func (w *Connection) Repeated() bool { return w.repeated }

// compare records what the old connection brings besides its successor, and reports
// whether the successor repeats a message.
func (w *Connection) compare(c *wsclient.Conn, message []byte, now time.Time) (repeated bool) {
	if w.overlap == nil {
		return false
	}
	if c != w.newest {
		w.overlap[string(message)]++
		return false
	}
	if w.tookOverAt.IsZero() {
		w.tookOverAt = now
	}
	if w.overlap[string(message)] == 0 {
		return false
	}
	w.overlap[string(message)]--
	return true
}

// GiveUp closes the current connection because of cause; another one is made. Only the
// Protocol calls it.
func (w *Connection) GiveUp(cause error) {
	if w.current != nil {
		w.current.Abort(cause)
	}
}

// Renew replaces the connection without a loss.
func (w *Connection) Renew() { w.link.Renew() }

// handler receives the calls of the link; its methods are not part of Connection's.
type handler struct{ *Connection }

// Opened sends the greeting. The sink does not wait until a successor is ready.
func (w handler) Opened(c *wsclient.Conn) {
	w.session.deliver.Lock()
	defer w.session.deliver.Unlock()
	w.overlap, w.tookOverAt = nil, time.Time{}
	if w.newest != nil {
		w.overlap = make(map[string]int)
	}
	w.newest, w.greetedAt = c, time.Now()
	c.Send(w.protocol.Greeting())
}

// Lost reports the loss to the sink.
func (w handler) Lost(cause error) {
	s := w.session
	s.deliver.Lock()
	defer s.deliver.Unlock()
	w.protocol.Lost()
	w.newest, w.current, w.overlap = nil, nil, nil
	w.greetedAt, w.ready = time.Time{}, false
	if s.connected {
		s.connected = false
		s.options.Sink.Lost(cause)
	}
}

// Message passes a message to the protocol. One that cannot be decoded counts as a loss.
func (w handler) Message(c *wsclient.Conn, message []byte) {
	s := w.session
	s.deliver.Lock()
	defer s.deliver.Unlock()
	now := time.Now()
	w.current, w.repeated = c, w.compare(c, message, now)
	err := w.protocol.Message(message, now)
	if err == nil {
		return
	}
	s.options.Log.Error("private stream: undecodable event", zap.Error(err))
	if s.connected {
		s.options.Sink.Lost(err)
		s.options.Sink.Connected()
	}
}

// Tick replaces a connection that does not become ready, and a stalled stream.
func (w handler) Tick(now time.Time) {
	s := w.session
	s.deliver.Lock()
	defer s.deliver.Unlock()
	w.current = w.newest
	if !w.tookOverAt.IsZero() && now.Sub(w.tookOverAt) > repeatsMax {
		w.overlap, w.tookOverAt = nil, time.Time{}
	}
	waited := time.Duration(0)
	if !w.greetedAt.IsZero() {
		waited = now.Sub(w.greetedAt)
	}
	if s.options.AssumeReadyAfter > 0 && waited > s.options.AssumeReadyAfter {
		w.Ready()
	}
	w.protocol.Tick(now, w.ready)
	switch overdue := waited > ackTimeout && !w.greetedAt.IsZero(); {
	case overdue:
		w.GiveUp(errNoAck)
	case w.ready:
		s.checkStalled(now)
	}
}
