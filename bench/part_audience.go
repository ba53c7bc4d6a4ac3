package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fasthttp/websocket"
)

const (
	// audienceReadBytes is the size of a subscriber's reads.
	audienceReadBytes = 16 << 10
	// audiencePingEvery is the interval of a subscriber's pings: the stream closes
	// connections without a message for 45 s.
	audiencePingEvery = 15 * time.Second
	// audienceAnswerMax bounds the wait for a response of the stream.
	audienceAnswerMax = 10 * time.Second
)

// audiencePart is the subscribers of one topic, which read everything. Only the first
// parses frames, to determine their length.
type audiencePart struct {
	conns []*websocket.Conn
	// stop ends the pings; running counts the goroutines of pings and subscribers.
	stop    context.CancelFunc
	running sync.WaitGroup
	bytes   atomic.Int64
	// countedFrames and countedBytes are counted by the first subscriber.
	countedFrames, countedBytes atomic.Int64
}

// audienceRequest with subscribers of Channels connects them, once; without them it requests how
// much they have read.
type audienceRequest struct {
	URL         string   `json:"url"`
	Key         string   `json:"key"`
	Channels    []string `json:"channels"`
	Subscribers int      `json:"subscribers"`
}

type audienceAnswer struct {
	// Deliveries is the number of deliveries to all subscribers so far.
	Deliveries float64 `json:"deliveries"`
}

func (a *audiencePart) open(context.Context, string) (any, error) { return struct{}{}, nil }

func (a *audiencePart) answer(ctx context.Context, question []byte) (any, error) {
	var q audienceRequest
	if err := json.Unmarshal(question, &q); err != nil {
		return nil, err
	}
	for n := range q.Subscribers {
		conn, err := subscribe(ctx, q)
		if err != nil {
			return nil, fmt.Errorf("subscriber %d: %w", n, err)
		}
		read := func() { a.drain(conn.NetConn()) }
		if len(a.conns) == 0 {
			read = func() { a.count(conn) }
		}
		a.conns = append(a.conns, conn)
		a.running.Go(read)
	}
	if q.Subscribers > 0 {
		pinging, stop := context.WithCancel(context.WithoutCancel(ctx))
		a.stop = stop
		a.running.Go(func() { a.ping(pinging) })
	}
	said := audienceAnswer{}
	if frames := a.countedFrames.Load(); frames > 0 {
		frameBytes := float64(a.countedBytes.Load()) / float64(frames)
		said.Deliveries = float64(a.bytes.Load()+a.countedBytes.Load()) / frameBytes
	}
	return said, nil
}

// subscribe connects and waits until the topics are subscribed.
func subscribe(ctx context.Context, q audienceRequest) (*websocket.Conn, error) {
	conn, response, err := websocket.DefaultDialer.DialContext(ctx, q.URL, nil)
	if err != nil {
		return nil, err
	}
	_ = response.Body.Close()
	_ = conn.SetReadDeadline(time.Now().Add(audienceAnswerMax))
	for _, message := range []any{
		map[string]any{"op": "auth", "token": q.Key}, map[string]any{"op": "subscribe", "channels": q.Channels},
	} {
		if err := conn.WriteJSON(message); err != nil {
			return nil, err
		}
	}
	for {
		_, text, err := conn.ReadMessage()
		if err != nil {
			return nil, err
		}
		var said struct {
			Op       string   `json:"op"`
			OK       bool     `json:"ok"`
			Channels []string `json:"channels"`
		}
		if err := json.Unmarshal(text, &said); err != nil {
			return nil, err
		}
		switch {
		case said.Op == "error" || said.Op == "auth" && !said.OK:
			return nil, fmt.Errorf("unexpected message of the stream: %s", text)
		case said.Op == "subscribe" && len(said.Channels) != len(q.Channels):
			return nil, fmt.Errorf("the subscription is rejected: %s", text)
		case said.Op == "subscribe":
			return conn, conn.SetReadDeadline(time.Time{})
		}
	}
}

// count reads frames and counts them.
func (a *audiencePart) count(conn *websocket.Conn) {
	for {
		_, payload, err := conn.ReadMessage()
		if err != nil {
			return
		}
		a.countedFrames.Add(1)
		a.countedBytes.Add(int64(frameBytes(len(payload))))
	}
}

// frameBytes is the length of a server's frame on the wire.
func frameBytes(payloadBytes int) int {
	switch {
	case payloadBytes < 126:
		return payloadBytes + 2
	case payloadBytes < 1<<16:
		return payloadBytes + 4
	default:
		return payloadBytes + 10
	}
}

// drain reads and discards bytes.
func (a *audiencePart) drain(conn net.Conn) {
	buffer := make([]byte, audienceReadBytes)
	for {
		n, err := conn.Read(buffer)
		a.bytes.Add(int64(n))
		if err != nil {
			return
		}
	}
}

// ping sends pings for every subscriber.
func (a *audiencePart) ping(ctx context.Context) {
	every := time.NewTicker(audiencePingEvery)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
		for _, conn := range a.conns {
			// A closed connection shows in the number of deliveries.
			_ = conn.WriteMessage(websocket.TextMessage, []byte(`{"op":"ping"}`))
		}
	}
}

func (a *audiencePart) close() error {
	if a.stop != nil {
		a.stop()
	}
	for _, conn := range a.conns {
		_ = conn.NetConn().Close()
	}
	a.running.Wait()
	return nil
}
