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

// audiencePart is the subscribers of one scenario. Those that are sampled parse frames: the
// first one determines their length, and all of them how old they are.
type audiencePart struct {
	conns   []*websocket.Conn
	sampled []*frameAges
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
	// Each is the number of channels of a subscriber, in turn; zero is all.
	Each int `json:"each"`
	// Sampled is the number of subscribers, evenly spread, that measure the age of
	// frames; at least one.
	Sampled int `json:"sampled"`
	// NeverReading subscribers, the last ones, read nothing.
	NeverReading int `json:"neverReading"`
}

// channelsOf returns the channels of the n-th subscriber.
func (q *audienceRequest) channelsOf(n int) []string {
	if q.Each <= 0 || q.Each >= len(q.Channels) {
		return q.Channels
	}
	channels := make([]string, q.Each)
	for i := range channels {
		channels[i] = q.Channels[(n*q.Each+i)%len(q.Channels)]
	}
	return channels
}

type audienceAnswer struct {
	// Deliveries is the number of deliveries to all subscribers so far.
	Deliveries float64 `json:"deliveries"`
	// Ages are those of the frames since the last answer.
	Ages ageSummary `json:"ages"`
}

func (a *audiencePart) open(context.Context, string) (any, error) { return struct{}{}, nil }

func (a *audiencePart) answer(ctx context.Context, question []byte) (any, error) {
	var q audienceRequest
	if err := json.Unmarshal(question, &q); err != nil {
		return nil, err
	}
	for n := range q.Subscribers {
		conn, err := subscribe(ctx, q.URL, q.Key, q.channelsOf(n))
		if err != nil {
			return nil, fmt.Errorf("subscriber %d: %w", n, err)
		}
		a.conns = append(a.conns, conn)
		a.read(conn, &q, n)
	}
	if q.Subscribers > 0 {
		pinging, stop := context.WithCancel(context.WithoutCancel(ctx))
		a.stop = stop
		a.running.Go(func() { a.ping(pinging) })
	}
	said := audienceAnswer{Ages: summarize(a.sampled)}
	if frames := a.countedFrames.Load(); frames > 0 {
		frameBytes := float64(a.countedBytes.Load()) / float64(frames)
		said.Deliveries = float64(a.bytes.Load()+a.countedBytes.Load()) / frameBytes
	}
	return said, nil
}

// read reads the n-th connection as requested.
func (a *audiencePart) read(conn *websocket.Conn, q *audienceRequest, n int) {
	reading := q.Subscribers - q.NeverReading
	switch sampled := min(max(1, q.Sampled), reading); {
	case n >= reading:
	case n*sampled/reading != (n-1)*sampled/reading || n == 0:
		ages, first := &frameAges{}, n == 0
		a.sampled = append(a.sampled, ages)
		a.running.Go(func() { a.sample(conn, ages, first) })
	default:
		a.running.Go(func() { a.drain(conn.NetConn()) })
	}
}

// subscribe connects and waits until the channels are subscribed.
func subscribe(ctx context.Context, url, key string, channels []string) (*websocket.Conn, error) {
	conn, response, err := websocket.DefaultDialer.DialContext(ctx, url, nil)
	if err != nil {
		return nil, err
	}
	_ = response.Body.Close()
	_ = conn.SetReadDeadline(time.Now().Add(audienceAnswerMax))
	for _, message := range []any{
		map[string]any{"op": "auth", "token": key}, map[string]any{"op": "subscribe", "channels": channels},
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
		case said.Op == "subscribe" && len(said.Channels) != len(channels):
			return nil, fmt.Errorf("the subscription is rejected: %s", text)
		case said.Op == "subscribe":
			return conn, conn.SetReadDeadline(time.Time{})
		}
	}
}

// sample reads frames and notes their ages; the frames of the first subscriber are counted.
func (a *audiencePart) sample(conn *websocket.Conn, ages *frameAges, first bool) {
	for {
		_, payload, err := conn.ReadMessage()
		if err != nil {
			return
		}
		if due, timed := sentAt(payload); timed {
			ages.add(time.Since(due))
		}
		if bytes := int64(frameBytes(len(payload))); first {
			a.countedFrames.Add(1)
			a.countedBytes.Add(bytes)
		} else {
			a.bytes.Add(bytes)
		}
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
