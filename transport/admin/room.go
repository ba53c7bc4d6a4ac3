package admin

import (
	"net"
	"sync"

	"github.com/gofiber/fiber/v2"

	"venuegate/venues"
)

// Limits of connections.
const (
	// callersMax bounds the connections that have made calls other than for health and
	// metrics.
	callersMax = 64
	// spareMax bounds the others. A burst of as many new callers finds room.
	spareMax = 64
)

// room limits the connections of the listener so that health and metrics are served even
// if there are too many others: a connection that makes another call counts as a caller
// until it is closed, and of the others, which are new or serve health and metrics, the
// one that has been idle for longest makes room for a new one.
type room struct {
	net.Listener

	mu      sync.Mutex
	callers int
	// spare are the connections that are no callers, the longest idle first.
	spare []*roomConn
}

func newRoom(l net.Listener) *room { return &room{Listener: l} }

// roomConn is a connection with a place in the room.
type roomConn struct {
	net.Conn
	room   *room
	caller bool
	busy   bool
	closed bool
}

// Accept implements net.Listener.
func (r *room) Accept() (net.Conn, error) {
	for {
		conn, err := r.Listener.Accept()
		if err != nil {
			return nil, err
		}
		c := &roomConn{Conn: conn, room: r}
		evicted, admitted := r.admit(c)
		if evicted != nil {
			_ = evicted.Close() // it is idle
		}
		if admitted {
			return c, nil
		}
		conn.Close()
	}
}

// admit gives a new connection a place, that of an idle one if necessary. It reports
// whether there was one.
func (r *room) admit(c *roomConn) (evicted *roomConn, admitted bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.spare) >= spareMax {
		for _, other := range r.spare {
			if !other.busy {
				evicted = other
				break
			}
		}
		if evicted == nil {
			return nil, false
		}
		r.leave(evicted)
	}
	r.spare = append(r.spare, c)
	return evicted, true
}

// leave ends the place of a connection. The caller holds the lock.
func (r *room) leave(c *roomConn) {
	if c.closed {
		return
	}
	c.closed = true
	if c.caller {
		r.callers--
		return
	}
	r.removeSpare(c)
}

func (r *room) removeSpare(c *roomConn) {
	for i, other := range r.spare {
		if other == c {
			r.spare = append(r.spare[:i], r.spare[i+1:]...)
			return
		}
	}
}

// Close implements net.Conn.
func (c *roomConn) Close() error {
	c.room.mu.Lock()
	c.room.leave(c)
	c.room.mu.Unlock()
	return c.Conn.Close()
}

// begin marks a connection that serves a call. It reports whether the call may be served.
func (c *roomConn) begin(health bool) bool {
	r := c.room
	r.mu.Lock()
	defer r.mu.Unlock()
	c.busy = true
	switch {
	case c.closed:
		return false
	case health || c.caller:
		return true
	case r.callers >= callersMax:
		return false
	}
	r.removeSpare(c)
	c.caller = true
	r.callers++
	return true
}

// end marks a connection that has served a call.
func (c *roomConn) end() {
	r := c.room
	r.mu.Lock()
	defer r.mu.Unlock()
	c.busy = false
	if !c.caller && !c.closed {
		r.removeSpare(c)
		r.spare = append(r.spare, c)
	}
}

// isHealth reports whether a path is of the calls for which room is kept.
func isHealth(path string) bool { return path == "/healthz" || path == "/readyz" || path == "/metrics" }

// limit serves a call if there is room for it.
func limit(c *fiber.Ctx) error {
	conn, ok := c.Context().Conn().(*roomConn)
	if !ok {
		return c.Next()
	}
	defer conn.end()
	if !conn.begin(isHealth(c.Path())) {
		c.Context().SetConnectionClose()
		return venues.Errorf(venues.CodeMaintenance, "more than %d connections administer the service", callersMax)
	}
	return c.Next()
}
