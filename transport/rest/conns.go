package rest

import (
	"cmp"
	"crypto/tls"
	"net"

	"venuegate/transport/listen"
)

// Serve takes requests from the listener until Shutdown, encrypted if
// Deps.TLS is set. It blocks, and is nil after Shutdown.
func (s *Server) Serve(ln net.Listener) error {
	if most := s.connsPerAddressMax(); most > 0 {
		ln = listen.PerAddress(ln, most)
	}
	if s.deps.TLS != nil {
		ln = tls.NewListener(ln, s.deps.TLS)
	}
	return s.app.Listener(listen.Quiet(ln))
}

// connsPerAddressMax is zero for no limit.
func (s *Server) connsPerAddressMax() int {
	if s.deps.ConnsPerAddressMax == 0 && len(s.deps.TrustedProxies) > 0 {
		return 0
	}
	return max(cmp.Or(s.deps.ConnsPerAddressMax, connsPerAddressMaxDefault), 0)
}
