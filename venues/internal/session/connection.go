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
func (c *Connection) Ready() {
	if c.greetedAt.IsZero() {
		return
	}
	c.greetedAt, c.ready = time.Time{}, true
	c.session.reportConnected()
}

// Conn returns the connection of the current call of the Protocol: in Message the one of
// the message, in Tick the newest one, or nil while there is none. Only the Protocol
// calls it.
func (c *Connection) Conn() *wsclient.Conn { return c.current }

// Repeated reports whether the connection that this one has replaced brought the message
// already. Only the Protocol calls it, in Message.
func (c *Connection) Repeated() bool { return c.repeated }

// compare records what the old connection brings besides its successor, and reports
// whether the successor repeats a message.
func (c *Connection) compare(conn *wsclient.Conn, message []byte, now time.Time) (repeated bool) {
	if c.overlap == nil {
		return false
	}
	if conn != c.newest {
		c.overlap[string(message)]++
		return false
	}
	if c.tookOverAt.IsZero() {
		c.tookOverAt = now
	}
	if c.overlap[string(message)] == 0 {
		return false
	}
	c.overlap[string(message)]--
	return true
}

// GiveUp closes the current connection because of cause; another one is made. Only the
// Protocol calls it.
func (c *Connection) GiveUp(cause error) {
	if c.current != nil {
		c.current.Abort(cause)
	}
}

// Renew replaces the connection without a loss.
func (c *Connection) Renew() { c.link.Renew() }

// handler receives the calls of the link; its methods are not part of Connection's.
type handler struct{ *Connection }

// Opened sends the greeting. The sink does not wait until a successor is ready.
func (c handler) Opened(conn *wsclient.Conn) {
	c.session.deliver.Lock()
	defer c.session.deliver.Unlock()
	c.overlap, c.tookOverAt = nil, time.Time{}
	if c.newest != nil {
		c.overlap = make(map[string]int)
	}
	c.newest, c.greetedAt = conn, time.Now()
	conn.Send(c.protocol.Greeting())
}

// Lost reports the loss to the sink.
func (c handler) Lost(cause error) {
	s := c.session
	s.deliver.Lock()
	defer s.deliver.Unlock()
	c.protocol.Lost()
	c.newest, c.current, c.overlap = nil, nil, nil
	c.greetedAt, c.ready = time.Time{}, false
	if s.connected {
		s.connected = false
		s.options.Sink.Lost(cause)
	}
}

// Message passes a message to the protocol. One that cannot be decoded counts as a loss.
func (c handler) Message(conn *wsclient.Conn, message []byte) {
	s := c.session
	s.deliver.Lock()
	defer s.deliver.Unlock()
	now := time.Now()
	c.current, c.repeated = conn, c.compare(conn, message, now)
	err := c.protocol.Message(message, now)
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
func (c handler) Tick(now time.Time) {
	s := c.session
	s.deliver.Lock()
	defer s.deliver.Unlock()
	c.current = c.newest
	if !c.tookOverAt.IsZero() && now.Sub(c.tookOverAt) > repeatsMax {
		c.overlap, c.tookOverAt = nil, time.Time{}
	}
	waited := time.Duration(0)
	if !c.greetedAt.IsZero() {
		waited = now.Sub(c.greetedAt)
	}
	if s.options.AssumeReadyAfter > 0 && waited > s.options.AssumeReadyAfter {
		c.Ready()
	}
	c.protocol.Tick(now, c.ready)
	switch overdue := waited > ackTimeout && !c.greetedAt.IsZero(); {
	case overdue:
		c.GiveUp(errNoAck)
	case c.ready:
		s.checkStalled(now)
	}
}
