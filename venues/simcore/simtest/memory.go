package simtest

import (
	"context"
	"net"
	"sync"
)

// Memory is a listener whose connections are pipes. They hold nothing: what is
// written waits to be read.
type Memory struct {
	address string
	conns   chan net.Conn
	closed  chan struct{}
	once    sync.Once
}

// NewMemory listens at an address that nothing else need have.
func NewMemory(address string) *Memory {
	return &Memory{address: address, conns: make(chan net.Conn), closed: make(chan struct{})}
}

// Dial connects, as clients want it to be done.
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

// fromLoopback is a connection that seems to come from this machine, as the one of
// every other client does.
type fromLoopback struct{ net.Conn }

// RemoteAddr implements net.Conn.
func (fromLoopback) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }
