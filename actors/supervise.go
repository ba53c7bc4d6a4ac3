package actors

import (
	"fmt"
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"go.uber.org/zap"
)

// HandleFailure implements actor.SupervisorStrategy: protoactor calls it on the
// parent's goroutine when a child has failed and its mailbox is suspended.
func (s *shell) HandleFailure(_ *actor.ActorSystem, _ actor.Supervisor, who *actor.PID, _ *actor.RestartStatistics, reason, _ any) {
	x := s.children.at(who.Id)
	if x == nil {
		// Failures overtake the adoption of a top-level actor.
		if c := s.cell.system.cell(who.Id); c != nil && c.parent == s.cell {
			x = s.children.adopt(c)
		}
	}
	if x == nil || s.phase == phaseEnded {
		s.proto.Stop(who)
		return
	}
	s.children.failed(x, asFailure(reason).err)
}

func (c *Children) failed(x *child, cause error) {
	spec := x.cell.spec
	x.err = cause
	if x.phase == childStopping || c.shell.phase != phaseRunning {
		c.kill(x, childStopping)
		return
	}
	if spec.Restart == Temporary {
		c.kill(x, childGivenUp)
		return
	}
	wait, ok := c.restartWait(x)
	if !ok {
		x.err = fmt.Errorf("%s given up after %d restarts: %w", x.cell.path, spec.RestartsMax, cause)
		c.kill(x, childGivenUp)
		return
	}
	x.phase = childFailed
	c.restartAfter(x, wait)
}

// restartWait counts a failure and returns the delay before the restart, or false if the
// child is to be given up.
func (c *Children) restartWait(x *child) (time.Duration, bool) {
	spec, now := x.cell.spec, time.Now()
	x.failures = slices.DeleteFunc(x.failures, func(at time.Time) bool { return now.Sub(at) >= spec.RestartWindow })
	if len(x.failures) >= spec.RestartsMax {
		return 0, false
	}
	x.failures = append(x.failures, now)
	return c.shell.cell.system.jitter(spec.Backoff.bound(len(x.failures))), true
}

// restartDue is the timer of a restart.
type restartDue struct {
	kitMessage
	child *child
}

func (m *restartDue) handle(s *shell) { s.children.restart(m.child) }

func (c *Children) restartAfter(x *child, wait time.Duration) {
	c.shell.cell.logger.Info("restart", zap.String("child", x.cell.spec.Name),
		zap.Int("failures", len(x.failures)), zap.Duration("wait", wait))
	c.shell.timers.setForKit("restart", x.cell.path, wait, &restartDue{child: x})
}

// restart restarts a failed child, or one that has ended and is Permanent.
func (c *Children) restart(x *child) {
	if x.phase != childFailed || c.shell.phase != phaseRunning {
		return
	}
	x.err = nil
	if x.cell.exists() {
		x.phase = childRunning
		x.cell.restart()
		return
	}
	if err := c.spawn(x, x.cell.spec); err != nil {
		panic(&failure{err: err, expected: true})
	}
}

// stop starts the orderly stop of a child. One that is about to be restarted is killed,
// and may even have ended already.
func (c *Children) stop(x *child) {
	switch x.phase {
	case childFailed:
		exists := x.cell.exists()
		c.kill(x, childStopping)
		if !exists {
			c.shell.cell.post(&childGone{shell: c.shell, path: x.cell.path})
		}
	case childRunning:
		x.phase = childStopping
		x.cell.requestStop()
		c.shell.timers.setForKit("stop", x.cell.path, x.cell.spec.StopTimeout, &stopOverdue{child: x})
	case childStopping, childGivenUp:
	}
}

// stopOverdue is the timer of a stop.
type stopOverdue struct {
	kitMessage
	child *child
}

func (m *stopOverdue) handle(s *shell) { s.children.overdue(m.child) }

func (c *Children) overdue(x *child) {
	spec := x.cell.spec
	c.shell.cell.logger.Warn("stop overdue, killing the actor", zap.String("child", spec.Name), zap.Duration("stop_timeout", spec.StopTimeout))
	c.kill(x, childStopping)
}

// kill ends a child as soon as the current message is handled.
func (c *Children) kill(x *child, why childPhase) {
	x.phase = why
	c.shell.proto.Stop(x.cell.pid)
}

// childGone is the message that a child has ended. shell is the incarnation that was its
// parent.
type childGone struct {
	kitMessage
	shell *shell
	path  string
}

func (m *childGone) handle(s *shell) {
	if m.shell == s {
		s.children.gone(m.path)
	}
}

func (c *Children) gone(path string) {
	x := c.at(path)
	if x == nil {
		return
	}
	c.shell.timers.cancel(timerKey{"restart", path})
	c.shell.timers.cancel(timerKey{"stop", path})
	if c.shell.phase != phaseRunning {
		c.remove(x)
		c.stopNext()
		return
	}
	permanent := x.cell.spec.Restart == Permanent
	switch {
	case permanent && x.phase == childRunning:
		c.respawn(x)
	case permanent && x.phase == childGivenUp:
		c.lose(x)
	default:
		c.remove(x)
		c.shell.deliver(&ChildEnded{Name: x.cell.spec.Name, Err: x.err})
		c.skip(x.cell.spec.Name)
	}
}

// respawn restarts a Permanent child that has ended on its own.
func (c *Children) respawn(x *child) {
	wait, ok := c.restartWait(x)
	if !ok {
		x.err = fmt.Errorf("%s keeps ending, given up after %d restarts", x.cell.path, x.cell.spec.RestartsMax)
		c.lose(x)
		return
	}
	x.phase = childFailed
	c.restartAfter(x, wait)
}

// lose gives up a Permanent child, and with it this actor.
func (c *Children) lose(x *child) {
	c.remove(x)
	panic(&failure{err: x.err, expected: true})
}

func (c *Children) remove(x *child) {
	c.list = slices.DeleteFunc(c.list, func(y *child) bool { return y == x })
}

// stopNext continues the orderly stop of the parent: it stops the youngest child,
// together with those before it of the same kind.
func (c *Children) stopNext() {
	if len(c.list) == 0 {
		c.shell.childrenEnded()
		return
	}
	kind := c.list[len(c.list)-1].cell.kind()
	for _, x := range slices.Backward(c.list) {
		if x.cell.kind() != kind {
			return
		}
		c.stop(x)
	}
}

// end kills all children, the youngest first.
func (c *Children) end() {
	for _, x := range slices.Backward(c.list) {
		c.shell.proto.Stop(x.cell.pid)
	}
	c.list, c.queue = nil, nil
}
