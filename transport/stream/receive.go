package stream

import (
	"bytes"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"github.com/fasthttp/websocket"

	"venuegate/transport/api"
	"venuegate/transport/listen"
)

// messages pools the buffers for client messages, so that an idle connection holds
// none.
var messages = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// receive reads messages until the connection has to be closed, and returns why.
func (s *session) receive(ws *websocket.Conn) (reason *closeReason) {
	defer s.recoverReader(&reason)
	s.handleControlFrames(ws)
	deadline := s.opened.Add(api.StreamAuthWait)
	for reason == nil {
		if !s.extendReadDeadline(deadline) {
			return &closeReason{silent: true}
		}
		reason = s.receiveOne(ws)
		if s.identity != nil {
			deadline = time.Now().Add(api.StreamIdleMax)
		}
	}
	return reason
}

func (s *session) receiveOne(ws *websocket.Conn) *closeReason {
	kind, r, err := ws.NextReader()
	if err != nil {
		return s.readErrorReason(err)
	}
	message, _ := messages.Get().(*bytes.Buffer)
	defer messages.Put(message)
	if err := readLimited(message, r); err != nil {
		return s.readErrorReason(err)
	}
	return s.handle(kind, message.Bytes())
}

// errTooBig is returned for a client message over api.StreamFrameBytesMax.
var errTooBig = errors.New("message too big")

// readLimited reads one message. The limit applies to the decompressed size as well. The
// listener rejects a frame that announces more (listen.ErrFrameTooBig).
// The limit of the library is not used, because the library would write a close frame
// to the connection concurrently with the shard.
func readLimited(into *bytes.Buffer, r io.Reader) error {
	into.Reset()
	n, err := into.ReadFrom(io.LimitReader(r, api.StreamFrameBytesMax+1))
	if err == nil && n > api.StreamFrameBytesMax {
		err = errTooBig
	}
	return err
}

// readErrorReason returns how to close a connection after a read error.
func (s *session) readErrorReason(err error) *closeReason {
	if closed, ok := errors.AsType[*websocket.CloseError](err); ok {
		return s.echoReason(closed)
	}
	switch {
	case s.isClosing():
		return &closeReason{silent: true}
	case errors.Is(err, errTooBig), errors.Is(err, listen.ErrFrameTooBig):
		return &closeReason{code: closeTooBig, text: tooBigReason}
	case !os.IsTimeout(err):
		return &closeReason{silent: true}
	case s.identity == nil:
		return closeWith(api.StreamAuthTimeout)
	default:
		return closeWith(api.StreamPingTimeout)
	}
}

// echoReason returns the close that repeats the code of the client's close frame
// (RFC 6455, 5.5.1).
func (s *session) echoReason(closed *websocket.CloseError) *closeReason {
	switch closed.Code {
	case websocket.CloseAbnormalClosure: // the library's code for a lost connection
		return &closeReason{silent: true}
	case websocket.CloseNoStatusReceived:
		return &closeReason{echo: true, code: closeNone}
	default:
		return &closeReason{echo: true, code: closed.Code}
	}
}

// handleControlFrames lets the shard write the replies to control frames: the library
// would write them itself, possibly in the middle of a frame that a slow socket has
// accepted only in part. Control frames are paced like messages, but do not count as
// client messages.
func (s *session) handleControlFrames(ws *websocket.Conn) {
	ws.SetCloseHandler(func(int, string) error { return nil }) // receive replies to it; see echoReason
	ws.SetPongHandler(func(string) error {
		s.waitForPacer()
		return nil
	})
	ws.SetPingHandler(func(payload string) error {
		s.waitForPacer()
		s.shard.inbox.post(func() { s.enqueue(headPong, []byte(payload)) })
		return nil
	})
}

// waitForPacer blocks until the next message may be handled.
func (s *session) waitForPacer() {
	wait := s.pacer.wait(time.Now())
	if wait == 0 {
		return
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.readStopped:
	}
}

// pacer limits the messages of one client to opsPerSecond, in bursts of at most that
// number. It is for one goroutine.
type pacer struct {
	// due is when the last message would have arrived at an even rate.
	due time.Time
}

// wait returns how long a message that arrives now has to wait.
func (p *pacer) wait(now time.Time) time.Duration {
	const interval = time.Second / opsPerSecond
	if p.due.Before(now) {
		p.due = now
	}
	p.due = p.due.Add(interval)
	return max(p.due.Sub(now)-opsPerSecond*interval, 0)
}
