package wscall

import (
	"time"

	"venuegate/venues/internal/wsclient"
)

// handler hears the link; its methods are no part of the Client's own.
type handler struct{ *Client }

func (h handler) Opened(conn *wsclient.Conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.conn, h.openedAt = conn, time.Now()
}

// Message gives an answer to its call, and then heeds what is said of the
// connection: it is the one that the table belongs to, for that is read alone.
func (h handler) Message(_ *wsclient.Conn, data []byte) {
	m := h.options.Read(data)
	if m == (Message{}) {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if m.ID != "" {
		h.answered(m.ID, data)
	}
	if m.Says == Nameless && h.namelessAt.IsZero() {
		h.namelessAt = time.Now()
	}
	h.draining = h.draining || m.Says != Nothing
	h.settle()
}

func (h handler) Lost(cause error) { h.lose(cause) }

// Tick replaces a connection at the end of its lifetime, and gives up one whose
// calls have waited long enough behind a refusal without a name.
func (h handler) Tick(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.conn == nil {
		return
	}
	if !h.namelessAt.IsZero() && now.Sub(h.namelessAt) >= namelessWait {
		h.conn.GiveUp(errNameless)
		return
	}
	h.draining = h.draining || h.lifetime > 0 && now.Sub(h.openedAt) >= h.lifetime
	h.settle()
}
