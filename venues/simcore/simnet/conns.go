package simnet

import (
	"net"
	"sync"
)

// connections is a listener that tracks its open connections. A client may hold an
// idle one that the HTTP server counts as busy; the end of a server must not depend
// on it.
type connections struct {
	net.Listener

	mu   sync.Mutex
	open map[*connection]struct{}
}

type connection struct {
	net.Conn
	of *connections
}

func trackConnections(listener net.Listener) *connections {
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

// closeOpen closes the connections that are still open.
func (c *connections) closeOpen() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for open := range c.open {
		_ = open.Conn.Close()
	}
}
