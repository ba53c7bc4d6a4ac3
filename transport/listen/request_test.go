package listen_test

import (
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"testing"

	"github.com/valyala/fasthttp"

	"venuegate/transport/listen"
)

// status returns the status of the error of a check, 0 for none.
func status(err error) int {
	if rejected, ok := errors.AsType[*listen.RequestError](err); ok {
		return rejected.Status
	}
	return 0
}

// request returns a request with a Host to a server at an address.
func request(target, host string, local *net.TCPAddr) *fasthttp.RequestCtx {
	var ctx fasthttp.RequestCtx
	ctx.Init2(&localConn{local: local}, nil, false)
	ctx.Request.SetRequestURI(target)
	ctx.Request.Header.SetHost(host)
	return &ctx
}

type localConn struct {
	net.Conn
	local *net.TCPAddr
}

func (c *localConn) LocalAddr() net.Addr { return c.local }

func TestForeignHostsAreRejected(t *testing.T) {
	local := &net.TCPAddr{IP: net.ParseIP("192.0.2.7"), Port: 8080}
	named := listen.Hosts{Names: []string{"api.example.com", "198.51.100.9", ""}}
	certified := listen.Hosts{Certificate: &x509.Certificate{DNSNames: []string{"*.example.org"}, IPAddresses: []net.IP{net.ParseIP("203.0.113.1")}}}
	for _, c := range []struct {
		hosts  listen.Hosts
		host   string
		status int
	}{
		{listen.Hosts{}, "127.0.0.1:8080", 0},
		{listen.Hosts{}, "127.9.9.9", 0},
		{listen.Hosts{}, "[::1]:8081", 0},
		{listen.Hosts{}, "[::1]", 0},
		{listen.Hosts{}, "[::ffff:127.0.0.1]:1", 0},
		{listen.Hosts{}, "LOCALHOST.:1", 0},
		{listen.Hosts{}, "192.0.2.7", 0},
		{listen.Hosts{}, "", 0},
		{listen.Hosts{}, "192.0.2.8", 421},
		{listen.Hosts{}, "evil.example", 421},
		{listen.Hosts{}, "127.0.0.1.evil.example:8080", 421},
		{listen.Hosts{}, "localhost.evil.example", 421},
		{listen.Hosts{}, "localhost@evil.example", 421},
		{listen.Hosts{}, "api.example.com", 421},
		{named, "API.example.com:443", 0},
		{named, "198.51.100.9", 0},
		{named, "example.com", 421},
		{named, "x.api.example.com", 421},
		{certified, "api.example.org", 0},
		{certified, "203.0.113.1:443", 0},
		{certified, "example.org", 421},
		{listen.Hosts{Any: true}, "evil.example", 0},
	} {
		if got := status(listen.CheckRequest(request("/", c.host, local), c.hosts)); got != c.status {
			t.Errorf("Host %q with %+v: status %d, want %d", c.host, c.hosts.Names, got, c.status)
		}
	}
	// The target has precedence over the header.
	if got := status(listen.CheckRequest(request("http://evil.example/", "localhost", local), listen.Hosts{})); got != http.StatusMisdirectedRequest {
		t.Errorf("target of another host: status %d, want 421", got)
	}
}

func TestRequestsOfOtherSitesAreRejected(t *testing.T) {
	for _, c := range []struct {
		site, origin string
		status       int
	}{
		{"", "", 0},
		{"same-origin", "http://localhost:8081", 0},
		{"none", "", 0},
		{"same-origin", "https://console.example", 0}, // the browser compares better than a server behind a proxy
		{"", "http://localhost:8081", 0},
		{"cross-site", "", 403},
		{"same-site", "http://localhost:8081", 403},
		{"unknown", "", 403},
		{"", "http://localhost:8080", 403},
		{"", "https://evil.example", 403},
		{"", "null", 403},
	} {
		ctx := request("/", "localhost:8081", &net.TCPAddr{})
		ctx.Request.Header.Set("Sec-Fetch-Site", c.site)
		if c.origin != "" {
			ctx.Request.Header.Set("Origin", c.origin)
		}
		if got := status(listen.CheckSameSite(ctx)); got != c.status {
			t.Errorf("Sec-Fetch-Site %q, Origin %q: status %d, want %d", c.site, c.origin, got, c.status)
		}
	}
}
