package wsclient

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fasthttp/websocket"
)

// ErrSendQueueFull closes a connection whose control messages pile up.
var ErrSendQueueFull = errors.New("send queue full")

// Conn is one connection of a Link. Its methods are safe for concurrent use.
type Conn struct {
	socket       *websocket.Conn
	sends        chan []byte
	writing      chan struct{} // holds a token during a write
	done         chan struct{} // closed with the connection
	closeOnce    sync.Once
	writer       sync.WaitGroup
	cause        error        // why this side closed it; set before done is closed
	aborted      chan error   // to the supervisor
	lastReceived atomic.Int64 // Unix nanoseconds
	openedAt     time.Time
	buffer       []byte // of the reader
}

func newConn(socket *websocket.Conn, readBytesMax int64, now time.Time) *Conn {
	c := &Conn{
		socket: socket, sends: make(chan []byte, sendQueueMax), writing: make(chan struct{}, 1),
		done: make(chan struct{}), aborted: make(chan error, 1), openedAt: now,
	}
	c.received()
	socket.SetReadLimit(readBytesMax)
	socket.SetPingHandler(func(payload string) error {
		c.received()
		// If the pong cannot be written, a write error follows.
		_ = socket.WriteControl(websocket.PongMessage, []byte(payload), time.Now().Add(writeTimeout))
		return nil
	})
	socket.SetPongHandler(func(string) error {
		c.received()
		return nil
	})
	return c
}

func (c *Conn) received() { c.lastReceived.Store(time.Now().UnixNano()) }

func (c *Conn) silentFor(now time.Time) time.Duration {
	return time.Duration(now.UnixNano() - c.lastReceived.Load())
}

// Send queues a text message and takes ownership of the slice. A connection whose queue
// overflows is closed: the handler subscribes again on the next one.
func (c *Conn) Send(message []byte) {
	select {
	case c.sends <- message:
	default:
		c.close(ErrSendQueueFull)
	}
}

// Abort makes the link close this connection because of cause, report the loss and dial
// again. It does not wait, and the handler may call it. A connection that has ended and
// its successor are not affected.
func (c *Conn) Abort(cause error) {
	select {
	case c.aborted <- cause:
	default: // already aborted
	}
}

// close closes the connection; the first cause is kept.
func (c *Conn) close(cause error) {
	c.closeOnce.Do(func() {
		c.cause = cause
		close(c.done)
		_ = c.socket.Close()
	})
}

// startWriter sends queued messages, at most one per interval.
func (c *Conn) startWriter(interval time.Duration) {
	c.writer.Go(func() {
		pace := time.NewTicker(interval)
		defer pace.Stop()
		for {
			select {
			case <-c.done:
				return
			case message := <-c.sends:
				if _, err := c.Write(context.Background(), message); err != nil {
					return
				}
			}
			select {
			case <-c.done:
				return
			case <-pace.C:
			}
		}
	})
}

// Write sends a text message immediately, unpaced and ahead of the messages queued by
// Send. It returns when the message was handed to the network. If it fails before began,
// certainly no byte of the message is sent. After that the peer may have the message, and
// the connection is closed, because a message cannot follow half a message.
func (c *Conn) Write(ctx context.Context, message []byte) (began bool, err error) {
	select {
	case c.writing <- struct{}{}:
		defer func() { <-c.writing }()
	case <-c.done:
		return false, c.cause
	case <-ctx.Done():
		return false, ctx.Err()
	}
	select { // both may have been ready above
	case <-c.done:
		return false, c.cause
	default:
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if began, err = c.write(ctx, message); err != nil {
		c.close(err)
	}
	return began, err
}

// write sends a message before ctx ends, and within writeTimeout in any case.
func (c *Conn) write(ctx context.Context, message []byte) (began bool, err error) {
	by := time.Now().Add(writeTimeout)
	if deadline, ok := ctx.Deadline(); ok && deadline.Before(by) {
		by = deadline
	}
	if err := c.socket.SetWriteDeadline(by); err != nil {
		return false, err
	}
	writer, err := c.socket.NextWriter(websocket.TextMessage)
	if err != nil { // after a close or a failure
		return false, err
	}
	if _, err = writer.Write(message); err == nil {
		err = writer.Close()
	}
	// A message that fits the buffer is sent as one frame, and no frame is sent after a
	// close.
	unsent := errors.Is(err, websocket.ErrCloseSent) && len(message) <= writeBufferBytes
	return !unsent, err
}

func (c *Conn) ping() error {
	return c.socket.WriteControl(websocket.PingMessage, nil, time.Now().Add(writeTimeout))
}

// read passes messages to the handler until the connection ends.
func (c *Conn) read(h Handler) error {
	for {
		message, err := c.next()
		if err != nil {
			select {
			case <-c.done:
				return c.cause
			default:
				return err
			}
		}
		c.received()
		h.Message(c, message)
	}
}

// next reads one message into the reused buffer.
func (c *Conn) next() ([]byte, error) {
	_, reader, err := c.socket.NextReader()
	if err != nil {
		return nil, err
	}
	c.buffer = c.buffer[:0]
	for {
		if len(c.buffer) == cap(c.buffer) {
			c.buffer = append(c.buffer, 0)[:len(c.buffer)]
		}
		n, err := reader.Read(c.buffer[len(c.buffer):cap(c.buffer)])
		c.buffer = c.buffer[:len(c.buffer)+n]
		if err == io.EOF {
			return c.buffer, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// Handshake is a connection during Authenticate, before it is opened.
type Handshake struct{ conn *Conn }

// Write sends a text message immediately.
func (s *Handshake) Write(message []byte) error {
	_, err := s.conn.write(context.Background(), message)
	return err
}

// Read returns the next message. It is valid until the next call.
func (s *Handshake) Read() ([]byte, error) { return s.conn.next() }
