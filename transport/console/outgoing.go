package console

import (
	"context"
	"net"
	"net/http"
	"net/netip"

	"github.com/gofiber/fiber/v2"

	"venuegate/transport/recordapi"
)

// Outgoing is the address from which the service calls venues.
type Outgoing struct {
	// Address is empty if the machine has no route to other networks.
	Address string `json:"address"`
	// Private means that others see another address: that of the network's router.
	Private bool `json:"private"`
}

// distant is an address outside of every network, which is reserved for documentation. The
// service sends nothing to it.
const distant = "192.0.2.1:443"

func (s *Console) getOutgoing(c *fiber.Ctx, _ *caller) error {
	return recordapi.Answer(&s.calls, c, http.StatusOK, func(ctx context.Context) (Outgoing, error) {
		var dialer net.Dialer
		conn, err := dialer.DialContext(ctx, "udp4", distant) // chooses the address, and sends nothing
		if err != nil {
			return Outgoing{}, nil // without a route there is no such address
		}
		defer conn.Close() // nothing was sent
		return outgoingOf(conn.LocalAddr()), nil
	})
}

func outgoingOf(local net.Addr) Outgoing {
	udp, ok := local.(*net.UDPAddr)
	if !ok {
		return Outgoing{}
	}
	address := udp.AddrPort().Addr().Unmap()
	return Outgoing{address.String(), isPrivate(address)}
}

// sharedRange is the range of the networks of providers (RFC 6598).
var sharedRange = netip.MustParsePrefix("100.64.0.0/10")

func isPrivate(a netip.Addr) bool {
	return a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() || sharedRange.Contains(a)
}
