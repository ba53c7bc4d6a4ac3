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

// pair is both ends of a connection that a listener has accepted.
func pair(t *testing.T, wrap func(net.Listener) net.Listener) (client, server net.Conn) {
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

// A timeout before the first byte is an end, one after it a timeout.
func TestQuiet(t *testing.T) {
	for sent, want := range map[string]error{"": io.EOF, "G": os.ErrDeadlineExceeded} {
		client, server := pair(t, listen.Quiet)
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
			t.Errorf("after %q: %v, want %v", sent, err, want)
		}
	}
}

// Both wrappers leave the descriptor in reach.
func TestDescriptorsStayInReach(t *testing.T) {
	_, server := pair(t, func(l net.Listener) net.Listener { return listen.Quiet(listen.PerAddress(l, 1)) })
	described, ok := server.(syscall.Conn)
	if !ok {
		t.Fatalf("%T has no descriptor", server)
	}
	if _, err := described.SyscallConn(); err != nil {
		t.Error(err)
	}
}

func TestPerAddress(t *testing.T) {
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
		t.Errorf("the third one: %v", err)
	}
	first.Close()
	first.Close() // counts once
	dial()
	(<-accepted).Close()
	second.Close()
}

func TestAccountable(t *testing.T) {
	for remote, want := range map[string]string{
		"203.0.113.7":          "203.0.113.7",
		"::ffff:203.0.113.7":   "203.0.113.7",
		"2001:db8:1:2:3:4:5:6": "2001:db8:1:2::",
		"2001:db8:1:2::1":      "2001:db8:1:2::",
		"fe80::1%eth0":         "fe80::",
	} {
		if got := listen.Accountable(netip.MustParseAddr(remote)); got.String() != want {
			t.Errorf("%s: got %s, want %s", remote, got, want)
		}
	}
}

// guests is a listener whose connections come from these addresses.
type guests struct {
	net.Listener
	from []string
}

func (g *guests) Accept() (net.Conn, error) {
	if len(g.from) == 0 {
		return nil, net.ErrClosed
	}
	remote := net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(g.from[0]), 1))
	g.from = g.from[1:]
	return guest{remote: remote}, nil
}

type guest struct {
	net.Conn
	remote net.Addr
}

func (g guest) RemoteAddr() net.Addr { return g.remote }
func (guest) Close() error           { return nil }

// An IPv6 host dials from another address each time and is one all the same.
func TestPerAddressCountsNetworks(t *testing.T) {
	l := listen.PerAddress(&guests{from: []string{"2001:db8::1", "2001:db8::2", "2001:db8::3", "2001:db8:0:1::1"}}, 2)
	for _, want := range []string{"2001:db8::1", "2001:db8::2", "2001:db8:0:1::1"} {
		conn, err := l.Accept()
		if err != nil || conn.RemoteAddr().(*net.TCPAddr).IP.String() != want {
			t.Fatalf("accepted %v, %v, want %s", conn, err, want)
		}
	}
}
