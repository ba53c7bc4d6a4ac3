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
)

// messages pools the buffers that client messages are read into: a connection
// that is silent holds none.
var messages = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// receive reads messages until the connection is to end, and says how.
func (s *session) receive(ws *websocket.Conn) (end *farewell) {
	defer s.rescue(&end)
	s.takeOverControlFrames(ws)
	deadline := s.opened.Add(api.StreamAuthWait)
	for end == nil {
		if !s.keepReading(deadline) {
			return &farewell{silent: true}
		}
		end = s.receiveOne(ws)
		if s.identity != nil {
			deadline = time.Now().Add(api.StreamSilenceMax)
		}
	}
	return end
}

func (s *session) receiveOne(ws *websocket.Conn) *farewell {
	kind, r, err := ws.NextReader()
	if err != nil {
		return s.fault(err)
	}
	message, _ := messages.Get().(*bytes.Buffer)
	defer messages.Put(message)
	if err := readLimited(message, r); err != nil {
		return s.fault(err)
	}
	return s.handle(kind, message.Bytes())
}

// errTooBig is a client message over api.StreamFrameBytesMax.
var errTooBig = errors.New("message too big")

// readLimited reads one message. The limit holds for what a compressed message
// becomes, too. The library's own limit is not used: it writes its close frame
// to the connection itself, beside the shard.
func readLimited(into *bytes.Buffer, r io.Reader) error {
	into.Reset()
	n, err := into.ReadFrom(io.LimitReader(r, api.StreamFrameBytesMax+1))
	if err == nil && n > api.StreamFrameBytesMax {
		err = errTooBig
	}
	return err
}

// fault says how a connection ends of which a message could not be read.
func (s *session) fault(err error) *farewell {
	if closed, ok := errors.AsType[*websocket.CloseError](err); ok {
		return s.echo(closed)
	}
	switch {
	case s.isClosing():
		return &farewell{silent: true}
	case errors.Is(err, errTooBig):
		return &farewell{code: closeTooBig, reason: tooBigReason}
	case !os.IsTimeout(err):
		return &farewell{silent: true}
	case s.identity == nil:
		return goodbye(api.StreamAuthTimeout)
	default:
		return goodbye(api.StreamPingTimeout)
	}
}

// echo answers the client's close frame with its own code (RFC 6455, 5.5.1).
func (s *session) echo(closed *websocket.CloseError) *farewell {
	switch closed.Code {
	case websocket.CloseAbnormalClosure: // the library's word for a lost connection
		return &farewell{silent: true}
	case websocket.CloseNoStatusReceived:
		return &farewell{echo: true, code: closeNone}
	default:
		return &farewell{echo: true, code: closed.Code}
	}
}

// takeOverControlFrames has the shard write the answers to control frames: the
// library would write them itself, into the middle of what a slow socket has
// taken only half of. They are paced like messages, but do not count as such.
func (s *session) takeOverControlFrames(ws *websocket.Conn) {
	ws.SetCloseHandler(func(int, string) error { return nil }) // the reader answers; see echo
	ws.SetPongHandler(func(string) error {
		s.pace()
		return nil
	})
	ws.SetPingHandler(func(payload string) error {
		s.pace()
		s.shard.inbox.do(func() { s.answer(headPong, []byte(payload)) })
		return nil
	})
}

// pace waits until the client may be served again.
func (s *session) pace() {
	wait := s.pacer.wait(time.Now())
	if wait == 0 {
		return
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.closing:
	}
}
