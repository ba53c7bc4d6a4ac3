package actors

import (
	"fmt"
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"go.uber.org/zap"
)

// Children are the actors that one actor supervises, in the order in which they
// were started; they are stopped in the opposite order. Used on the actor's
// goroutine.
type Children struct {
	shell *shell
	list  []*child
	queue []Child // StartAll: what is still to be started
}

type childPhase int

const (
	childRunning childPhase = iota
	childFailed             // waits for its restart
	childStopping
	childGivenUp // failed, and will not be restarted
)

// child is what the parent knows of one child. It outlives the child's cell,
// which is new when an actor that has ended is started again.
type child struct {
	cell     *cell
	phase    childPhase
	failures []time.Time // within the restart window
	err      error       // why it was given up
}

// Messages of the kit about children.
type (
	childStarted struct {
		Internal
		name string
	}
	childGone struct {
		Internal
		shell *shell
		path  string
	}
	adoption struct {
		Internal
		cell *cell
	}
	restartDue  struct{ child *child }
	stopOverdue struct{ child *child }
)

// Start starts a child and returns its address. It does not wait for the
// child's Started. The errors are ErrBadName, ErrNameTaken and, while this actor
// stops, ErrStopped.
func (c *Children) Start(spec Child) (Ref, error) {
	if c.shell.phase != phaseRunning {
		return Ref{}, ErrStopped
	}
	if err := spec.validate(); err != nil {
		return Ref{}, fmt.Errorf("start %q under %s: %w", spec.Name, c.shell.cell.path, err)
	}
	if c.named(spec.Name) != nil {
		return Ref{}, fmt.Errorf("start %q under %s: %w", spec.Name, c.shell.cell.path, ErrNameTaken)
	}
	x := &child{}
	if err := c.spawn(x, spec.withDefaults()); err != nil {
		return Ref{}, err
	}
	c.list = append(c.list, x)
	return x.cell.ref(), nil
}

// StartAll starts children in order, each when the Started of the one before has
// succeeded. It returns at once. A child that cannot be started fails the actor.
func (c *Children) StartAll(specs ...Child) {
	idle := len(c.queue) == 0
	c.queue = append(c.queue, specs...)
	if idle {
		c.startNext()
	}
}

// Stop stops a child in order; ChildEnded tells when it is done. It reports
// whether there is such a child.
func (c *Children) Stop(name string) bool {
	x := c.named(name)
	if x != nil {
		c.stop(x)
	}
	return x != nil
}

// Ref is the address of a child that lives or waits for its restart.
func (c *Children) Ref(name string) (Ref, bool) {
	if x := c.named(name); x != nil {
		return x.cell.ref(), true
	}
	return Ref{}, false
}

// Names are the children's names, oldest first.
func (c *Children) Names() []string {
	names := make([]string, len(c.list))
	for i, x := range c.list {
		names[i] = x.cell.spec.Name
	}
	return names
}

func (c *Children) named(name string) *child {
	return c.find(func(x *child) bool { return x.cell.spec.Name == name })
}

func (c *Children) at(path string) *child {
	return c.find(func(x *child) bool { return x.cell.path == path })
}

func (c *Children) find(match func(*child) bool) *child {
	if i := slices.IndexFunc(c.list, match); i >= 0 {
		return c.list[i]
	}
	return nil
}

// spawn gives x a new cell and starts it.
func (c *Children) spawn(x *child, spec Child) error {
	parent := c.shell.cell
	cell := newCell(parent.system, parent, parent.path+"/"+spec.Name, spec)
	if err := parent.system.register(cell); err != nil {
		return err
	}
	if _, err := c.shell.proto.SpawnNamed(cell.props(), spec.Name); err != nil {
		panic("actors: a free name was taken: " + cell.path)
	}
	x.cell, x.phase = cell, childRunning
	return nil
}

func (c *Children) startNext() {
	if len(c.queue) == 0 || c.shell.phase != phaseRunning {
		return
	}
	if _, err := c.Start(c.queue[0]); err != nil {
		panic(&failure{err: err, expected: true})
	}
}

// skip goes on with StartAll when the child that it waited for has started, or
// was lost.
func (c *Children) skip(name string) {
	if len(c.queue) > 0 && c.queue[0].Name == name {
		c.queue = c.queue[1:]
		c.startNext()
	}
}

// adopt takes in a top-level actor, which its caller has already spawned.
func (c *Children) adopt(cell *cell) *child {
	x := c.at(cell.path)
	if x == nil {
		x = &child{cell: cell}
		c.list = append(c.list, x)
	}
	return x
}

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

// restartWait counts a failure and says how long the restart waits, or that the
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

func (c *Children) restartAfter(x *child, wait time.Duration) {
	c.shell.cell.logger.Info("restart", zap.String("child", x.cell.spec.Name),
		zap.Int("failures", len(x.failures)), zap.Duration("wait", wait))
	c.shell.timers.setForKit("restart", x.cell.path, wait, &restartDue{x})
}

// restart brings a failed child back, or one that has ended and is Permanent.
func (c *Children) restart(m *restartDue) {
	x := m.child
	if x.phase != childFailed || c.shell.phase != phaseRunning {
		return
	}
	x.err = nil
	if x.cell.alive() {
		x.phase = childRunning
		x.cell.restart()
		return
	}
	if err := c.spawn(x, x.cell.spec); err != nil {
		panic(&failure{err: err, expected: true})
	}
}

// stop asks a child to end in order. One that waits for its restart has nothing
// to put in order, and may even have ended already.
func (c *Children) stop(x *child) {
	switch x.phase {
	case childFailed:
		alive := x.cell.alive()
		c.kill(x, childStopping)
		if !alive {
			c.shell.cell.post(&childGone{shell: c.shell, path: x.cell.path})
		}
	case childRunning:
		x.phase = childStopping
		x.cell.requestStop()
		c.shell.timers.setForKit("stop", x.cell.path, x.cell.spec.StopTimeout, &stopOverdue{x})
	case childStopping, childGivenUp:
	}
}

func (c *Children) cutOff(m *stopOverdue) {
	c.shell.cell.logger.Warn("stop overdue, cutting off", zap.String("child", m.child.cell.spec.Name),
		zap.Duration("stop_timeout", m.child.cell.spec.StopTimeout))
	c.kill(m.child, childStopping)
}

// kill ends a child as soon as the message that it has in hand is handled.
func (c *Children) kill(x *child, why childPhase) {
	x.phase = why
	c.shell.proto.Stop(x.cell.pid)
}

// gone deals with a child that has ended.
func (c *Children) gone(m *childGone) {
	x := c.at(m.path)
	if m.shell != c.shell || x == nil {
		return
	}
	c.shell.timers.cancel(timerKey{"restart", m.path})
	c.shell.timers.cancel(timerKey{"stop", m.path})
	if c.shell.phase != phaseRunning {
		c.forget(x)
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
		c.forget(x)
		c.shell.deliver(&ChildEnded{Name: x.cell.spec.Name, Err: x.err})
		c.skip(x.cell.spec.Name)
	}
}

// respawn brings back a Permanent child that ended by itself.
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
	c.forget(x)
	panic(&failure{err: x.err, expected: true})
}

func (c *Children) forget(x *child) {
	c.list = slices.DeleteFunc(c.list, func(y *child) bool { return y == x })
}

// stopNext goes on with the orderly stop of the parent: one child at a time, the
// youngest first.
func (c *Children) stopNext() {
	if len(c.list) == 0 {
		c.shell.childrenEnded()
		return
	}
	c.stop(c.list[len(c.list)-1])
}

// end cuts all children off, the youngest first.
func (c *Children) end() {
	for _, x := range slices.Backward(c.list) {
		c.shell.proto.Stop(x.cell.pid)
	}
	c.list, c.queue = nil, nil
}
