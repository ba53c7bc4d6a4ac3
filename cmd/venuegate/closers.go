package main

import (
	"errors"
	"net"
	"slices"
	"sync"
)

// closers closes what was opened, last first. It is not safe for concurrent use.
type closers struct{ ends []func() error }

func (c *closers) add(end func() error) { c.ends = append(c.ends, end) }

// Close closes everything, even after errors, and joins the errors. A second call does
// nothing.
func (c *closers) Close() error {
	var failures error
	for _, end := range slices.Backward(c.ends) {
		failures = errors.Join(failures, end())
	}
	c.ends = nil
	return failures
}

// together calls functions concurrently, waits for all of them and joins their
// errors.
func together(all ...func() error) error {
	failures := make([]error, len(all))
	var under sync.WaitGroup
	for i, each := range all {
		under.Go(func() { failures[i] = each() })
	}
	under.Wait()
	return errors.Join(failures...)
}

// onceListener may be closed more than once: by its server and by its owner.
type onceListener struct {
	net.Listener
	end func() error
}

func newOnceListener(l net.Listener) net.Listener {
	return &onceListener{Listener: l, end: sync.OnceValue(l.Close)}
}

func (l *onceListener) Close() error { return l.end() }
