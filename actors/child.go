package actors

import (
	"time"
)

// Defaults of a Child.
const (
	BackoffMinDefault    = 100 * time.Millisecond
	BackoffMaxDefault    = 10 * time.Second
	RestartsMaxDefault   = 10
	RestartWindowDefault = time.Minute
	StopTimeoutDefault   = 10 * time.Second
)

// Child says how an actor is started, restarted and stopped. The zero value of
// each field but Name and Producer is its default.
type Child struct {
	// Name is unique among siblings and stable across restarts of the process:
	// "journal", "account/okx". Its first segment is the actor's kind in Stats.
	Name string
	// Producer makes the Behaviour of each incarnation, on the actor's own
	// goroutine.
	Producer func() Behaviour
	// Restart says what an end of the actor means.
	Restart Restart
	// Backoff is the wait before a restart.
	Backoff Backoff
	// RestartsMax is how many restarts within RestartWindow are tried before
	// the actor is given up. The window should be longer than the waits of that
	// many restarts together, or a steady failure never ends.
	RestartsMax   int
	RestartWindow time.Duration
	// StopTimeout bounds the orderly stop of the actor with all its children;
	// after it they are cut off.
	StopTimeout time.Duration
	// MailboxMax is how many messages may wait before more are refused.
	MailboxMax int
}

// Restart says what an end of a child means.
type Restart int

const (
	// Permanent is for a child without which its parent cannot work. It is
	// restarted whenever it ends; given up, it takes its parent down with it,
	// and thus at last the process.
	Permanent Restart = iota
	// Transient is for a child that may finish, and whose loss the parent can
	// live with. It is restarted after failures; given up, the parent is told.
	Transient
	// Temporary is never restarted; the parent is told of its end.
	Temporary
)

// Backoff is the wait before a restart: random between zero and a bound which
// begins at Min, doubles with each failure in the window, and stays at Max.
type Backoff struct {
	Min, Max time.Duration
}

// bound is the longest wait after the n-th failure in the window, n from 1.
func (b Backoff) bound(n int) time.Duration {
	bound := b.Min
	for ; n > 1 && bound < b.Max; n-- {
		bound *= 2
	}
	return min(bound, b.Max)
}

// ChildEnded tells a running parent that a child has ended and will not be
// restarted; its name is free again. Err is nil after an orderly stop and
// otherwise what the child failed of. The loss of a Permanent child is not told:
// the parent itself fails.
type ChildEnded struct {
	Name string
	Err  error
}

func (c Child) withDefaults() Child {
	c.Backoff.Min = orDefault(c.Backoff.Min, BackoffMinDefault)
	c.Backoff.Max = orDefault(c.Backoff.Max, max(BackoffMaxDefault, c.Backoff.Min))
	c.RestartsMax = orDefault(c.RestartsMax, RestartsMaxDefault)
	c.RestartWindow = orDefault(c.RestartWindow, RestartWindowDefault)
	c.StopTimeout = orDefault(c.StopTimeout, StopTimeoutDefault)
	c.MailboxMax = orDefault(c.MailboxMax, MailboxMaxDefault)
	return c
}

func orDefault[T int | time.Duration](value, otherwise T) T {
	if value <= 0 {
		return otherwise
	}
	return value
}

// nameBytesMax bounds one name; a path is as many as the tree is deep.
const nameBytesMax = 128

func (c Child) validate() error {
	if c.Producer == nil {
		panic("actors: child " + c.Name + " has no producer")
	}
	if !validName(c.Name) {
		return ErrBadName
	}
	return nil
}

func validName(name string) bool {
	if name == "" || len(name) > nameBytesMax {
		return false
	}
	afterSlash := true
	for _, r := range name {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9',
			r == '-', r == '_', r == '.', r == ':':
			afterSlash = false
		case r == '/' && !afterSlash:
			afterSlash = true
		default:
			return false
		}
	}
	return !afterSlash
}
