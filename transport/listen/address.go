package listen

import (
	"errors"
	"net"
	"net/netip"
	"sync"
	"syscall"
)

// PerAddress closes connections past a number per address, as Accountable has it. The HTTP library has
// such a limit (MaxConnsPerIP), but wraps connections in pooled objects: one that
// is closed from two sides can be another client's by then.
func PerAddress(l net.Listener, most int) net.Listener {
	return &addressLimit{Listener: l, most: most, open: make(map[netip.Addr]int)}
}

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
		addr := addressOf(conn)
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

func addressOf(conn net.Conn) netip.Addr {
	if tcp, ok := conn.RemoteAddr().(*net.TCPAddr); ok {
		return Accountable(tcp.AddrPort().Addr())
	}
	return netip.Addr{}
}

// networkBitsIPv6 is what one subscriber of an access provider gets.
const networkBitsIPv6 = 64

// Accountable is the address that a client is counted under. Whoever has one IPv6
// address has 2^64 of them: all of a /64 are one.
func Accountable(remote netip.Addr) netip.Addr {
	remote = remote.Unmap().WithZone("")
	if !remote.Is6() {
		return remote
	}
	network, err := remote.Prefix(networkBitsIPv6)
	if err != nil { // cannot be: 64 bits fit
		return remote
	}
	return network.Addr()
}
