package actors

import (
	"github.com/asynkron/protoactor-go/actor"
	"go.uber.org/zap"
)

// underGuardian makes protoactor treat the guardian as the parent.
type underGuardian struct {
	*actor.RootContext
	guardian *actor.PID
}

// Self implements actor.SpawnerContext.
func (u underGuardian) Self() *actor.PID { return u.guardian }

// guardian is the parent of the top-level actors.
type guardian struct{}

// guardianPath cannot be the name of a Child.
const guardianPath = "$guardian"

func (s *System) startGuardian() {
	spec := Child{Name: guardianPath, Producer: func() Behaviour { return guardian{} }}.withDefaults()
	s.guardian = newCell(s, nil, guardianPath, spec)
	if err := s.register(s.guardian); err != nil {
		panic(err)
	}
	if _, err := s.engine.Root.SpawnNamed(s.guardian.props(), guardianPath); err != nil {
		panic(err)
	}
}

// Receive implements Behaviour.
func (guardian) Receive(ctx *Context, msg any) {
	switch m := msg.(type) {
	case *ChildEnded:
		if m.Err != nil {
			ctx.Logger().Error("top-level actor lost", zap.String("child", m.Name), zap.Error(m.Err))
		}
	default:
		ctx.Unhandled(msg)
	}
}

// lose reports that a Permanent top-level actor was given up. The guardian ends with it,
// so that nothing more can be started.
func (s *System) lose(err error) {
	s.mu.Lock()
	s.stopping = true
	if s.err == nil {
		s.err = err
	}
	s.mu.Unlock()
	s.logger.Error("actor system failed", zap.Error(err))
	s.closeDone.Do(func() { close(s.done) })
}
