package rest

import (
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
)

type sourceKey struct{}

// Source returns the client address of a request, for handlers that are mounted on
// the server; see Server.Mount.
func Source(c *fiber.Ctx) netip.Addr {
	addr, _ := c.Locals(sourceKey{}).(netip.Addr)
	return addr
}

// setSource determines the client address once and stores it as the only forwarded
// address, so that c.IP() returns the same one in a mounted handler.
func (s *Server) setSource(c *fiber.Ctx) {
	addr := s.source(c)
	c.Locals(sourceKey{}, addr)
	c.Request().Header.Set(fiber.HeaderXForwardedFor, addr.String())
}

// source returns the client address. It reads X-Forwarded-For from the end, where the
// trusted proxies append, and stops at the first address that is not one of them: the
// client can forge everything before it.
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
	return slices.ContainsFunc(s.deps.TrustedProxies, func(proxy netip.Prefix) bool { return proxy.Contains(addr) })
}

func remote(addr net.Addr) netip.Addr {
	if tcp, ok := addr.(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr().Unmap()
	}
	return netip.Addr{}
}
