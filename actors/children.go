package actors

import (
	"fmt"
	"slices"
	"time"
)

// Children are the actors that one actor supervises, in the order in which they were
// started. They are stopped in the reverse order, adjacent ones of the same kind (the
// first segment of their names) at the same time. Children is used on the actor's
// goroutine.
type Children struct {
	shell *shell
	list  []*child
	queue []Child // of StartAll, not started yet
}

type childPhase int

const (
	childRunning childPhase = iota
	childFailed             // to be restarted after a delay
	childStopping
	childGivenUp // failed, and will not be restarted
)

// child is the parent's record of one child. It outlives the child's cell: an actor that
// has ended is started again in a new one.
type child struct {
	cell     *cell
	phase    childPhase
	failures []time.Time // within the restart window
	err      error       // why it was given up
}

// Start starts a child and returns its address. It does not wait for the child's
// Started. The errors are ErrBadName, ErrNameTaken and, while this actor is stopping,
// ErrStopped.
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

// StartAll starts children in order, each when the Started of the previous one has
// succeeded. It returns immediately. A child that cannot be started fails the actor.
func (c *Children) StartAll(specs ...Child) {
	idle := len(c.queue) == 0
	c.queue = append(c.queue, specs...)
	if idle {
		c.startNext()
	}
}

// Stop starts the orderly stop of a child, whose end is reported by ChildEnded. It
// reports whether there is such a child.
func (c *Children) Stop(name string) bool {
	x := c.named(name)
	if x != nil {
		c.stop(x)
	}
	return x != nil
}

// Ref returns the address of a child that is running or about to be restarted.
func (c *Children) Ref(name string) (Ref, bool) {
	if x := c.named(name); x != nil {
		return x.cell.ref(), true
	}
	return Ref{}, false
}

// Names returns the children's names, oldest first.
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

// childStarted is the message that the Started of a child has succeeded.
type childStarted struct {
	kitMessage
	name string
}

func (m *childStarted) handle(s *shell) { s.children.skip(m.name) }

// skip continues StartAll when the child that it waited for has started or was lost.
func (c *Children) skip(name string) {
	if len(c.queue) > 0 && c.queue[0].Name == name {
		c.queue = c.queue[1:]
		c.startNext()
	}
}

// adoption makes the guardian the parent of a top-level actor, which the sender spawns.
type adoption struct {
	kitMessage
	cell *cell
}

func (m *adoption) handle(s *shell) { s.children.adopt(m.cell) }

func (c *Children) adopt(cell *cell) *child {
	x := c.at(cell.path)
	if x == nil {
		x = &child{cell: cell}
		c.list = append(c.list, x)
	}
	return x
}
