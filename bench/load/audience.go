package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fasthttp/websocket"
)

const (
	// pingEvery is the interval of pings: the service closes a connection that says nothing
	// for 45 s.
	pingEvery = 15 * time.Second
	// handshakeMax bounds the opening of a connection and each of its first replies.
	handshakeMax = 30 * time.Second
	// readBytes is the size of the buffer of a connection: there may be ten thousands.
	readBytes = 4 << 10
	// connectingMax is the number of connections that are being opened at the same time.
	connectingMax = 64
	// slowEvery is the interval at which a slow subscriber reads a message.
	slowEvery = 200 * time.Millisecond
)

// habit is how a subscriber reads.
type habit int

const (
	readsAll habit = iota
	readsSlowly
	readsNever
)

// audience is the subscribers that count messages and do not decode them.
type audience struct {
	run *run
	ctx context.Context //nolint:containedctx // it is the life of the connections

	messages, bytes atomic.Int64
	reading         sync.WaitGroup

	mu    sync.Mutex
	conns map[*websocket.Conn]bool
	// closed counts connections that the service has closed, by code.
	closed map[string]int64
}

// newAudience returns an audience without subscribers. They end with ctx.
func newAudience(ctx context.Context, r *run) *audience {
	a := &audience{run: r, ctx: ctx, conns: map[*websocket.Conn]bool{}, closed: map[string]int64{}}
	a.reading.Go(a.ping)
	return a
}

// connect opens n connections with a habit at the rate of the options, and returns when all are
// subscribed. came receives when each was due and when its first message of a topic came; it
// may be nil.
func (a *audience) connect(ctx context.Context, n int, how habit, came func(due, first time.Time)) error {
	var failed atomic.Pointer[error]
	fail := func(err error) { failed.CompareAndSwap(nil, &err) }
	at := schedule{start: time.Now(), rate: a.run.Stream.ConnectRate, requests: n}
	at.run(ctx, min(n, connectingMax), func(ctx context.Context, _ int, q request) {
		conn, err := subscribe(ctx, a.run.StreamURL, a.run.key(q.n), a.run.topicsOf(q.n))
		if err != nil {
			fail(fmt.Errorf("subscriber %d: %w", q.n, err))
			return
		}
		a.add(conn, how, q.due, came)
	}, func(q request) {
		fail(fmt.Errorf("subscriber %d: the service accepts connections more slowly than %.0f/s", q.n, at.rate))
	})
	if err := failed.Load(); err != nil {
		return *err
	}
	return ctx.Err()
}

func (a *audience) add(conn *websocket.Conn, how habit, due time.Time, came func(due, first time.Time)) {
	a.mu.Lock()
	a.conns[conn] = true
	a.mu.Unlock()
	a.run.monitor.connections.Add(1)
	if how == readsNever {
		return
	}
	a.reading.Go(func() {
		defer a.run.monitor.connections.Add(-1)
		a.read(conn, how, func(first time.Time) {
			if came != nil {
				came(due, first)
			}
		})
	})
}

// read reads messages until the connection ends. came is called with the time of the first one.
func (a *audience) read(conn *websocket.Conn, how habit, came func(time.Time)) {
	defer conn.Close()
	for first := true; ; first = false {
		_, message, err := conn.NextReader()
		if err == nil {
			var n int64
			n, err = io.Copy(io.Discard, message)
			a.messages.Add(1)
			a.bytes.Add(n)
		}
		if err != nil {
			a.end(conn, err)
			return
		}
		if first {
			came(time.Now())
		}
		if how == readsSlowly {
			time.Sleep(slowEvery)
		}
	}
}

// end notes why a connection has ended.
func (a *audience) end(conn *websocket.Conn, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.conns[conn] {
		return // closed here
	}
	delete(a.conns, conn)
	code := "connection lost"
	if closed, is := errors.AsType[*websocket.CloseError](err); is {
		code = fmt.Sprintf("%d %s", closed.Code, closed.Text)
	}
	if _, known := a.closed[code]; !known && len(a.closed) >= errorCodesMax {
		code = errorCodesOther
	}
	a.closed[code]++
}

// ping keeps the connections open until the end of the audience.
func (a *audience) ping() {
	ticker := time.NewTicker(pingEvery)
	defer ticker.Stop()
	for {
		select {
		case <-a.ctx.Done():
			return
		case <-ticker.C:
		}
		for _, conn := range a.open() {
			// A connection that fails here fails at its reader too.
			_ = conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(time.Second))
		}
	}
}

func (a *audience) open() []*websocket.Conn {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := make([]*websocket.Conn, 0, len(a.conns))
	for conn := range a.conns {
		all = append(all, conn)
	}
	return all
}

// disconnect closes all connections.
func (a *audience) disconnect() {
	a.mu.Lock()
	conns := a.conns
	a.conns = map[*websocket.Conn]bool{}
	a.mu.Unlock()
	for conn := range conns {
		conn.Close()
	}
}

// subscribe opens a connection and subscribes to topics.
func subscribe(ctx context.Context, address, key string, topics []string) (*websocket.Conn, error) {
	dialer := websocket.Dialer{HandshakeTimeout: handshakeMax, ReadBufferSize: readBytes, WriteBufferSize: readBytes}
	conn, response, err := dialer.DialContext(ctx, address, nil)
	if response != nil && response.Body != nil {
		_ = response.Body.Close()
	}
	if err != nil {
		return nil, err
	}
	if err := introduce(conn, key, topics); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// introduce authenticates and subscribes.
func introduce(conn *websocket.Conn, key string, topics []string) error {
	if err := errors.Join(conn.SetReadDeadline(time.Now().Add(handshakeMax)), conn.SetWriteDeadline(time.Now().Add(handshakeMax))); err != nil {
		return err
	}
	steps := []map[string]any{nil, {"op": "auth", "token": key}, {"op": "subscribe", "channels": topics}}
	for i, op := range []string{"welcome", "auth", "subscribe"} {
		if steps[i] != nil {
			if err := conn.WriteJSON(steps[i]); err != nil {
				return err
			}
		}
		_, text, err := conn.ReadMessage()
		if err != nil {
			return err
		}
		var reply struct {
			Op       string            `json:"op"`
			Rejected []json.RawMessage `json:"rejected"`
		}
		if err := json.Unmarshal(text, &reply); err != nil || reply.Op != op || len(reply.Rejected) > 0 {
			return fmt.Errorf("the reply to %s is %s", op, text)
		}
	}
	return errors.Join(conn.SetReadDeadline(time.Time{}), conn.SetWriteDeadline(time.Time{}))
}
