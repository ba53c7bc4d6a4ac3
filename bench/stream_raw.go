package bench

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/gofiber/fiber/v2"
)

// rawServer is the least that sends frames to subscribers: it joins frames once, for all, and
// makes one write to each connection, one after the other. It has no queues, so that one
// subscriber that does not read stops it.
type rawServer struct {
	upgrader websocket.FastHTTPUpgrader

	mu    sync.Mutex
	conns map[net.Conn]bool
}

func newRawServer() *rawServer {
	return &rawServer{
		upgrader: websocket.FastHTTPUpgrader{ReadBufferSize: 256, WriteBufferPool: new(sync.Pool)},
		conns:    map[net.Conn]bool{},
	}
}

func (s *rawServer) handle(c *fiber.Ctx) error {
	return s.upgrader.Upgrade(c.Context(), s.serve)
}

// serve accepts any key and subscribes the connection to everything.
func (s *rawServer) serve(ws *websocket.Conn) {
	conn := ws.NetConn()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.conns, conn)
	}()
	for {
		_, text, err := ws.ReadMessage()
		if err != nil {
			return
		}
		var q struct {
			Op       string   `json:"op"`
			Channels []string `json:"channels"`
		}
		if err := json.Unmarshal(text, &q); err != nil || q.Op == "ping" {
			continue
		}
		if err := ws.WriteJSON(map[string]any{"op": q.Op, "ok": true, "channels": q.Channels}); err != nil {
			return
		}
		if q.Op == "subscribe" {
			s.mu.Lock()
			s.conns[conn] = true
			s.mu.Unlock()
		}
	}
}

// send sends as many frames to each connection as a subscriber of the service gets.
func (s *rawServer) send(ctx context.Context, q *streamRequest) (said streamAnswer, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	begun, frames, perSecond := time.Now(), q.Frames*q.Each, q.PerSecond*float64(q.Each)
	var joined, frame []byte
	for sent := 0; sent < frames; {
		joined = joined[:0]
		n := 0
		for ; n < max(1, q.FramesAWrite) && sent+n < frames; n++ {
			due := time.Now()
			if perSecond > 0 {
				due = begun.Add(time.Duration(float64(sent+n) / perSecond * float64(time.Second)))
			}
			// Only the first frame of a write is waited for.
			if n > 0 && due.After(time.Now()) {
				break
			}
			if err := waitUntil(ctx, due); err != nil {
				return said, err
			}
			frame = appendSent(frame[:0], due, q.Bytes)
			joined = append(appendFrameHead(joined, len(frame)), frame...)
		}
		for conn := range s.conns {
			if _, err := conn.Write(joined); err != nil {
				return said, err
			}
		}
		sent += n
		said.Deliveries += float64(n * len(s.conns))
		said.Writes += float64(len(s.conns))
	}
	if perSecond > 0 {
		err = waitUntil(ctx, time.Now().Add(streamSettle))
	}
	return said, err
}

// appendFrameHead appends the head of a text frame of a server.
func appendFrameHead(to []byte, payloadBytes int) []byte {
	const finalText = 0x81
	if payloadBytes < 126 {
		return append(to, finalText, byte(payloadBytes))
	}
	return append(to, finalText, 126, byte(payloadBytes>>8), byte(payloadBytes))
}

func (s *rawServer) close(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	for conn := range s.conns {
		err = errors.Join(err, conn.Close())
	}
	return err
}
