package simnet

import (
	"time"

	"github.com/fasthttp/websocket"

	"venuegate/venues/simcore"
)

// Operation is a request that comes as a message of a session.
type Operation struct {
	// Name is compared with the Op of faults, as the method of a request and as the
	// topic of the answer.
	Name string
	// Execute executes the operation and returns the answer, which is sent after
	// AnswerDelay.
	Execute     func() []byte
	AnswerDelay time.Duration
	// Reject returns the answer of an injected status, ban, maintenance or reject.
	Reject func(simcore.InjectedFault) []byte
}

// Operate executes an operation and sends its answer, or applies an injected fault
// that matches. A delayed operation does not delay later ones, so answers may come in
// another order. Only the session's own goroutine may call it.
func (s *Server) Operate(session *Session, op Operation) {
	fault, applies := simcore.InjectedFault{}, false
	if session.options.InjectedFaults != nil {
		fault, applies = session.options.InjectedFaults.MatchRequest(session.options.Path, op.Name)
	}
	if !applies {
		s.execute(session, op)
		return
	}
	if executesWithoutAnswer(fault) {
		op.Execute()
	}
	switch fault.Do {
	case simcore.FaultDelay:
		s.pending.Go(func() {
			if s.Delay(fault) {
				session.deliver(op.Execute())
			}
		})
	case simcore.FaultTimeoutBefore, simcore.FaultTimeoutAfter:
		s.runAfter(fault.Args.Delay(stallDefault), session.abort)
	case simcore.FaultRewrite:
		session.deliver(fault.Args.Rewritten(op.Execute()))
	case simcore.FaultDropConnection:
		session.abort()
	default: // those with an answer
		session.Send(op.Name, op.Reject(fault))
	}
}

// execute executes an operation and sends its answer after its delay.
func (s *Server) execute(session *Session, op Operation) {
	answer := op.Execute()
	if op.AnswerDelay == 0 {
		session.Send(op.Name, answer)
		return
	}
	s.runAfter(op.AnswerDelay, func() { session.Send(op.Name, answer) })
}

// deliver sends the answer of an operation to which a fault has been applied, without
// matching faults again.
func (s *Session) deliver(answer []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.enqueue(outgoing{data: answer})
}

// runAfter calls do after d, unless the server closes first.
func (s *Server) runAfter(d time.Duration, do func()) {
	s.pending.Go(func() {
		if s.Wait(d) {
			do()
		}
	})
}

// abort closes the session without a close frame.
func (s *Session) abort() { s.Close(websocket.CloseAbnormalClosure, "") }
