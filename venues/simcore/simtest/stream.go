package simtest

import (
	"testing"
	"time"

	"github.com/fasthttp/websocket"
)

// messagesMax is how many messages a stream holds for a test that does not read.
const messagesMax = 10_000

// Text is the member of a message that is no object; it holds the message.
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
	return &Stream{TB: c.TB, Conn: conn, Messages: reading(conn, func(data []byte) Object {
		var message Object
		if decode(data, &message) != nil {
			message = Object{Text: string(data)}
		}
		return message
	})}
}

// DialBytes opens a connection whose messages stay as they are.
func (c *Client) DialBytes(path string) <-chan []byte {
	c.Helper()
	return reading(c.DialRaw(path), func(data []byte) []byte { return data })
}

// reading passes on what comes until the connection ends.
func reading[Message any](conn *websocket.Conn, as func([]byte) Message) <-chan Message {
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

// Next is the next message.
func (s *Stream) Next() Object {
	s.Helper()
	select {
	case message, ok := <-s.Messages:
		if !ok {
			s.Fatal("stream closed")
		}
		return message
	case <-time.After(Patience):
		s.Fatal("no message")
	}
	return nil
}

// Where skips to the next message that holds.
func (s *Stream) Where(holds func(Object) bool) Object {
	s.Helper()
	for {
		if message := s.Next(); holds(message) {
			return message
		}
	}
}

// With skips to the next message whose member has a value.
func (s *Stream) With(member string, value any) Object {
	s.Helper()
	return s.Where(func(m Object) bool { return m[member] == value })
}

// Closed waits for the end of the stream.
func (s *Stream) Closed() {
	s.Helper()
	deadline := time.After(Patience)
	for {
		select {
		case _, ok := <-s.Messages:
			if !ok {
				return
			}
		case <-deadline:
			s.Fatal("stream stays open")
		}
	}
}
