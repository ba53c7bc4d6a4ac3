package simtest

import (
	"testing"
	"time"

	"github.com/fasthttp/websocket"
)

// messagesMax is how many messages a stream buffers for the test.
const messagesMax = 10_000

// Text is the member that holds a message that is not an object.
const Text = "text"

// Stream is a WebSocket connection with its messages in order.
type Stream struct {
	testing.TB
	Conn *websocket.Conn
	// Messages is closed with the connection.
	Messages <-chan Object
}

// Dial opens a stream, which ends with the test.
func (c *Client) Dial(path string) *Stream {
	c.Helper()
	conn := c.DialRaw(path)
	return &Stream{TB: c.TB, Conn: conn, Messages: readAll(conn, func(data []byte) Object {
		var message Object
		if decode(data, &message) != nil {
			message = Object{Text: string(data)}
		}
		return message
	})}
}

// DialBytes opens a connection and returns its messages undecoded.
func (c *Client) DialBytes(path string) <-chan []byte {
	c.Helper()
	return readAll(c.DialRaw(path), func(data []byte) []byte { return data })
}

// readAll returns the messages of a connection until it ends.
func readAll[Message any](conn *websocket.Conn, as func([]byte) Message) <-chan Message {
	messages := make(chan Message, messagesMax)
	go func() {
		defer close(messages)
		for {
			_, data, err := conn.ReadMessage()
			if err != nil {
				return
			}
			messages <- as(data)
		}
	}()
	return messages
}

// Send sends a text message.
func (s *Stream) Send(text string) {
	s.Helper()
	if err := s.Conn.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		s.Fatal(err)
	}
}

// Next returns the next message.
func (s *Stream) Next() Object {
	s.Helper()
	select {
	case message, ok := <-s.Messages:
		if !ok {
			s.Fatal("stream closed")
		}
		return message
	case <-time.After(WaitMax):
		s.Fatal("timeout, want a message")
	}
	return nil
}

// Where skips to the next message for which holds is true.
func (s *Stream) Where(holds func(Object) bool) Object {
	s.Helper()
	for {
		if message := s.Next(); holds(message) {
			return message
		}
	}
}

// With skips to the next message whose member has the value.
func (s *Stream) With(member string, value any) Object {
	s.Helper()
	return s.Where(func(m Object) bool { return m[member] == value })
}

// Closed waits for the end of the stream.
func (s *Stream) Closed() {
	s.Helper()
	deadline := time.After(WaitMax)
	for {
		select {
		case _, ok := <-s.Messages:
			if !ok {
				return
			}
		case <-deadline:
			s.Fatal("timeout, want the stream closed")
		}
	}
}
