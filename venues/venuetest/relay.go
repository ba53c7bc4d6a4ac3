package venuetest

import (
	"bufio"
	"context"
	"io"
	"net"
	"sync"
	"testing"
)

// relay is a proxy between a connector and a simulator. It cuts connections without a
// close frame, stops listening, and changes the messages of the simulator.
type relay struct {
	listener net.Listener
	target   string
	// observe is called with each message of the simulator's streams.
	observe func(message string)

	mu      sync.Mutex
	conns   map[net.Conn]bool
	carried int // connections so far
	change  func(message string) string
}

func newRelay(t *testing.T, target string, observe func(message string)) *relay {
	t.Helper()
	r := &relay{listener: listen(t), target: target, observe: observe, conns: make(map[net.Conn]bool)}
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
	// The end of the relay closes the connection, so that the dial needs no context.
	server, err := (&net.Dialer{Timeout: waitMax}).DialContext(context.Background(), "tcp", r.target)
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
	both.Go(func() { _, _ = io.Copy(client, &messages{relay: r, from: bufio.NewReader(server)}); client.Close() })
	both.Wait()
	r.mu.Lock()
	delete(r.conns, client)
	delete(r.conns, server)
	r.mu.Unlock()
}

// connections returns how many connections there were so far.
func (r *relay) connections() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.carried
}

// tamper changes the messages of the simulator's streams from now on; a nil change
// leaves them unchanged.
func (r *relay) tamper(change func(message string) string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.change = change
}

// changed returns a message with the change applied.
func (r *relay) changed(message []byte) []byte {
	r.observe(string(message))
	r.mu.Lock()
	change := r.change
	r.mu.Unlock()
	if change == nil {
		return message
	}
	return []byte(change(string(message)))
}

// cut closes all open connections.
func (r *relay) cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for conn := range r.conns {
		conn.Close()
	}
}

// stop stops listening and closes all connections.
func (r *relay) stop() {
	r.listener.Close()
	r.cut()
}
