package simnet

import (
	"time"

	"github.com/fasthttp/websocket"

	"venuegate/venues/simcore"
)

// Operation is a request that came as a message of a session.
type Operation struct {
	// Name is what faults match beside the session's path, as the method of a
	// request and as the topic of the answer.
	Name string
	// Execute does what is asked and is the answer, which waits for AnswerDelay.
	Execute     func() []byte
	AnswerDelay time.Duration
	// Refuse is the answer that a status, ban, maintenance or reject fault wants.
	Refuse func(simcore.FaultInfo) []byte
}

// Operate executes an operation and sends its answer, unless a fault has it
// otherwise. What a fault delays does not hold up the operations behind it, so
// answers may come in another order. Only the session's own goroutine may call
// it.
func (s *Server) Operate(session *Session, op Operation) {
	fault, struck := simcore.FaultInfo{}, false
	if session.options.Faults != nil {
		fault, struck = session.options.Faults.StrikeRequest(session.options.Path, op.Name)
	}
	if !struck {
		s.perform(session, op)
		return
	}
	if executesUnseen(fault) {
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
		s.after(fault.Args.Delay(silenceDefault), session.cut)
	case simcore.FaultRewrite:
		session.deliver(fault.Args.Rewritten(op.Execute()))
	case simcore.FaultDropConnection:
		session.cut()
	default: // the ones that are answered
		session.Send(op.Name, op.Refuse(fault))
	}
}

// perform executes an operation and sends its answer when that is due.
func (s *Server) perform(session *Session, op Operation) {
	answer := op.Execute()
	if op.AnswerDelay == 0 {
		session.Send(op.Name, answer)
		return
	}
	s.after(op.AnswerDelay, func() { session.Send(op.Name, answer) })
}

// deliver sends the answer of an operation that a fault has struck already: a
// delay of all would strike it once more.
func (s *Session) deliver(answer []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.push(message{data: answer})
}

// after does something later, unless the server closes first.
func (s *Server) after(d time.Duration, do func()) {
	s.pending.Go(func() {
		if s.Wait(d) {
			do()
		}
	})
}

// cut ends the session without a close frame.
func (s *Session) cut() { s.Close(websocket.CloseAbnormalClosure, "") }
