package simnet

import (
	"cmp"
	"sync"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/valyala/fasthttp"

	"venuegate/venues/simcore"
)

// Limits of every session.
const (
	queueBytesMax  = 16 << 20
	writeTimeout   = 10 * time.Second
	closeTimeout   = time.Second
	readBytesMax   = 64 << 10
	bufferBytes    = 4 << 10
	rateLimitSpan  = time.Second
	closeReasonMax = 120
)

// SessionOptions are the rules of a venue's sessions. A zero duration or number
// disables a rule.
type SessionOptions struct {
	// Path of the endpoint, by which faults match.
	Path string
	// PingInterval between pings of the server.
	PingInterval time.Duration
	// SilenceMax closes a session whose client sent nothing, pongs included, for so
	// long.
	SilenceMax time.Duration
	// LifetimeMax closes the session after so long in any case.
	LifetimeMax time.Duration
	// MessagesPerSecondMax of incoming messages and control frames.
	MessagesPerSecondMax int
	// OverflowCode closes a session whose client does not read; default 1008.
	OverflowCode   int
	InjectedFaults *simcore.FaultInjector
}

// Sessions are the open WebSocket sessions of a server.
type Sessions struct {
	running sync.WaitGroup

	mu     sync.Mutex
	open   map[*Session]struct{}
	closed bool
}

func newSessions() *Sessions { return &Sessions{open: map[*Session]struct{}{}} }

var upgrader = websocket.FastHTTPUpgrader{
	ReadBufferSize: bufferBytes, WriteBufferSize: bufferBytes,
	CheckOrigin: func(*fasthttp.RequestCtx) bool { return true },
}

// Serve upgrades a request and runs the session in a goroutine of the HTTP
// server.
func (all *Sessions) Serve(ctx *fasthttp.RequestCtx, options SessionOptions, handler SessionHandler) error {
	return upgrader.Upgrade(ctx, func(conn *websocket.Conn) {
		s := newSession(conn, options)
		if all.add(s) {
			defer all.remove(s)
			s.run(handler)
		}
	})
}

// SessionHandler has the callbacks of an endpoint. They are called from the session's
// own goroutine.
type SessionHandler struct {
	// Opened is called before the first message is read.
	Opened func(*Session)
	// Received is called for every text message.
	Received func(*Session, []byte)
	// Ended is called after the last message.
	Ended func(*Session)
}

// add adds an open session. It returns false where the server is closing.
func (all *Sessions) add(s *Session) bool {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.closed {
		return false
	}
	all.running.Add(1)
	all.open[s] = struct{}{}
	return true
}

func (all *Sessions) remove(s *Session) {
	all.mu.Lock()
	defer all.mu.Unlock()
	delete(all.open, s)
	all.running.Done()
}

func (all *Sessions) closeAll() {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.closed = true
	for s := range all.open {
		s.Close(websocket.CloseGoingAway, "")
	}
}

// CloseAll closes all sessions. New ones are still accepted.
func (all *Sessions) CloseAll(code int, reason string) {
	all.mu.Lock()
	defer all.mu.Unlock()
	for s := range all.open {
		s.Close(code, reason)
	}
}

// Count returns how many sessions are open.
func (all *Sessions) Count() int {
	all.mu.Lock()
	defer all.mu.Unlock()
	return len(all.open)
}

func (all *Sessions) wait() { all.running.Wait() }

// Session is one WebSocket connection. Send and Close may be called from any
// goroutine and never block.
type Session struct {
	conn    *websocket.Conn
	options SessionOptions

	mu          sync.Mutex
	queue       []outgoing
	queuedBytes int
	held        *outgoing
	closed      bool
	drains      bool // sends the queue although it is closed
	closeCode   int
	closeReason string
	wake        chan struct{}

	// Read by the reader alone.
	windowStart time.Time
	windowCount int
}

type outgoing struct {
	data []byte
	// notBefore delays the message and all that follow.
	notBefore time.Time
}

func newSession(conn *websocket.Conn, options SessionOptions) *Session {
	return &Session{conn: conn, options: options, wake: make(chan struct{}, 1)}
}

// Path returns the path of the session's endpoint.
func (s *Session) Path() string { return s.options.Path }

// Send queues a text message about a topic, after applying an injected fault that
// matches. data must not be changed afterwards.
func (s *Session) Send(topic string, data []byte) {
	m := outgoing{data: data}
	fault, applies := simcore.InjectedFault{}, false
	if s.options.InjectedFaults != nil {
		fault, applies = s.options.InjectedFaults.MatchMessage(s.options.Path, topic)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !applies {
		s.enqueue(m)
		return
	}
	switch fault.Do {
	case simcore.FaultGap, simcore.FaultStalled:
	case simcore.FaultDuplicate:
		s.enqueue(m)
		s.enqueue(m)
	case simcore.FaultReorder:
		s.releaseHeld()
		s.held = &m
	case simcore.FaultDelay:
		m.notBefore = time.Now().Add(fault.Args.Delay(0))
		s.enqueue(m)
	case simcore.FaultRewrite:
		s.enqueue(outgoing{data: fault.Args.Rewritten(data)})
	case simcore.FaultDropConnection:
		s.closeLocked(websocket.CloseAbnormalClosure, "")
	case simcore.FaultTimeoutBefore, simcore.FaultTimeoutAfter, simcore.FaultStatus, simcore.FaultBan,
		simcore.FaultMaintenance, simcore.FaultReject: // apply to requests only
	}
}

// enqueue queues a message and after it the one held back for reordering. The lock is
// held.
func (s *Session) enqueue(m outgoing) {
	if s.closed {
		return
	}
	s.queue = append(s.queue, m)
	s.queuedBytes += len(m.data)
	s.releaseHeld()
	if s.queuedBytes > queueBytesMax {
		s.closeLocked(cmp.Or(s.options.OverflowCode, websocket.ClosePolicyViolation), "slow consumer")
		return
	}
	s.signal()
}

func (s *Session) releaseHeld() {
	if s.held != nil {
		s.queue = append(s.queue, *s.held)
		s.queuedBytes += len(s.held.data)
		s.held = nil
		s.signal()
	}
}

func (s *Session) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Close closes the session with a close frame, or without one where the code is 1006.
// Queued messages are not sent.
func (s *Session) Close(code int, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closeLocked(code, reason)
}

// CloseAfterQueue closes the session as Close does, but sends the queued messages first.
func (s *Session) CloseAfterQueue(code int, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drains = s.drains || !s.closed
	s.closeLocked(code, reason)
}

func (s *Session) closeLocked(code int, reason string) {
	if s.closed {
		return
	}
	s.closed, s.closeCode, s.closeReason = true, code, reason[:min(len(reason), closeReasonMax)]
	// A write to a client that does not read must not delay the end.
	_ = s.conn.NetConn().SetWriteDeadline(time.Now().Add(closeTimeout))
	s.signal()
}
