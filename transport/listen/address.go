package listen

import (
	"errors"
	"net"
	"net/netip"
	"sync"
	"syscall"
)

// PerAddress returns a listener that closes connections past connsMax of one ClientAddr.
// The HTTP library has such a limit (MaxConnsPerIP), but it wraps connections in
// pooled objects: one that is closed twice may then belong to another client.
func PerAddress(l net.Listener, connsMax int) net.Listener {
	return &addressLimit{Listener: l, max: connsMax, open: make(map[netip.Addr]int)}
}

type addressLimit struct {
	net.Listener
	max int

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
		if !l.acquire(addr) {
			conn.Close()
			continue
		}
		return &countedConn{descriptorConn: descriptorConn{conn}, release: sync.OnceFunc(func() { l.release(addr) })}, nil
	}
}

func (l *addressLimit) acquire(addr netip.Addr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[addr] >= l.max {
		return false
	}
	l.open[addr]++
	return true
}

func (l *addressLimit) release(addr netip.Addr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[addr]--; l.open[addr] == 0 {
		delete(l.open, addr)
	}
}

// descriptorConn gives access to the descriptor and the send buffer of a wrapped
// connection that has them: the wrappers do not change bytes, and the stream writes to
// descriptors.
type descriptorConn struct{ net.Conn }

// SyscallConn implements syscall.Conn.
func (c descriptorConn) SyscallConn() (syscall.RawConn, error) {
	conn, ok := c.Conn.(syscall.Conn)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	return conn.SyscallConn()
}

// SetWriteBuffer sets the size of the kernel's send buffer, as net.TCPConn does.
func (c descriptorConn) SetWriteBuffer(bytes int) error {
	conn, ok := c.Conn.(interface{ SetWriteBuffer(bytes int) error })
	if !ok {
		return errors.ErrUnsupported
	}
	return conn.SetWriteBuffer(bytes)
}

// countedConn is counted until it is closed for the first time.
type countedConn struct {
	descriptorConn
	release func()
}

// Close implements net.Conn.
func (c *countedConn) Close() error {
	c.release()
	return c.Conn.Close()
}

func addressOf(conn net.Conn) netip.Addr {
	if tcp, ok := conn.RemoteAddr().(*net.TCPAddr); ok {
		return ClientAddr(tcp.AddrPort().Addr())
	}
	return netip.Addr{}
}

// networkBitsIPv6 is the prefix length of the network of one subscriber.
const networkBitsIPv6 = 64

// ClientAddr returns the address that limits count a client by: the network of an
// IPv6 address, since a client has all addresses of a /64.
func ClientAddr(remote netip.Addr) netip.Addr {
	remote = remote.Unmap().WithZone("")
	if !remote.Is6() {
		return remote
	}
	network, err := remote.Prefix(networkBitsIPv6)
	if err != nil { // impossible: IPv6 has more than 64 bits
		return remote
	}
	return network.Addr()
}
