package listen_test

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"syscall"
	"testing"
	"time"

	"venuegate/transport/listen"
)

// connect returns both ends of a connection of a wrapped listener.
func connect(t *testing.T, wrap func(net.Listener) net.Listener) (client, server net.Conn) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if client, err = net.Dial("tcp", listener.Addr().String()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	if server, err = wrap(listener).Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	return client, server
}

func TestTimeoutBeforeTheFirstByteIsEOF(t *testing.T) {
	for sent, want := range map[string]error{"": io.EOF, "G": os.ErrDeadlineExceeded} {
		client, server := connect(t, func(l net.Listener) net.Listener { return listen.HTTP(l, 0) })
		if _, err := io.WriteString(client, sent); err != nil {
			t.Fatal(err)
		}
		if n, err := io.ReadFull(server, make([]byte, len(sent))); err != nil || n != len(sent) {
			t.Fatal(n, err)
		}
		if err := server.SetReadDeadline(time.Now()); err != nil {
			t.Fatal(err)
		}
		if _, err := server.Read(make([]byte, 1)); !errors.Is(err, want) {
			t.Errorf("read after %q: error %v, want %v", sent, err, want)
		}
	}
}

func TestWrappedConnectionsHaveDescriptors(t *testing.T) {
	_, server := connect(t, func(l net.Listener) net.Listener { return listen.HTTP(listen.PerAddress(l, 1), 0) })
	conn, ok := server.(syscall.Conn)
	if !ok {
		t.Fatalf("%T is no syscall.Conn, want one", server)
	}
	if _, err := conn.SyscallConn(); err != nil {
		t.Errorf("SyscallConn: error %v, want none", err)
	}
	buffered, ok := server.(interface{ SetWriteBuffer(bytes int) error })
	if !ok {
		t.Fatalf("%T has no SetWriteBuffer, want it", server)
	}
	if err := buffered.SetWriteBuffer(8192); err != nil {
		t.Errorf("SetWriteBuffer: error %v, want none", err)
	}
}

func TestConnectionsPerAddressAreLimited(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	limited := listen.PerAddress(listener, 2)
	accepted := make(chan net.Conn, 4)
	go func() {
		defer close(accepted)
		for {
			conn, err := limited.Accept()
			if err != nil {
				return
			}
			accepted <- conn
		}
	}()
	dial := func() net.Conn {
		conn, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	dial()
	dial()
	first, second := <-accepted, <-accepted
	if _, err := dial().Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("read of the third connection: error %v, want that of a closed one", err)
	}
	first.Close()
	first.Close() // is counted once
	dial()
	(<-accepted).Close()
	second.Close()
}

func TestClientAddrIsTheNetworkOfAnIPv6Address(t *testing.T) {
	for remote, want := range map[string]string{
		"203.0.113.7":          "203.0.113.7",
		"::ffff:203.0.113.7":   "203.0.113.7",
		"2001:db8:1:2:3:4:5:6": "2001:db8:1:2::",
		"2001:db8:1:2::1":      "2001:db8:1:2::",
		"fe80::1%eth0":         "fe80::",
	} {
		if got := listen.ClientAddr(netip.MustParseAddr(remote)); got.String() != want {
			t.Errorf("ClientAddr(%s) = %s, want %s", remote, got, want)
		}
	}
}

// fakeListener accepts a connection from each of the addresses.
type fakeListener struct {
	net.Listener
	from []string
}

func (l *fakeListener) Accept() (net.Conn, error) {
	if len(l.from) == 0 {
		return nil, net.ErrClosed
	}
	remote := net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(l.from[0]), 1))
	l.from = l.from[1:]
	return fakeConn{remote: remote}, nil
}

type fakeConn struct {
	net.Conn
	remote net.Addr
}

func (c fakeConn) RemoteAddr() net.Addr { return c.remote }
func (fakeConn) Close() error           { return nil }

// An IPv6 host may dial from another address each time.
func TestConnectionsPerIPv6NetworkAreLimited(t *testing.T) {
	l := listen.PerAddress(&fakeListener{from: []string{"2001:db8::1", "2001:db8::2", "2001:db8::3", "2001:db8:0:1::1"}}, 2)
	for _, want := range []string{"2001:db8::1", "2001:db8::2", "2001:db8:0:1::1"} {
		conn, err := l.Accept()
		if err != nil || conn.RemoteAddr().(*net.TCPAddr).IP.String() != want {
			t.Fatalf("accepted %v, %v; want a connection from %s", conn, err, want)
		}
	}
}
