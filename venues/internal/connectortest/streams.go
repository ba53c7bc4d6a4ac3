package connectortest

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"

	"github.com/fasthttp/websocket"
)

// Command is what a connector says on a stream connection.
type Command interface {
	// Verb is what it asks for, in the venue's word.
	Verb() string
}

// Streams serves the stream connections of a [Server] by hand and remembers what
// it was told. Where a path or a verb is asked for, "" is any.
type Streams[C Command] struct {
	// Read reads a message that is no JSON; such are ignored if it is nil.
	Read func(text string) C

	mu     sync.Mutex
	answer func(*websocket.Conn, C)
	conns  []streamConn
	told   []toldCommand[C]
}

type streamConn struct {
	*websocket.Conn
	address string // path and query
}

type toldCommand[C Command] struct {
	command C
	address string
}

// ServeStreams serves a server's streams. answer answers each command on its
// connection, one at a time.
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
		v.told = append(v.told, toldCommand[C]{command, address})
		v.answer(c, command)
		v.mu.Unlock()
	}
}

// Answer has commands answered in another way from now on.
func (v *Streams[C]) Answer(answer func(*websocket.Conn, C)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.answer = answer
}

// Say sends a message on the newest connection of a path.
func (v *Streams[C]) Say(path, message string) {
	conns := v.of(path)
	v.write(conns[len(conns)-1:], message)
}

// SayAll sends a message on every connection of a path.
func (v *Streams[C]) SayAll(path, message string) { v.write(v.of(path), message) }

// write sends between two answers. A connection that has ended hears nothing.
func (v *Streams[C]) write(to []streamConn, message string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, c := range to {
		_ = c.WriteMessage(websocket.TextMessage, []byte(message))
	}
}

// Cut ends every connection of a path.
func (v *Streams[C]) Cut(path string) {
	for _, c := range v.of(path) {
		c.Close()
	}
}

// Connections is how many there have been of a path.
func (v *Streams[C]) Connections(path string) int { return len(v.of(path)) }

// Addresses are path and query of all connections, oldest first.
func (v *Streams[C]) Addresses() []string {
	conns := v.of("")
	all := make([]string, len(conns))
	for n, c := range conns {
		all[n] = c.address
	}
	return all
}

// Told lists the commands of a verb on a path, oldest first.
func (v *Streams[C]) Told(path, verb string) []C {
	v.mu.Lock()
	defer v.mu.Unlock()
	var all []C
	for _, told := range v.told {
		if (verb == "" || told.command.Verb() == verb) && isOf(path, told.address) {
			all = append(all, told.command)
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
