package venuegate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/fasthttp/websocket"
)

const (
	// handshakeTimeout bounds the opening of a connection and each of its first replies.
	handshakeTimeout = 10 * time.Second
	writeTimeout     = 5 * time.Second
	// messageBytesMax bounds a message of the service.
	messageBytesMax = 16 << 20
	// pingsMissedMax is after how many intervals without a reply the connection is given up.
	pingsMissedMax = 3
	pingDefault    = 20 * time.Second
)

// command is a message to the service.
type command struct {
	Op       string   `json:"op"`
	Token    string   `json:"token,omitempty"`
	Channels []string `json:"channels,omitempty"`
}

// reply is a message of the service that is not of a topic.
type reply struct {
	Op       string `json:"op"`
	Code     int    `json:"code"`
	Message  string `json:"message"`
	PingSec  int    `json:"pingSec"`
	Rejected []struct {
		Channel string `json:"channel"`
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"rejected"`
}

// connection is one connection to the stream.
type connection struct {
	conn *websocket.Conn
	ping time.Duration
	// seqs has the newest sequence number of each topic.
	seqs map[string]uint64
}

// connect opens a connection, subscribes and delivers messages until it ends. It reports
// whether the subscription succeeded.
func (s *Stream) connect(ctx context.Context) (subscribed bool, err error) {
	dialer := websocket.Dialer{HandshakeTimeout: handshakeTimeout, TLSClientConfig: s.options.TLS, Proxy: http.ProxyFromEnvironment}
	conn, response, err := dialer.DialContext(ctx, s.options.URL, http.Header{"User-Agent": {s.options.UserAgent}})
	if response != nil && response.Body != nil {
		response.Body.Close()
	}
	if err != nil {
		return false, fmt.Errorf("connect to %s: %w", s.options.URL, err)
	}
	conn.SetReadLimit(messageBytesMax)
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	defer conn.Close()
	c := &connection{conn: conn, ping: pingDefault, seqs: map[string]uint64{}}
	if err := c.subscribe(s.options.Key, s.options.Topics); err != nil {
		return false, streamError(err)
	}
	if err := s.deliver(ctx, Message{Type: TypeConnected}); err != nil {
		return true, err
	}
	ended, pinging := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(pinging)
		c.keepAlive(ended)
	}()
	err = s.receive(ctx, c)
	close(ended)
	conn.Close()
	<-pinging
	return true, streamError(err)
}

// streamError returns a *StreamError in the place of the error of a connection that the
// service has closed.
func streamError(err error) error {
	if closed, ok := errors.AsType[*websocket.CloseError](err); ok {
		return &StreamError{Code: closed.Code, Message: closed.Text}
	}
	return err
}

// subscribe authenticates and subscribes.
func (c *connection) subscribe(key string, topics []string) error {
	welcome, err := c.await("welcome", "")
	if err != nil {
		return err
	}
	if welcome.PingSec > 0 {
		c.ping = time.Duration(welcome.PingSec) * time.Second
	}
	if err := c.write(command{Op: "auth", Token: key}); err != nil {
		return err
	}
	if _, err := c.await("auth", ""); err != nil {
		return err
	}
	if err := c.write(command{Op: "subscribe", Channels: topics}); err != nil {
		return err
	}
	reply, err := c.await("subscribe", "the subscription")
	if err != nil {
		return err
	}
	if len(reply.Rejected) > 0 {
		r := reply.Rejected[0]
		return &StreamError{Code: r.Code, Message: r.Message, Topic: r.Channel}
	}
	return nil
}

// await reads the reply to an operation. Messages of topics come only after the last one.
// topic stands in the place of the topic in the error of a rejection as a whole.
func (c *connection) await(op, topic string) (reply, error) {
	var r reply
	if err := c.conn.SetReadDeadline(time.Now().Add(handshakeTimeout)); err != nil {
		return r, err
	}
	_, text, err := c.conn.ReadMessage()
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return r, fmt.Errorf("decode the reply to %s: %w", op, err)
	}
	switch r.Op {
	case op:
		return r, nil
	case "error":
		return r, &StreamError{Code: r.Code, Message: r.Message, Topic: topic}
	default:
		return r, fmt.Errorf("the reply to %s is %q", op, r.Op)
	}
}

// receive delivers messages until the connection ends.
func (s *Stream) receive(ctx context.Context, c *connection) error {
	for {
		if err := c.conn.SetReadDeadline(time.Now().Add(pingsMissedMax * c.ping)); err != nil {
			return err
		}
		_, text, err := c.conn.ReadMessage()
		if err != nil {
			return err
		}
		var m Message
		if err := json.Unmarshal(text, &m); err != nil {
			return fmt.Errorf("decode a message: %w", err)
		}
		if m.Topic == "" {
			var r reply
			if err := json.Unmarshal(text, &r); err != nil || r.Op == "error" {
				return errors.Join(err, &StreamError{Code: r.Code, Message: r.Message})
			}
			continue
		}
		if err := c.follow(&m); err != nil {
			return err
		}
		m.Raw = text
		if err := s.deliver(ctx, m); err != nil {
			return err
		}
	}
}

// ErrSequence is the reason of a disconnection after a message that did not follow the one
// before it.
var ErrSequence = errors.New("a message does not follow the one before it")

// follow checks the sequence number of a message.
func (c *connection) follow(m *Message) error {
	last, known := c.seqs[m.Topic]
	c.seqs[m.Topic] = m.Seq
	free := m.Type == TypeSnapshot || m.Type == TypeStale || m.Type == TypeGap
	if !free && known && m.Seq != last+1 {
		return fmt.Errorf("%w: %s has %d after %d", ErrSequence, m.Topic, m.Seq, last)
	}
	return nil
}

// keepAlive sends pings. It is the only writer after the subscription.
func (c *connection) keepAlive(ended <-chan struct{}) {
	ticker := time.NewTicker(c.ping)
	defer ticker.Stop()
	for {
		select {
		case <-ended:
			return
		case <-ticker.C:
			// A connection that fails here fails at its reader too.
			_ = c.write(command{Op: "ping"})
		}
	}
}

func (c *connection) write(message command) error {
	text, err := json.Marshal(message)
	if err != nil {
		return err
	}
	if err := c.conn.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return err
	}
	if err := c.conn.WriteMessage(websocket.TextMessage, text); err != nil {
		return fmt.Errorf("send %s: %w", message.Op, err)
	}
	return nil
}
