package rest

import (
	"net"
	"net/netip"
	"strings"

	"github.com/gofiber/fiber/v2"
)

type sourceKey struct{}

// Source is the address that a request comes from, for handlers that are
// mounted on the server; see Server.Mount.
func Source(c *fiber.Ctx) netip.Addr {
	addr, _ := c.Locals(sourceKey{}).(netip.Addr)
	return addr
}

// settleSource finds the source once and leaves it as the only forwarded
// address, so that c.IP() of a mounted handler is the same one.
func (s *Server) settleSource(c *fiber.Ctx) {
	addr := s.source(c)
	c.Locals(sourceKey{}, addr)
	c.Request().Header.Set(fiber.HeaderXForwardedFor, addr.String())
}

// source walks X-Forwarded-For from the end, where our own proxies write, and
// stops at the first address that is not one of them: what stands before it is
// the client's word.
func (s *Server) source(c *fiber.Ctx) netip.Addr {
	addr := remote(c.Context().RemoteAddr())
	if !s.trusts(addr) {
		return addr
	}
	var hops []string
	for _, line := range c.Request().Header.PeekAll(fiber.HeaderXForwardedFor) {
		hops = append(hops, strings.Split(string(line), ",")...)
	}
	for i := len(hops) - 1; i >= 0 && s.trusts(addr); i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		addr = hop.Unmap()
	}
	return addr
}

func (s *Server) trusts(addr netip.Addr) bool {
	for _, proxy := range s.deps.TrustedProxies {
		if proxy.Contains(addr) {
			return true
		}
	}
	return false
}

func remote(addr net.Addr) netip.Addr {
	if tcp, ok := addr.(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr().Unmap()
	}
	return netip.Addr{}
}
