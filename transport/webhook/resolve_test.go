package webhook_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"venuegate/transport/hostiletest"
	"venuegate/transport/webhook"
)

// nameServer answers address queries with the results of next.
func nameServer(t *testing.T, next func() netip.Addr) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		buffer := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buffer)
			if err != nil {
				return
			}
			if response := resolve(buffer[:n], next); response != nil {
				_, _ = conn.WriteTo(response, from)
			}
		}
	}()
	t.Cleanup(func() { _ = conn.Close(); <-stopped })
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

func resolve(query []byte, next func() netip.Addr) []byte {
	var m dnsmessage.Message
	if m.Unpack(query) != nil || len(m.Questions) != 1 {
		return nil
	}
	q := m.Questions[0]
	m.Response, m.Authoritative, m.Additionals = true, true, nil
	header := dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET}
	if q.Type == dnsmessage.TypeA {
		m.Answers = []dnsmessage.Resource{{Header: header, Body: &dnsmessage.AResource{A: next().As4()}}}
	}
	response, err := m.Pack()
	if err != nil {
		return nil
	}
	return response
}

// listen counts the connections to an address.
func listen(t *testing.T, address string) (port string, connects *atomic.Int32) {
	t.Helper()
	connects = new(atomic.Int32)
	at, err := hostiletest.Listen(t, address, func(net.Conn) { connects.Add(1) })
	if err != nil {
		t.Skipf("this machine has no %s: %v", address, err)
	}
	_, port, _ = net.SplitHostPort(at.String())
	return port, connects
}

// 127.0.0.1 is an allowed address, 127.0.0.2 a denied one.
func TestNameThatChangesItsAddressIsDenied(t *testing.T) {
	const attempts = 1000
	r := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Connection", "close") })
	port := r.Listener.Addr().(*net.TCPAddr).AddrPort().Port()
	_, inside := listen(t, netip.AddrPortFrom(netip.MustParseAddr("127.0.0.2"), port).String())
	var queries, octet atomic.Int32 // their number, and the last octet of the last response
	resolver := nameServer(t, func() netip.Addr {
		octet.Store(2 - queries.Add(1)%2)
		return netip.AddrFrom4([4]byte{127, 0, 0, byte(octet.Load())})
	})
	s := sender(t, func(o *webhook.Options) { o.Resolver = resolver })
	target := strings.Replace(r.URL, "127.0.0.1", "receiver.example.", 1)
	delivered := 0
	for range attempts {
		out := s.Send(t.Context(), endpoint(target), event, 1, time.Now())
		if out.Err == nil {
			delivered++
		}
		if octet.Load() == 1 && out.Err != nil || octet.Load() == 2 && !errors.Is(out.Err, webhook.ErrDenied) {
			t.Fatalf("resolved to 127.0.0.%d: error %v, want none for 1 and ErrDenied for 2", octet.Load(), out.Err)
		}
	}
	// On a busy machine a query may have been repeated.
	if inside.Load() != 0 || delivered != attempts/2 && int(queries.Load()) == attempts {
		t.Errorf("delivered %d of %d with %d queries and %d connections to the denied address, want half and 0", delivered, attempts, queries.Load(), inside.Load())
	}
}

// The listener is at the address of most of these.
func TestUnusualNotationsOfInternalAddressesAreDenied(t *testing.T) {
	port, connects := listen(t, "0.0.0.0:0")
	s := sender(t, func(o *webhook.Options) {
		o.Policy.Allow = nil
		o.Policy.Ports = []uint16{netip.MustParseAddrPort("0.0.0.0:" + port).Port()}
		o.Timeout = 2 * time.Second
		o.Resolver = nameServer(t, func() netip.Addr { return netip.MustParseAddr("127.0.0.1") })
	})
	for _, host := range []string{
		"127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "017700000001", "127.0.0.1.",
		"127.127.127.127", "0", "0.0.0.0", "0.0.0.1", "localhost", "LOCALHOST", "localhost.", "sub.localhost", "127.0.0.1.nip.example.",
		"[::]", "[::1]", "[0:0:0:0:0:0:0:1]", "[0000::0001]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]",
		"[::ffff:0:127.0.0.1]", "[64:ff9b::127.0.0.1]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]", "[2001:0:7f00:1::]", "[fe80::1%25lo]",
		"[::1%25lo]", "[fc00::1]", "[fec0::1]", "[ff02::1]", "169.254.169.254", "[fd00:ec2::254]", "metadata.example.",
		"①②⑦.⓪.⓪.①", "127。0。0。1", "%31%32%37.0.0.1", "a@127.0.0.1", "127.0.0.1%00.example.com", "127.0.0.1#.example.com", "127.0.0.1\\.example.com",
	} {
		out := s.Send(t.Context(), endpoint("http://"+host+":"+port+"/"), event, 1, time.Now())
		if out.Err == nil || out.Code != 0 {
			t.Errorf("%s: attempt = %+v, want an error without a status", host, out)
		}
	}
	if connects.Load() != 0 {
		t.Errorf("connections = %d, want 0", connects.Load())
	}
}

func TestProxyOfTheEnvironmentIsNotUsed(t *testing.T) {
	port, connects := listen(t, "127.0.0.1:0")
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(name, "http://127.0.0.1:"+port)
	}
	// Loopback addresses never go through a proxy: this one would.
	out := sender(t).Send(t.Context(), endpoint("http://10.9.8.7/"), event, 1, time.Now())
	if !errors.Is(out.Err, webhook.ErrDenied) || connects.Load() != 0 {
		t.Errorf("attempt = %+v with %d connections to the proxy, want ErrDenied with 0", out, connects.Load())
	}
}
