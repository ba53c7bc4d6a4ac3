package connectortest

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"

	"github.com/fasthttp/websocket"
)

// Command is a message of a connector on a stream connection.
type Command interface {
	// Verb returns the command's operation, in the venue's spelling.
	Verb() string
}

// Streams serves the stream connections of a [Server] and records the received commands.
// An empty path or verb means any.
type Streams[C Command] struct {
	// Read reads a message that is not JSON. If nil, such messages are ignored.
	Read func(text string) C

	mu       sync.Mutex
	answer   func(*websocket.Conn, C)
	conns    []streamConn
	received []receivedCommand[C]
}

type streamConn struct {
	*websocket.Conn
	address string // path and query
}

type receivedCommand[C Command] struct {
	command C
	address string
}

// ServeStreams serves a server's streams. answer answers each command on its connection,
// one at a time.
func ServeStreams[C Command](s *Server, answer func(*websocket.Conn, C)) *Streams[C] {
	v := &Streams[C]{answer: answer}
	s.Stream = v.Serve
	return v
}

// Serve serves one connection until it ends.
func (v *Streams[C]) Serve(r *http.Request, c *websocket.Conn) {
	address := r.URL.RequestURI()
	v.mu.Lock()
	v.conns = append(v.conns, streamConn{c, address})
	v.mu.Unlock()
	for {
		_, text, err := c.ReadMessage()
		if err != nil {
			return
		}
		var command C
		if json.Unmarshal(text, &command) != nil {
			if v.Read == nil {
				continue
			}
			command = v.Read(string(text))
		}
		v.mu.Lock()
		v.received = append(v.received, receivedCommand[C]{command, address})
		v.answer(c, command)
		v.mu.Unlock()
	}
}

// Answer replaces the function that answers commands.
func (v *Streams[C]) Answer(answer func(*websocket.Conn, C)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.answer = answer
}

// Send sends a message on the newest connection of a path.
func (v *Streams[C]) Send(path, message string) {
	conns := v.of(path)
	v.write(conns[len(conns)-1:], message)
}

// SendAll sends a message on every connection of a path.
func (v *Streams[C]) SendAll(path, message string) { v.write(v.of(path), message) }

// write sends between two answers. Connections that have ended are skipped.
func (v *Streams[C]) write(to []streamConn, message string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, c := range to {
		_ = c.WriteMessage(websocket.TextMessage, []byte(message))
	}
}

// Cut closes every connection of a path.
func (v *Streams[C]) Cut(path string) {
	for _, c := range v.of(path) {
		c.Close()
	}
}

// Connections returns how many connections of a path there have been.
func (v *Streams[C]) Connections(path string) int { return len(v.of(path)) }

// Addresses returns path and query of all connections, oldest first.
func (v *Streams[C]) Addresses() []string {
	conns := v.of("")
	all := make([]string, len(conns))
	for n, c := range conns {
		all[n] = c.address
	}
	return all
}

// Received returns the commands of a verb on a path, oldest first.
func (v *Streams[C]) Received(path, verb string) []C {
	v.mu.Lock()
	defer v.mu.Unlock()
	var all []C
	for _, r := range v.received {
		if (verb == "" || r.command.Verb() == verb) && isOf(path, r.address) {
			all = append(all, r.command)
		}
	}
	return all
}

func (v *Streams[C]) of(path string) []streamConn {
	v.mu.Lock()
	defer v.mu.Unlock()
	var all []streamConn
	for _, c := range v.conns {
		if isOf(path, c.address) {
			all = append(all, c)
		}
	}
	return all
}

func isOf(path, address string) bool {
	of, _, _ := strings.Cut(address, "?")
	return path == "" || path == of
}
