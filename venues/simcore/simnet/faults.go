package simnet

import (
	"net"
	"time"

	"github.com/valyala/fasthttp"

	"venuegate/venues/simcore"
)

// stallDefault is how long a fault without a delay holds a request unanswered.
const stallDefault = time.Minute

// Wait waits for d. It returns false where the server closes first.
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

// Delay waits for the time of a delay fault, or until the fault is cleared. It returns
// false where the server closes first.
func (s *Server) Delay(fault simcore.InjectedFault) bool {
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

// Stall holds a request unanswered for the time of a fault and then closes its
// connection.
func (s *Server) Stall(ctx *fasthttp.RequestCtx, fault simcore.InjectedFault) {
	s.Wait(fault.Args.Delay(stallDefault))
	Drop(ctx)
}

// Drop closes the connection of a request without an answer.
func Drop(ctx *fasthttp.RequestCtx) {
	ctx.HijackSetNoResponse(true)
	ctx.Hijack(func(net.Conn) {})
}
