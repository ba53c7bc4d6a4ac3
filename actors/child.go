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

// Child specifies how an actor is started, restarted and stopped. The zero value of each
// field other than Name and Producer stands for its default.
type Child struct {
	// Name is unique among siblings and stable across restarts of the process:
	// "journal", "account/okx". Its first segment is the actor's kind in Stats.
	Name string
	// Producer returns the Behaviour of a new incarnation. It is called on the
	// actor's goroutine.
	Producer func() Behaviour
	// Restart is the reaction to the end of the actor.
	Restart Restart
	// Backoff is the delay before a restart.
	Backoff Backoff
	// RestartsMax bounds the restarts within RestartWindow; at the next failure the
	// actor is given up. The window should be longer than the delays of that many
	// restarts together, or a permanent failure is restarted forever.
	RestartsMax   int
	RestartWindow time.Duration
	// StopTimeout bounds the orderly stop of the actor with all its children; after
	// that they are killed.
	StopTimeout time.Duration
	// MailboxMax is the number of pending messages beyond which more are rejected.
	MailboxMax int
}

// Restart is the reaction to the end of a child.
type Restart int

const (
	// Permanent is for a child without which its parent cannot work. It is restarted
	// whenever it ends. If it is given up, its parent fails too, and in the end the
	// process.
	Permanent Restart = iota
	// Transient is for a child that may finish, and whose loss its parent tolerates.
	// It is restarted after failures. If it is given up, the parent is notified.
	Transient
	// Temporary is never restarted; the parent is notified of its end.
	Temporary
)

// Backoff is the delay before a restart: random between zero and a bound that starts at
// Min and doubles with each failure in the window, up to Max.
type Backoff struct {
	Min, Max time.Duration
}

// bound returns the longest delay after the n-th failure in the window, n from 1.
func (b Backoff) bound(n int) time.Duration {
	bound := b.Min
	for ; n > 1 && bound < b.Max; n-- {
		bound *= 2
	}
	return min(bound, b.Max)
}

// ChildEnded is the message to a running parent that a child has ended and will not be
// restarted; its name is free again. Err is nil after an orderly stop, otherwise the
// cause of the failure. There is no such message for a Permanent child that is given
// up: the parent itself fails.
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

// nameBytesMax bounds one name; a path has one for each level of the tree.
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
