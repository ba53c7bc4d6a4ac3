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

// ErrSendQueueFull ends a connection whose control messages pile up.
var ErrSendQueueFull = errors.New("send queue full")

// Conn is one connection of a Link. Its methods are safe for concurrent use.
type Conn struct {
	socket    *websocket.Conn
	sends     chan []byte
	writing   chan struct{} // holds a token while somebody writes
	done      chan struct{} // closed with the connection
	closeOnce sync.Once
	writer    sync.WaitGroup
	cause     error        // why it was closed by us; set before done is closed
	givenUp   chan error   // an order to the supervisor
	lastHeard atomic.Int64 // unix nanoseconds
	openedAt  time.Time
	buffer    []byte // of the reader
}

func newConn(socket *websocket.Conn, readBytesMax int64, now time.Time) *Conn {
	c := &Conn{
		socket: socket, sends: make(chan []byte, sendQueueMax), writing: make(chan struct{}, 1),
		done: make(chan struct{}), givenUp: make(chan error, 1), openedAt: now,
	}
	c.heard()
	socket.SetReadLimit(readBytesMax)
	socket.SetPingHandler(func(payload string) error {
		c.heard()
		// A pong that cannot be written shows as a write error soon enough.
		_ = socket.WriteControl(websocket.PongMessage, []byte(payload), time.Now().Add(writeTimeout))
		return nil
	})
	socket.SetPongHandler(func(string) error {
		c.heard()
		return nil
	})
	return c
}

func (c *Conn) heard() { c.lastHeard.Store(time.Now().UnixNano()) }

func (c *Conn) silentFor(now time.Time) time.Duration {
	return time.Duration(now.UnixNano() - c.lastHeard.Load())
}

// Send queues a text message; it takes the slice over. A connection whose queue
// overflows is closed: the handler will subscribe anew on the next one.
func (c *Conn) Send(message []byte) {
	select {
	case c.sends <- message:
	default:
		c.close(ErrSendQueueFull)
	}
}

// GiveUp has the link end this connection because of cause, report the loss and dial
// again. It waits for nothing, and the handler may call it. A connection that has
// ended stays as it is, and so does the one after it.
func (c *Conn) GiveUp(cause error) {
	select {
	case c.givenUp <- cause:
	default: // it is already
	}
}

// close ends the connection; the first cause stays.
func (c *Conn) close(cause error) {
	c.closeOnce.Do(func() {
		c.cause = cause
		close(c.done)
		_ = c.socket.Close()
	})
}

// startWriter sends what is queued, no faster than one message per interval.
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

// Write sends a text message now, unpaced and ahead of what Send has queued. It
// returns when the message was handed to the network. If it fails before began,
// no byte of the message has left or ever will; after that the peer may have it,
// and the connection is closed: what follows half a message cannot be read.
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

// write sends a message by the end of ctx, and within writeTimeout in any case.
func (c *Conn) write(ctx context.Context, message []byte) (began bool, err error) {
	by := time.Now().Add(writeTimeout)
	if deadline, ok := ctx.Deadline(); ok && deadline.Before(by) {
		by = deadline
	}
	if err := c.socket.SetWriteDeadline(by); err != nil {
		return false, err
	}
	writer, err := c.socket.NextWriter(websocket.TextMessage)
	if err != nil { // a close or a failure has gone before
		return false, err
	}
	if _, err = writer.Write(message); err == nil {
		err = writer.Close()
	}
	// What fits the buffer leaves as one frame, and none leaves behind a close.
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
		c.heard()
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

// Session is a connection before it is opened, in the hands of Authenticate.
type Session struct{ conn *Conn }

// Write sends a text message at once.
func (s *Session) Write(message []byte) error {
	_, err := s.conn.write(context.Background(), message)
	return err
}

// Read waits for the next message; it is valid until the next call.
func (s *Session) Read() ([]byte, error) { return s.conn.next() }
