package rest

import (
	"crypto/tls"
	"errors"
	"net"
	"net/netip"
	"sync"
	"syscall"
)

// Serve takes requests from the listener until Shutdown, encrypted if
// Deps.TLS is set. It blocks, and is nil after Shutdown.
func (s *Server) Serve(ln net.Listener) error {
	if most := s.connsPerAddressMax(); most > 0 {
		ln = &addressLimit{Listener: ln, most: most, open: make(map[netip.Addr]int)}
	}
	if s.deps.TLS != nil {
		ln = tls.NewListener(ln, s.deps.TLS)
	}
	return s.app.Listener(quiet{ln})
}

// connsPerAddressMax is zero for no limit.
func (s *Server) connsPerAddressMax() int {
	if s.deps.ConnsPerAddressMax == 0 && len(s.deps.TrustedProxies) > 0 {
		return 0
	}
	return max(orDefault(s.deps.ConnsPerAddressMax, connsPerAddressMaxDefault), 0)
}

// addressLimit closes connections past a number per address. The HTTP library
// has such a limit (MaxConnsPerIP), but wraps connections in pooled objects: one
// that is closed from two sides can be another client's by then.
type addressLimit struct {
	net.Listener
	most int

	mu   sync.Mutex
	open map[netip.Addr]int
}

// Accept implements net.Listener.
func (l *addressLimit) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		addr := remote(conn.RemoteAddr())
		if !l.take(addr) {
			conn.Close()
			continue
		}
		return &countedConn{describedConn: describedConn{conn}, leave: sync.OnceFunc(func() { l.leave(addr) })}, nil
	}
}

func (l *addressLimit) take(addr netip.Addr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[addr] >= l.most {
		return false
	}
	l.open[addr]++
	return true
}

func (l *addressLimit) leave(addr netip.Addr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[addr]--; l.open[addr] == 0 {
		delete(l.open, addr)
	}
}

// describedConn shows the descriptor of the connection below, where that has one:
// nothing here changes bytes, and the stream writes to descriptors.
type describedConn struct{ net.Conn }

// SyscallConn implements syscall.Conn.
func (c describedConn) SyscallConn() (syscall.RawConn, error) {
	described, ok := c.Conn.(syscall.Conn)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	return described.SyscallConn()
}

// countedConn leaves its count when it is closed, once.
type countedConn struct {
	describedConn
	leave func()
}

// Close implements net.Conn.
func (c *countedConn) Close() error {
	c.leave()
	return c.Conn.Close()
}
