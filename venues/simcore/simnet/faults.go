package simnet

import (
	"net"
	"time"

	"github.com/valyala/fasthttp"

	"venuegate/venues/simcore"
)

// silenceDefault is how long a request is held without an answer when the
// fault does not say.
const silenceDefault = time.Minute

// Wait waits for d; false where the server closes first.
func (s *Server) Wait(d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-s.closing:
		return false
	}
}

// Delay waits for as long as a delay fault says, or until it is cleared; false where
// the server closes first.
func (s *Server) Delay(fault simcore.FaultInfo) bool {
	timer := time.NewTimer(fault.Args.Delay(0))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-fault.Cleared():
		return true
	case <-s.closing:
		return false
	}
}

// Silence holds a request without an answer for as long as the fault says and
// then closes its connection.
func (s *Server) Silence(ctx *fasthttp.RequestCtx, fault simcore.FaultInfo) {
	s.Wait(fault.Args.Delay(silenceDefault))
	Drop(ctx)
}

// Drop closes the connection of a request without an answer.
func Drop(ctx *fasthttp.RequestCtx) {
	ctx.HijackSetNoResponse(true)
	ctx.Hijack(func(net.Conn) {})
}
