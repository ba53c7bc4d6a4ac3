package simnet

import (
	"time"

	"github.com/fasthttp/websocket"
)

// run reads until the connection ends and joins the writer before it returns.
func (s *Session) run(handler SessionHandler) {
	written := make(chan struct{})
	go func() {
		defer close(written)
		s.write()
	}()
	s.prepareReading()
	handler.Opened(s)
	s.read(handler)
	s.Close(websocket.CloseAbnormalClosure, "")
	<-written
	handler.Ended(s)
}

func (s *Session) prepareReading() {
	s.conn.SetReadLimit(readBytesMax)
	s.extendReadDeadline()
	s.conn.SetPongHandler(func(string) error {
		s.count()
		return nil
	})
	s.conn.SetPingHandler(func(payload string) error {
		s.count()
		return s.conn.WriteControl(websocket.PongMessage, []byte(payload), time.Now().Add(writeTimeout))
	})
}

func (s *Session) read(handler SessionHandler) {
	for {
		kind, data, err := s.conn.ReadMessage()
		if err != nil {
			return
		}
		s.count()
		if kind == websocket.TextMessage {
			handler.Received(s, data)
		}
	}
}

// extendReadDeadline restarts the client's SilenceMax.
func (s *Session) extendReadDeadline() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.options.SilenceMax > 0 && !s.closed {
		// A connection that rejects a deadline fails at its next read.
		_ = s.conn.SetReadDeadline(time.Now().Add(s.options.SilenceMax))
	}
}

// unblockReader ends a pending read. The HTTP server closes the connection itself
// when the session's handler returns; closing it here would have no effect.
func (s *Session) unblockReader() {
	s.Close(websocket.CloseAbnormalClosure, "")
	_ = s.conn.SetReadDeadline(time.Now())
}

// count counts an incoming frame and closes a session that sends too many.
func (s *Session) count() {
	s.extendReadDeadline()
	now := time.Now()
	if now.Sub(s.windowStart) >= rateLimitSpan {
		s.windowStart, s.windowCount = now, 0
	}
	s.windowCount++
	if limit := s.options.MessagesPerSecondMax; limit > 0 && s.windowCount > limit {
		s.Close(websocket.ClosePolicyViolation, "Too many requests")
	}
}

// write sends queued messages and pings, and the close frame at the end.
func (s *Session) write() {
	defer s.unblockReader()
	ping, stopPing := ticking(s.options.PingInterval)
	defer stopPing()
	life, stopLife := ticking(s.options.LifetimeMax)
	defer stopLife()
	for {
		batch, closed := s.takeQueue()
		for _, m := range batch {
			if !s.writeOne(m) {
				return
			}
		}
		if closed {
			s.writeClose()
			return
		}
		if len(batch) > 0 {
			continue
		}
		select {
		case <-s.wake:
		case <-ping:
			payload := []byte(time.Now().UTC().Format("20060102150405.000"))
			if s.conn.WriteControl(websocket.PingMessage, payload, time.Now().Add(writeTimeout)) != nil {
				return
			}
		case <-life:
			s.Close(websocket.CloseNormalClosure, "")
		}
	}
}

// takeQueue removes the queued messages and returns those that are to be sent.
func (s *Session) takeQueue() (batch []outgoing, closed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	batch, s.queue, s.queuedBytes = s.queue, nil, 0
	if s.closed && !s.drains {
		batch = nil
	}
	return batch, s.closed
}

func (s *Session) writeOne(m outgoing) bool {
	if wait := time.Until(m.notBefore); !m.notBefore.IsZero() && wait > 0 && !s.pause(wait) {
		s.writeClose()
		return false
	}
	if s.conn.SetWriteDeadline(time.Now().Add(writeTimeout)) != nil {
		return false
	}
	return s.conn.WriteMessage(websocket.TextMessage, m.data) == nil
}

// pause waits for d. It returns false where the session is closed meanwhile.
func (s *Session) pause(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			return true
		case <-s.wake:
			if s.isClosed() {
				return false
			}
		}
	}
}

func (s *Session) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

func (s *Session) writeClose() {
	s.mu.Lock()
	code, reason := s.closeCode, s.closeReason
	s.mu.Unlock()
	if code == websocket.CloseAbnormalClosure {
		return
	}
	frame := websocket.FormatCloseMessage(code, reason)
	// The peer may have disconnected already; the connection is closed in any case.
	_ = s.conn.WriteControl(websocket.CloseMessage, frame, time.Now().Add(closeTimeout))
}

// ticking returns a ticker that never ticks for a zero interval.
func ticking(d time.Duration) (<-chan time.Time, func()) {
	if d <= 0 {
		return nil, func() {}
	}
	ticker := time.NewTicker(d)
	return ticker.C, ticker.Stop
}
