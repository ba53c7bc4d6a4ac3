package simnet

import (
	"net"
	"sync"
)

// connections are those that a listener has accepted and that are still open. A
// client may hold one that the HTTP server counts as busy and that brings
// nothing any more; the end of a server must not depend on it.
type connections struct {
	net.Listener

	mu   sync.Mutex
	open map[*connection]struct{}
}

type connection struct {
	net.Conn
	of *connections
}

func track(listener net.Listener) *connections {
	return &connections{Listener: listener, open: map[*connection]struct{}{}}
}

// Accept implements net.Listener.
func (c *connections) Accept() (net.Conn, error) {
	accepted, err := c.Listener.Accept()
	if err != nil {
		return nil, err
	}
	tracked := &connection{Conn: accepted, of: c}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[tracked] = struct{}{}
	return tracked, nil
}

// Close implements net.Conn.
func (c *connection) Close() error {
	c.of.mu.Lock()
	delete(c.of.open, c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// cut closes what is still open.
func (c *connections) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for open := range c.open {
		_ = open.Conn.Close()
	}
}
