package simtest

import (
	"context"
	"net"
	"sync"
)

// Memory is a listener whose connections are pipes without a buffer: a write blocks
// until it is read.
type Memory struct {
	address string
	conns   chan net.Conn
	closed  chan struct{}
	once    sync.Once
}

// NewMemory returns a listener with the given address, which need not be unique.
func NewMemory(address string) *Memory {
	return &Memory{address: address, conns: make(chan net.Conn), closed: make(chan struct{})}
}

// Dial connects to the listener. It has the signature that HTTP and WebSocket clients
// require.
func (m *Memory) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case m.conns <- fromLoopback{server}:
		return client, nil
	case <-m.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept implements net.Listener.
func (m *Memory) Accept() (net.Conn, error) {
	select {
	case c := <-m.conns:
		return c, nil
	case <-m.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (m *Memory) Close() error {
	m.once.Do(func() { close(m.closed) })
	return nil
}

// Addr implements net.Listener.
func (m *Memory) Addr() net.Addr { return &net.UnixAddr{Net: "memory", Name: m.address} }

// fromLoopback is a connection with a loopback address as its remote address, as real
// connections of tests have.
type fromLoopback struct{ net.Conn }

// RemoteAddr implements net.Conn.
func (fromLoopback) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }
