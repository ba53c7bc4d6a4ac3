package bybit_test

import (
	"io"
	"net"
	"sync"
	"testing"
)

// relay stands between a client and a server and can cut every connection, as
// networks do: without a word.
type relay struct {
	listener net.Listener
	target   string
	mu       sync.Mutex
	conns    map[net.Conn]bool
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
		r.listener.Close()
		r.cut()
		running.Wait()
	})
	return r
}

func (r *relay) address() string { return r.listener.Addr().String() }

func (r *relay) carry(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", r.target)
	if err != nil {
		return
	}
	defer server.Close()
	r.mu.Lock()
	r.conns[client], r.conns[server] = true, true
	r.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { _, _ = io.Copy(server, client); server.Close() })
	both.Go(func() { _, _ = io.Copy(client, server); client.Close() })
	both.Wait()
	r.mu.Lock()
	delete(r.conns, client)
	delete(r.conns, server)
	r.mu.Unlock()
}

// cut breaks every connection of the moment.
func (r *relay) cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for conn := range r.conns {
		conn.Close()
	}
}
