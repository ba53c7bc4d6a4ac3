package stream

import (
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// socket is the writing side of one connection. Its methods are for the
// goroutine of the shard, cut excepted.
//
// A write is first tried without waiting, straight on the descriptor. What the
// kernel does not take at once goes to a goroutine of its own, which writes it
// under a deadline while the shard serves the others; until it is done the
// session queues. Connections that show no descriptor (TLS, pipes of tests) are
// always written that way. So no socket can hold a shard up, no write waits on
// a timer, and a healthy socket costs no goroutine.
type socket struct {
	conn net.Conn
	raw  syscall.RawConn // nil if there is no descriptor

	// One attempt on the descriptor: arguments and results of attempt, which is
	// made once, so that a write allocates nothing.
	attempt func(fd uintptr) bool
	data    []byte
	written int
	err     error

	background sync.WaitGroup
}

func newSocket(conn net.Conn, sendBufferBytes int) *socket {
	k := &socket{conn: conn}
	bare := unwrap(conn)
	if buffered, ok := bare.(interface{ SetWriteBuffer(bytes int) error }); ok {
		_ = buffered.SetWriteBuffer(sendBufferBytes) // a hint; the kernel's own size does as well
	}
	if described, ok := bare.(syscall.Conn); ok {
		if raw, err := described.SyscallConn(); err == nil {
			k.raw = raw
			k.attempt = k.writeDescriptor
		}
	}
	return k
}

// tryWrite writes what the kernel takes at once and returns how much that was.
func (k *socket) tryWrite(data []byte) (int, error) {
	if k.raw == nil {
		return 0, nil
	}
	k.data, k.written, k.err = data, 0, nil
	err := k.raw.Write(k.attempt)
	k.data = nil
	if err == nil {
		err = k.err
	}
	return k.written, err
}

// writeSlowly writes the rest in the background and then calls done, once. Only
// one such write may be under way.
func (k *socket) writeSlowly(rest *buffer, done func(error)) {
	writes := 1 + len(rest.bytes)/writeBytesMax
	// Set before the goroutine starts: a later, shorter deadline must win.
	k.setWriteDeadline(time.Now().Add(time.Duration(writes) * writeStallMax))
	k.background.Add(1)
	go func() {
		defer k.background.Done()
		_, err := k.conn.Write(rest.bytes)
		rest.release()
		done(err)
	}()
}

// hurry shortens the deadline of a write that is under way.
func (k *socket) hurry(most time.Duration) { k.setWriteDeadline(time.Now().Add(most)) }

// settle is called after a slow write, before the next one is tried: an old
// deadline would fail it.
func (k *socket) settle() { k.setWriteDeadline(time.Time{}) }

// interruptRead makes a Read that is waiting, or begins to, fail.
func (k *socket) interruptRead() {
	_ = k.conn.SetReadDeadline(time.Unix(1, 0)) // fails only on a closed connection, whose Read fails too
}

// cut ends a write under way and waits until nothing uses the connection any
// more. It is called when the shard has let go of it.
func (k *socket) cut() {
	k.setWriteDeadline(time.Unix(1, 0))
	k.background.Wait()
}

func (k *socket) setWriteDeadline(at time.Time) {
	_ = k.conn.SetWriteDeadline(at) // fails only on a closed connection, whose Write fails too
}

// isStall says whether a write failed because the reader does not read.
func isStall(err error) bool { return os.IsTimeout(err) }

// buffer is a pooled copy of bytes that a background write owns.
type buffer struct{ bytes []byte }

var buffers = sync.Pool{New: func() any { return new(buffer) }}

// keptBufferBytesMax bounds what a buffer keeps between two uses.
const keptBufferBytesMax = 2 * writeBytesMax

func copyBuffer(data []byte) *buffer {
	b, _ := buffers.Get().(*buffer)
	b.bytes = append(b.bytes[:0], data...)
	return b
}

func (b *buffer) release() {
	if cap(b.bytes) <= keptBufferBytesMax {
		buffers.Put(b)
	}
}
