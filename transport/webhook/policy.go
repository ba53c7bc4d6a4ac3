package webhook

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"syscall"
)

// ErrDenied is the error of an attempt whose target the policy denies.
var ErrDenied = errors.New("webhook: target denied")

// DialPolicy decides which addresses may be dialed. The zero policy denies all.
type DialPolicy struct {
	// Allow lists prefixes whose addresses are allowed on any port: the operator's own
	// receivers.
	Allow []netip.Prefix
	// Ports are allowed at every other address that is not denied.
	Ports []uint16
}

// PortsDefault are the ports of http and https.
var PortsDefault = []uint16{80, 443}

// globalV6 contains every IPv6 address that is assigned for the internet. The others
// are loopback, link-local, site-local, unique local, multicast, NAT64
// (64:ff9b::/96, 64:ff9b:1::/48), SRv6 (5f00::/16) or unassigned.
var globalV6 = netip.MustParsePrefix("2000::/3")

// denied lists the prefixes that are not the public internet (IANA special-purpose
// address registries), and public addresses of the machine's own cloud.
var denied = []struct {
	prefix netip.Prefix
	name   string
}{
	{netip.MustParsePrefix("0.0.0.0/8"), "this network"},
	{netip.MustParsePrefix("10.0.0.0/8"), "private"},
	{netip.MustParsePrefix("100.64.0.0/10"), "shared address space"},
	{netip.MustParsePrefix("127.0.0.0/8"), "loopback"},
	{netip.MustParsePrefix("168.63.129.16/32"), "cloud metadata"},
	{netip.MustParsePrefix("169.254.0.0/16"), "link-local"},
	{netip.MustParsePrefix("172.16.0.0/12"), "private"},
	{netip.MustParsePrefix("192.0.0.0/24"), "protocol assignments"},
	{netip.MustParsePrefix("192.0.2.0/24"), "documentation"},
	{netip.MustParsePrefix("192.31.196.0/24"), "AS112"},
	{netip.MustParsePrefix("192.52.193.0/24"), "multicast tunnels"},
	{netip.MustParsePrefix("192.88.99.0/24"), "6to4 relay"},
	{netip.MustParsePrefix("192.168.0.0/16"), "private"},
	{netip.MustParsePrefix("192.175.48.0/24"), "AS112"},
	{netip.MustParsePrefix("198.18.0.0/15"), "benchmarking"},
	{netip.MustParsePrefix("198.51.100.0/24"), "documentation"},
	{netip.MustParsePrefix("203.0.113.0/24"), "documentation"},
	{netip.MustParsePrefix("224.0.0.0/4"), "multicast"},
	{netip.MustParsePrefix("240.0.0.0/4"), "reserved"},

	{netip.MustParsePrefix("2001::/23"), "protocol assignments (Teredo, ORCHID)"},
	{netip.MustParsePrefix("2001:db8::/32"), "documentation"},
	{netip.MustParsePrefix("2002::/16"), "6to4"},
	{netip.MustParsePrefix("2620:4f:8000::/48"), "AS112"},
	{netip.MustParsePrefix("3fff::/20"), "documentation"},
}

// Check returns nil if addr may be dialed, else an error that wraps ErrDenied.
func (p DialPolicy) Check(addr netip.AddrPort) error {
	ip := addr.Addr()
	if ip.Zone() != "" {
		return fmt.Errorf("%w: %s is on a link of this machine", ErrDenied, ip)
	}
	// An IPv4 address is the same in IPv6 notation.
	ip = ip.Unmap()
	if slices.ContainsFunc(p.Allow, func(prefix netip.Prefix) bool { return prefix.Contains(ip) }) {
		return nil
	}
	if !ip.IsValid() || (ip.Is6() && !globalV6.Contains(ip)) {
		return fmt.Errorf("%w: %s is not a public address", ErrDenied, ip)
	}
	for _, d := range denied {
		if d.prefix.Contains(ip) {
			return fmt.Errorf("%w: %s is not a public address: %s", ErrDenied, ip, d.name)
		}
	}
	if !slices.Contains(p.Ports, addr.Port()) {
		return fmt.Errorf("%w: port %d", ErrDenied, addr.Port())
	}
	return nil
}

// control is called by the dialer for each address, after the name was resolved and
// before the connection is opened.
func (p DialPolicy) control(_ context.Context, network, address string, _ syscall.RawConn) error {
	addr, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: %s", ErrDenied, address)
	}
	if network != "tcp4" && network != "tcp6" {
		return fmt.Errorf("%w: network %s", ErrDenied, network)
	}
	return p.Check(addr)
}

func (p DialPolicy) dialer(resolver *net.Resolver) *net.Dialer {
	return &net.Dialer{Resolver: resolver, KeepAliveConfig: net.KeepAliveConfig{Enable: true}, ControlContext: p.control}
}
