package console

import (
	"net"
	"net/netip"
	"testing"
)

func TestOutgoingAddress(t *testing.T) {
	for address, private := range map[string]bool{
		"203.0.113.7": false, "10.1.2.3": true, "192.168.0.9": true, "100.64.0.1": true, "127.0.0.1": true, "169.254.1.1": true,
	} {
		local := net.UDPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(address), 40000))
		if got, want := outgoingOf(local), (Outgoing{address, private}); got != want {
			t.Errorf("outgoing address of %s = %+v, want %+v", address, got, want)
		}
	}
}
