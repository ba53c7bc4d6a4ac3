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
	goodbyeTimeout = time.Second
	readBytesMax   = 64 << 10
	bufferBytes    = 4 << 10
	rateLimitSpan  = time.Second
	closeReasonMax = 120
)

// SessionOptions are what differs between venues. A zero duration or number
// switches the rule off.
type SessionOptions struct {
	// Path of the endpoint, which faults match.
	Path string
	// PingInterval between pings of the server.
	PingInterval time.Duration
	// SilenceMax closes a session that sent nothing, pongs included, for so long.
	SilenceMax time.Duration
	// LifeMax closes the session after so long, whatever it does.
	LifeMax time.Duration
	// MessagesPerSecondMax of incoming messages and control frames.
	MessagesPerSecondMax int
	// OverflowCode closes a session whose client does not read; default 1008.
	OverflowCode int
	Faults       *simcore.Faults
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
		if all.begin(s) {
			defer all.finish(s)
			s.run(handler)
		}
	})
}

// SessionHandler is what an endpoint does with a session. All are called from
// the session's own goroutine.
type SessionHandler struct {
	// Opened is called before anything is read.
	Opened func(*Session)
	// Received is called for every text message.
	Received func(*Session, []byte)
	// Ended is called after the last message.
	Ended func(*Session)
}

// begin counts a session; false where the server is closing.
func (all *Sessions) begin(s *Session) bool {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.closed {
		return false
	}
	all.running.Add(1)
	all.open[s] = struct{}{}
	return true
}

func (all *Sessions) finish(s *Session) {
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

// CloseAll ends all sessions; new ones are still accepted.
func (all *Sessions) CloseAll(code int, reason string) {
	all.mu.Lock()
	defer all.mu.Unlock()
	for s := range all.open {
		s.Close(code, reason)
	}
}

// Count is how many sessions are open.
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
	queue       []message
	queuedBytes int
	held        *message
	closed      bool
	closeCode   int
	closeReason string
	wake        chan struct{}

	// Read by the reader alone.
	windowStart time.Time
	windowCount int
}

type message struct {
	data []byte
	// notBefore delays the message and all that follow.
	notBefore time.Time
}

func newSession(conn *websocket.Conn, options SessionOptions) *Session {
	return &Session{conn: conn, options: options, wake: make(chan struct{}, 1)}
}

// Path is the endpoint of the session.
func (s *Session) Path() string { return s.options.Path }

// Send queues a text message about a topic, unless a fault has it otherwise.
// data must not be changed afterwards.
func (s *Session) Send(topic string, data []byte) {
	m := message{data: data}
	fault, struck := simcore.FaultInfo{}, false
	if s.options.Faults != nil {
		fault, struck = s.options.Faults.StrikeMessage(s.options.Path, topic)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !struck {
		s.push(m)
		return
	}
	switch fault.Do {
	case simcore.FaultGap, simcore.FaultMute:
	case simcore.FaultDuplicate:
		s.push(m)
		s.push(m)
	case simcore.FaultReorder:
		s.release()
		s.held = &m
	case simcore.FaultDelay:
		m.notBefore = time.Now().Add(fault.Args.Delay(0))
		s.push(m)
	case simcore.FaultRewrite:
		s.push(message{data: fault.Args.Rewritten(data)})
	case simcore.FaultDropConnection:
		s.end(websocket.CloseAbnormalClosure, "")
	case simcore.FaultTimeoutBefore, simcore.FaultTimeoutAfter, simcore.FaultStatus, simcore.FaultBan,
		simcore.FaultMaintenance, simcore.FaultReject: // strike requests alone
	}
}

// push queues a message and after it the one held back for reordering.
func (s *Session) push(m message) {
	if s.closed {
		return
	}
	s.queue = append(s.queue, m)
	s.queuedBytes += len(m.data)
	s.release()
	if s.queuedBytes > queueBytesMax {
		s.end(cmp.Or(s.options.OverflowCode, websocket.ClosePolicyViolation), "slow consumer")
		return
	}
	s.signal()
}

func (s *Session) release() {
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

// Close ends the session with a close frame, or without one where the code is
// 1006. What is queued is not sent any more.
func (s *Session) Close(code int, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end(code, reason)
}

func (s *Session) end(code int, reason string) {
	if s.closed {
		return
	}
	s.closed, s.closeCode, s.closeReason = true, code, reason[:min(len(reason), closeReasonMax)]
	// A write to a client that does not read must not hold up the end.
	_ = s.conn.NetConn().SetWriteDeadline(time.Now().Add(goodbyeTimeout))
	s.signal()
}
