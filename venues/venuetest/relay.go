package venuetest

import (
	"bytes"
	"context"
	"io"
	"net"
	"sync"
	"testing"
)

// relay stands between a connector and a simulator. It cuts every connection as
// networks do, without a word; it stops listening; and it changes what the
// simulator says.
type relay struct {
	listener net.Listener
	target   string

	mu      sync.Mutex
	conns   map[net.Conn]bool
	carried int // connections so far
	swap    *Swap
}

func newRelay(t *testing.T, target string) *relay {
	t.Helper()
	r := &relay{listener: listen(t), target: target, conns: make(map[net.Conn]bool)}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			client, err := r.listener.Accept()
			if err != nil {
				return
			}
			running.Go(func() { r.carry(client) })
		}
	})
	t.Cleanup(func() {
		r.stop()
		running.Wait()
	})
	return r
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func (r *relay) address() string { return r.listener.Addr().String() }

func (r *relay) carry(client net.Conn) {
	defer client.Close()
	// The relay's end cuts the connection, so that the dial needs no context.
	server, err := (&net.Dialer{Timeout: patience}).DialContext(context.Background(), "tcp", r.target)
	if err != nil {
		return
	}
	defer server.Close()
	r.mu.Lock()
	r.conns[client], r.conns[server] = true, true
	r.carried++
	r.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { _, _ = io.Copy(server, client); server.Close() })
	both.Go(func() { _, _ = io.Copy(client, &tampered{relay: r, Reader: server}); client.Close() })
	both.Wait()
	r.mu.Lock()
	delete(r.conns, client)
	delete(r.conns, server)
	r.mu.Unlock()
}

// tampered is what a simulator says, changed as the relay is told to.
type tampered struct {
	io.Reader
	relay *relay
}

func (s *tampered) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	s.relay.mu.Lock()
	swap := s.relay.swap
	s.relay.mu.Unlock()
	if swap != nil {
		copy(p[:n], bytes.ReplaceAll(p[:n], []byte(swap.Old), []byte(swap.New)))
	}
	return n, err
}

// connections is how many the relay has carried so far.
func (r *relay) connections() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.carried
}

// tamper changes what the simulator says from now on; nil leaves it as it is.
// Old and New have the same length, so that frames stay whole.
func (r *relay) tamper(swap *Swap) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.swap = swap
}

// cut breaks every connection of the moment.
func (r *relay) cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for conn := range r.conns {
		conn.Close()
	}
}

// stop ends the relay: whoever dials is refused.
func (r *relay) stop() {
	r.listener.Close()
	r.cut()
}
