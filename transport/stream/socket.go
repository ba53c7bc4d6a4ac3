package stream

import (
	"net"
	"reflect"
	"sync"
	"syscall"
	"time"
)

// socket is the writing side of one connection. Except for stopWriting, its methods
// are for the goroutine of the shard.
//
// A write is first tried on the descriptor without blocking. What the kernel does not
// accept immediately is written by a separate goroutine under a deadline while the
// shard serves other sockets; until it is done, the session queues frames. Connections
// without a descriptor (TLS, pipes of tests) are always written that way. No socket
// can block a shard, no write waits for a timer, and a healthy socket needs no
// goroutine.
type socket struct {
	conn net.Conn
	raw  syscall.RawConn // nil if there is no descriptor

	// Arguments and results of attempt, one write on the descriptor. The function
	// value is created once, so that a write does not allocate.
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
		_ = buffered.SetWriteBuffer(sendBufferBytes) // only a hint; the default size of the kernel works too
	}
	if described, ok := bare.(syscall.Conn); ok {
		if raw, err := described.SyscallConn(); err == nil {
			k.raw = raw
			k.attempt = k.writeDescriptor
		}
	}
	return k
}

// unwrap returns the connection inside the two wrappers of fasthttp, which hide the
// descriptor. No other wrapper is removed, so a write never bypasses one that changes
// the bytes, such as TLS.
func unwrap(conn net.Conn) net.Conn {
	if hijacked, ok := conn.(interface{ UnsafeConn() net.Conn }); ok {
		conn = hijacked.UnsafeConn()
	}
	if counted := unwrapPerIP(conn); counted != nil {
		conn = counted
	}
	return conn
}

// unwrapPerIP returns the connection in a fasthttp.perIPConn, which has no method for
// it; nil for any other type. A server with MaxConnsPerIP uses that wrapper.
func unwrapPerIP(conn net.Conn) net.Conn {
	v := reflect.ValueOf(conn)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return nil
	}
	v = v.Elem()
	if v.Type().PkgPath() != "github.com/valyala/fasthttp" || v.Type().Name() != "perIPConn" {
		return nil
	}
	inner, _ := v.FieldByName("Conn").Interface().(net.Conn)
	return inner
}

// tryWrite writes as much as the kernel accepts immediately and returns how much that
// was.
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

// writeInBackground writes the rest in a goroutine and then calls done, once. Only one
// such write may be in progress.
func (k *socket) writeInBackground(rest *buffer, done func(error)) {
	writes := 1 + len(rest.bytes)/writeBytesMax
	// Set before the goroutine starts, so that a later, shorter deadline prevails.
	k.setWriteDeadline(time.Now().Add(time.Duration(writes) * writeStallMax))
	k.background.Go(func() {
		_, err := k.conn.Write(rest.bytes)
		rest.release()
		done(err)
	})
}

// shortenDeadline shortens the deadline of a write in progress.
func (k *socket) shortenDeadline(most time.Duration) { k.setWriteDeadline(time.Now().Add(most)) }

// clearDeadline removes the deadline after a background write: it would fail the next
// one.
func (k *socket) clearDeadline() { k.setWriteDeadline(time.Time{}) }

// interruptRead makes a Read fail that is waiting, or that begins later.
func (k *socket) interruptRead() {
	_ = k.conn.SetReadDeadline(time.Unix(1, 0)) // fails only on a closed connection, whose Read fails too
}

// stopWriting interrupts a write in progress and waits until no goroutine uses the
// connection. It is called after the shard has released the session.
func (k *socket) stopWriting() {
	k.setWriteDeadline(time.Unix(1, 0))
	k.background.Wait()
}

func (k *socket) setWriteDeadline(at time.Time) {
	_ = k.conn.SetWriteDeadline(at) // fails only on a closed connection, whose Write fails too
}

// buffer is a pooled buffer that a background write owns.
type buffer struct{ bytes []byte }

var buffers = sync.Pool{New: func() any { return new(buffer) }}

// pooledBufferBytesMax bounds the size of buffers that are pooled.
const pooledBufferBytesMax = 2 * writeBytesMax

func copyBuffer(data []byte) *buffer {
	b, _ := buffers.Get().(*buffer)
	b.bytes = append(b.bytes[:0], data...)
	return b
}

func (b *buffer) release() {
	if cap(b.bytes) <= pooledBufferBytesMax {
		buffers.Put(b)
	}
}
