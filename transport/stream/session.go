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
	revokedReason   = "key revoked, changed or expired"
	restartedReason = "server restart"
)

// session is one connection. The goroutine of its handler reads it and is the only one
// that changes its subscriptions; the goroutine of its shard writes it. The connection
// belongs to the handler: run returns only after the shard and any background write
// have released it.
type session struct {
	id      string
	hub     *Hub
	shard   *shard
	conn    net.Conn
	socket  *socket
	remote  netip.Addr
	address netip.Addr // under which remote is counted
	opened  time.Time
	// deflate is set if permessage-deflate was negotiated.
	deflate bool

	// readStopped is closed when the shard has started the close, flushed when it will
	// write no more, gone when it has released the connection.
	readStopped chan struct{}
	flushed     chan struct{}
	gone        chan struct{}
	// deadlines guards the read deadline and the closing of readStopped, so that a
	// reader that has to stop does not extend its deadline.
	deadlines sync.Mutex

	// identity is set once, by the reader, under the lock of the admission; the reader
	// may read it without the lock.
	identity *identity

	// Owned by the reader:
	expiry      *time.Timer       // closes the connection when its key expires; nil if it does not
	topics      map[string]*topic // by canonical name
	pacer       pacer
	badMessages int

	// Owned by the goroutine of the shard:
	writeState
}

// identity is the owner of an authenticated session, with the key.
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
		remote: remote, address: listen.ClientAddr(remote),
		opened: now, deflate: deflate,
		readStopped: make(chan struct{}), flushed: make(chan struct{}), gone: make(chan struct{}),
		topics:     make(map[string]*topic),
		writeState: writeState{subscribers: make(map[*topic]*subscriber)},
	}
}

// closeReason is how the reader ends the connection.
type closeReason struct {
	// silent: the client has disconnected, or the close has already started.
	silent bool
	// echo: the client has sent a close frame, which is echoed; nothing more comes from
	// it.
	echo bool
	code int
	text string
}

func closeWith(code api.StreamCode) *closeReason {
	return &closeReason{code: int(code), text: code.String()}
}

// run serves the connection until it ends.
func (s *session) run(ws *websocket.Conn) {
	s.shard.inbox.post(s.start)
	reason := s.receive(ws)
	if s.expiry != nil {
		s.expiry.Stop()
	}
	if !reason.silent {
		s.shard.inbox.post(func() { s.startClose(reason.code, reason.text, flushQueued) })
	}
	switch {
	case reason.echo:
		s.awaitFlush()
	case !reason.silent || s.isClosing():
		s.linger()
	}
	s.shard.inbox.post(s.detach)
	<-s.gone
	s.socket.stopWriting()
	for _, t := range s.topics {
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

// linger reads until the client has closed its side as well, so that the close frame
// reaches it. Closing a socket with unread input would make the kernel discard output
// that the client has not read.
func (s *session) linger() {
	<-s.readStopped
	s.deadlines.Lock()
	_ = s.conn.SetReadDeadline(time.Now().Add(lingerMax)) // fails only on a closed connection
	s.deadlines.Unlock()
	_, _ = io.Copy(io.Discard, s.conn) // always ends with an error
}

// extendReadDeadline sets the read deadline. It returns false if the connection is
// closing.
func (s *session) extendReadDeadline(until time.Time) bool {
	s.deadlines.Lock()
	defer s.deadlines.Unlock()
	return !s.isClosing() && s.conn.SetReadDeadline(until) == nil
}

// stopReading closes readStopped and interrupts the read in progress.
func (s *session) stopReading() {
	s.deadlines.Lock()
	defer s.deadlines.Unlock()
	close(s.readStopped)
	s.socket.interruptRead()
}

func (s *session) isClosing() bool {
	select {
	case <-s.readStopped:
		return true
	default:
		return false
	}
}

// serve admits a connection and runs it.
func (h *Hub) serve(ws *websocket.Conn, remote netip.Addr, deflate bool) {
	s := h.newSession(ws.NetConn(), remote, deflate)
	if err := h.admission.admit(s); err != nil {
		closeUnadmitted(s.conn, err)
		return
	}
	defer h.admission.release(s)
	s.run(ws)
}

// closeUnadmitted closes a connection that was upgraded but can no longer be
// admitted.
func closeUnadmitted(conn net.Conn, err error) {
	code, reason := closeTryAgain, tryAgainReason
	if venues.CodeOf(err) == venues.CodeMaintenance {
		code, reason = int(api.StreamServerRestart), restartedReason
	}
	_ = conn.SetWriteDeadline(time.Now().Add(closeFlushMax)) // fails only on a closed connection
	_, _ = conn.Write(appendFrame(nil, headClose, closePayload(code, reason)))
}

// recoverReader turns a panic of the reader into a close of its connection only.
func (s *session) recoverReader(reason **closeReason) {
	if cause := recover(); cause != nil {
		s.hub.log.Error("stream session panicked", zap.String("conn_id", s.id), zap.Any("cause", cause), zap.ByteString("stack", debug.Stack()))
		*reason = &closeReason{code: closeInternal, text: internalReason}
	}
}
