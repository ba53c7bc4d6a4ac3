package exchange

import (
	"errors"
	"sync"
	"time"
)

// errPoolFull is the error of a request for which there is no connection.
var errPoolFull = errors.New("all connections to the venue are in use")

// pool keeps unused connections and counts all of them.
type pool struct {
	connsMax    int
	idleTimeout time.Duration

	mu sync.Mutex
	// idle are the unused connections, the longest unused first.
	idle []*conn
	// open counts the connections, with those that are being made.
	open   int
	expiry *time.Timer // while there are unused connections
	closed bool
}

// take returns the connection that was used last. If none is kept it returns nil and counts
// one that the caller makes; it fails if there are connsMax already.
func (p *pool) take() (*conn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last := len(p.idle) - 1; last >= 0 {
		c := p.idle[last]
		p.idle[last] = nil
		p.idle = p.idle[:last]
		return c, nil
	}
	if p.open >= p.connsMax {
		return nil, errPoolFull
	}
	p.open++
	return nil, nil
}

// keep keeps a connection for the next exchange.
func (p *pool) keep(c *conn) {
	c.keptAt = time.Now()
	p.mu.Lock()
	closed := p.closed
	if !closed {
		p.idle = append(p.idle, c)
		if p.expiry == nil {
			p.expiry = time.AfterFunc(p.idleTimeout, p.expire)
		}
	}
	p.mu.Unlock()
	if closed {
		p.discard(c)
	}
}

// discard closes a connection. There is no notice by TLS, which could block.
func (p *pool) discard(c *conn) {
	c.Close()
	p.free()
}

// free frees the place of a connection that is closed or was not made.
func (p *pool) free() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open--
}

// expire closes the connections that were unused for idleTimeout.
func (p *pool) expire() {
	p.mu.Lock()
	expired := 0
	for expired < len(p.idle) && time.Since(p.idle[expired].keptAt) >= p.idleTimeout {
		expired++
	}
	unused := append([]*conn(nil), p.idle[:expired]...)
	p.idle = append(p.idle[:0], p.idle[expired:]...)
	if p.expiry = nil; len(p.idle) > 0 {
		p.expiry = time.AfterFunc(p.idleTimeout-time.Since(p.idle[0].keptAt), p.expire)
	}
	p.mu.Unlock()
	for _, c := range unused {
		p.discard(c)
	}
}

// close closes the unused connections; others are not kept any more.
func (p *pool) close() {
	p.mu.Lock()
	unused := p.idle
	p.idle, p.closed = nil, true
	if p.expiry != nil {
		p.expiry.Stop()
		p.expiry = nil
	}
	p.mu.Unlock()
	for _, c := range unused {
		p.discard(c)
	}
}
