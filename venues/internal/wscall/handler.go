package wscall

import (
	"time"

	"venuegate/venues/internal/wsclient"
)

// handler receives the calls of the link; its methods are not part of Client's.
type handler struct{ *Client }

func (h handler) Opened(conn *wsclient.Conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.conn, h.openedAt = conn, time.Now()
}

// Message passes an answer to its call and then applies the message's effect to the
// connection, which is the current one because no other is read.
func (h handler) Message(_ *wsclient.Conn, data []byte) {
	m := h.options.Read(data)
	if m == (Message{}) {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if m.ID != "" {
		h.deliver(m.ID, data)
	}
	if m.Effect == RejectWithoutID && h.rejectWithoutIDAt.IsZero() {
		h.rejectWithoutIDAt = time.Now()
	}
	h.draining = h.draining || m.Effect != NoEffect
	h.abortIfDrained()
}

func (h handler) Lost(cause error) { h.failAll(cause) }

// Tick replaces a connection at the end of its lifetime, and one whose calls have waited
// long enough after an rejection without an id.
func (h handler) Tick(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.conn == nil {
		return
	}
	if !h.rejectWithoutIDAt.IsZero() && now.Sub(h.rejectWithoutIDAt) >= rejectWithoutIDWait {
		h.conn.Abort(errRejectWithoutID)
		return
	}
	h.draining = h.draining || h.lifetime > 0 && now.Sub(h.openedAt) >= h.lifetime
	h.abortIfDrained()
}
