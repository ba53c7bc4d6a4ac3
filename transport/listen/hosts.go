package listen

import (
	"crypto/x509"
	"net"
	"net/netip"
	"slices"
	"strings"
)

// Hosts are the hosts under which a server may be called. A page of a web site can make a
// browser send requests to any address, also to loopback, by a name that it resolves to
// that address; the Host header then has that name. Ports are not compared: they change
// where a port is forwarded.
//
// Loopback addresses, localhost and the address at which a connection was accepted are
// always allowed. The zero Hosts allow no others.
type Hosts struct {
	// Any allows every host: a proxy in front of the server checks it.
	Any bool
	// Names are host names and IP addresses.
	Names []string
	// Certificate, if set, allows the names that it is for.
	Certificate *x509.Certificate
}

// allow reports whether a Host header may have the value. Requests of HTTP/1.0 need not
// have one, and no browser omits it.
func (h Hosts) allow(value string, local net.Addr) bool {
	if h.Any || value == "" {
		return true
	}
	host := value
	if name, _, err := net.SplitHostPort(value); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if addr, err := netip.ParseAddr(host); err == nil && (addr.Unmap().IsLoopback() || addr.Unmap() == addressAt(local)) {
		return true
	}
	return host == "localhost" ||
		slices.ContainsFunc(h.Names, func(name string) bool { return strings.EqualFold(name, host) }) ||
		h.Certificate != nil && h.Certificate.VerifyHostname(host) == nil
}

// addressAt returns the IP address of a network address, the zero Addr if it has none.
func addressAt(at net.Addr) netip.Addr {
	if tcp, ok := at.(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr().Unmap()
	}
	return netip.Addr{}
}
