package stream

import (
	"crypto/rand"
	"io"
	"net"
	"net/netip"
	"runtime/debug"
	"sync"
	"time"

	"github.com/fasthttp/websocket"
	"go.uber.org/zap"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/transport/auth"
	"venuegate/transport/listen"
	"venuegate/venues"
)

// Close codes of RFC 6455, 7.4.1. Those of the service are in transport/api.
const (
	closeNone       = 0    // a close frame without a code
	closeAbnormal   = 1006 // never sent: the connection ended without a close frame
	closeTooBig     = 1009
	closeInternal   = 1011
	closeTryAgain   = 1013
	connIDPrefix    = "conn"
	internalReason  = "internal error"
	tryAgainReason  = "too many connections"
	tooBigReason    = "message too big"
	revokedReason   = "key revoked or expired"
	restartedReason = "server restart"
)

// session is one connection. The handler's goroutine reads it and is the only
// one to change what it is subscribed to; its shard's goroutine writes it. The
// connection belongs to the handler: run returns only when the shard, and any
// background write, has let go of it.
type session struct {
	id      string
	hub     *Hub
	shard   *shard
	conn    net.Conn
	socket  *socket
	remote  netip.Addr
	address netip.Addr // that remote is counted under
	opened  time.Time
	// deflate says that permessage-deflate was negotiated.
	deflate bool

	// closing is closed when the shard has decided how the connection ends,
	// flushed when it will write no more, gone when it has let go.
	closing chan struct{}
	flushed chan struct{}
	gone    chan struct{}
	// deadlines guards the read deadline and the closing of closing, so that a
	// reader that is told to stop does not set itself another deadline.
	deadlines sync.Mutex

	// identity is set once, by the reader, under the lock of the door; the
	// reader may read it without.
	identity *identity

	// Owned by the reader:
	leases      map[string]*topic // by canonical channel name
	pacer       pacer
	badMessages int

	// Owned by the goroutine of the shard:
	outgoing
}

// identity is who a session speaks for, and the key that proves it.
type identity struct {
	auth.Principal
	token venues.Secret
}

func (h *Hub) newSession(conn net.Conn, remote netip.Addr, deflate bool) *session {
	now := time.Now()
	return &session{
		id:     persistence.NewID(connIDPrefix, now, rand.Reader),
		hub:    h,
		shard:  h.nextShard(),
		conn:   conn,
		socket: newSocket(conn, h.options.SendBufferBytes),
		remote: remote, address: listen.Accountable(remote),
		opened: now, deflate: deflate,
		closing: make(chan struct{}), flushed: make(chan struct{}), gone: make(chan struct{}),
		leases:   make(map[string]*topic),
		outgoing: outgoing{subscribers: make(map[*topic]*subscriber)},
	}
}

// farewell is how the reader wants the connection to end.
type farewell struct {
	// silent: the client is gone, or the end is decided already.
	silent bool
	// echo: the client has closed; its close frame is answered, and no more
	// comes from it.
	echo   bool
	code   int
	reason string
}

func goodbye(code api.StreamCode) *farewell {
	return &farewell{code: int(code), reason: code.String()}
}

// run serves the connection until it ends.
func (s *session) run(ws *websocket.Conn) {
	s.shard.inbox.do(s.attach)
	end := s.receive(ws)
	if !end.silent {
		s.shard.inbox.do(func() { s.end(end.code, end.reason, flushQueued) })
	}
	switch {
	case end.echo:
		s.awaitFlush()
	case !end.silent || s.isClosing():
		s.linger()
	}
	s.shard.inbox.do(s.detach)
	<-s.gone
	s.socket.cut()
	for _, t := range s.leases {
		s.shard.release(t)
	}
}

// awaitFlush waits until the close frame is written.
func (s *session) awaitFlush() {
	timer := time.NewTimer(closeFlushMax)
	defer timer.Stop()
	select {
	case <-s.flushed:
	case <-timer.C:
	}
}

// linger lets the close frame get through: it reads on until the client has
// closed, too. Closing a socket on which something is unread would make the
// kernel throw away what the client has not read.
func (s *session) linger() {
	<-s.closing
	s.deadlines.Lock()
	_ = s.conn.SetReadDeadline(time.Now().Add(lingerMax)) // fails only on a closed connection
	s.deadlines.Unlock()
	_, _ = io.Copy(io.Discard, s.conn) // ends in an error, whichever
}

// keepReading sets the read deadline, unless the connection is to end.
func (s *session) keepReading(until time.Time) bool {
	s.deadlines.Lock()
	defer s.deadlines.Unlock()
	return !s.isClosing() && s.conn.SetReadDeadline(until) == nil
}

// stopReading closes closing and ends the read under way.
func (s *session) stopReading() {
	s.deadlines.Lock()
	defer s.deadlines.Unlock()
	close(s.closing)
	s.socket.interruptRead()
}

func (s *session) isClosing() bool {
	select {
	case <-s.closing:
		return true
	default:
		return false
	}
}

// serve lets a connection in and runs it. A panic costs this connection alone.
func (h *Hub) serve(ws *websocket.Conn, remote netip.Addr, deflate bool) {
	s := h.newSession(ws.NetConn(), remote, deflate)
	if err := h.door.enter(s); err != nil {
		refuse(s.conn, err)
		return
	}
	defer h.door.leave(s)
	s.run(ws)
}

// refuse closes a connection that found no place between the answer to its
// upgrade and now.
func refuse(conn net.Conn, err error) {
	code, reason := closeTryAgain, tryAgainReason
	if venues.CodeOf(err) == venues.CodeMaintenance {
		code, reason = int(api.StreamServerRestart), restartedReason
	}
	_ = conn.SetWriteDeadline(time.Now().Add(closeFlushMax)) // fails only on a closed connection
	_, _ = conn.Write(appendFrame(nil, headClose, closePayload(code, reason)))
}

// rescue turns a panic of the reader into the end of its connection.
func (s *session) rescue(end **farewell) {
	if cause := recover(); cause != nil {
		s.hub.log.Error("stream session panicked", zap.String("conn_id", s.id), zap.Any("cause", cause), zap.ByteString("stack", debug.Stack()))
		*end = &farewell{code: closeInternal, reason: internalReason}
	}
}
