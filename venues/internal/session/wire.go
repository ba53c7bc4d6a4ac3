package session

import (
	"time"

	"go.uber.org/zap"

	"venuegate/venues/internal/wsclient"
)

// Wire is one connection of a Session.
type Wire struct {
	session  *Session
	protocol Protocol
	link     *wsclient.Link

	// Guarded by Session.deliver.

	newest  *wsclient.Conn // nil while there is none
	about   *wsclient.Conn // what the Protocol is told of
	askedAt time.Time      // of the newest connection; zero once it is ready
	served  bool
	// told is, after a renewal, what the old connection has told since its successor
	// was there, with how often: the successor tells it again.
	told map[string]int
	// repeated says that the message was in it; tookOverAt is when the successor's first
	// was read.
	repeated   bool
	tookOverAt time.Time
}

// repeatsMax is for how long a successor may tell again what waited in its socket.
const repeatsMax = 30 * time.Second

// Ready says that the venue serves the connection: no event after this is missed.
// It is called by the Protocol alone; again it changes nothing.
func (w *Wire) Ready() {
	if w.askedAt.IsZero() {
		return
	}
	w.askedAt, w.served = time.Time{}, true
	w.session.connect()
}

// Conn is the connection that the Protocol is told of: in Message the one that brought
// the message, in Tick the newest, or nil while there is none. It is called by the
// Protocol alone.
func (w *Wire) Conn() *wsclient.Conn { return w.about }

// Repeated says that the message was told by the connection before, which this one has
// replaced. It is called by the Protocol alone, in Message.
func (w *Wire) Repeated() bool { return w.repeated }

// compare notes what the old connection tells beside its successor, and says whether the
// successor tells it again.
func (w *Wire) compare(c *wsclient.Conn, message []byte, now time.Time) (repeated bool) {
	if w.told == nil {
		return false
	}
	if c != w.newest {
		w.told[string(message)]++
		return false
	}
	if w.tookOverAt.IsZero() {
		w.tookOverAt = now
	}
	if w.told[string(message)] == 0 {
		return false
	}
	w.told[string(message)]--
	return true
}

// GiveUp ends that connection because of cause; there will be another. It is called by
// the Protocol alone.
func (w *Wire) GiveUp(cause error) {
	if w.about != nil {
		w.about.GiveUp(cause)
	}
}

// Renew replaces the connection without a loss.
func (w *Wire) Renew() { w.link.Renew() }

// handler hears the link; its methods are no part of the Wire's own.
type handler struct{ *Wire }

// Opened greets. A successor need not be ready for the sink to go on.
func (w handler) Opened(c *wsclient.Conn) {
	w.session.deliver.Lock()
	defer w.session.deliver.Unlock()
	w.told, w.tookOverAt = nil, time.Time{}
	if w.newest != nil {
		w.told = make(map[string]int)
	}
	w.newest, w.askedAt = c, time.Now()
	c.Send(w.protocol.Greeting())
}

// Lost tells the sink.
func (w handler) Lost(cause error) {
	s := w.session
	s.deliver.Lock()
	defer s.deliver.Unlock()
	w.protocol.Lost()
	w.newest, w.about, w.told = nil, nil, nil
	w.askedAt, w.served = time.Time{}, false
	if s.connected {
		s.connected = false
		s.options.Sink.Lost(cause)
	}
}

// Message passes a message on. One that cannot be understood counts as a loss.
func (w handler) Message(c *wsclient.Conn, message []byte) {
	s := w.session
	s.deliver.Lock()
	defer s.deliver.Unlock()
	now := time.Now()
	w.about, w.repeated = c, w.compare(c, message, now)
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

// Tick notices a connection that does not become ready and a stream that is mute.
func (w handler) Tick(now time.Time) {
	s := w.session
	s.deliver.Lock()
	defer s.deliver.Unlock()
	w.about = w.newest
	if !w.tookOverAt.IsZero() && now.Sub(w.tookOverAt) > repeatsMax {
		w.told, w.tookOverAt = nil, time.Time{}
	}
	waited := time.Duration(0)
	if !w.askedAt.IsZero() {
		waited = now.Sub(w.askedAt)
	}
	if s.options.BelievedAfter > 0 && waited > s.options.BelievedAfter {
		w.Ready()
	}
	w.protocol.Tick(now, w.served)
	switch overdue := waited > ackTimeout && !w.askedAt.IsZero(); {
	case overdue:
		w.GiveUp(errNoAck)
	case w.served:
		s.checkMute(now)
	}
}
