package main

import (
	"errors"
	"net"
	"slices"
	"sync"
)

// closers ends what was begun, last first. For one goroutine.
type closers struct{ ends []func() error }

func (c *closers) add(end func() error) { c.ends = append(c.ends, end) }

// Close ends everything, whatever fails on the way. A second call does nothing.
func (c *closers) Close() error {
	var failures error
	for _, end := range slices.Backward(c.ends) {
		failures = errors.Join(failures, end())
	}
	c.ends = nil
	return failures
}

// together does several things at the same time and gives all that failed.
func together(all ...func() error) error {
	failures := make([]error, len(all))
	var under sync.WaitGroup
	for i, each := range all {
		under.Go(func() { failures[i] = each() })
	}
	under.Wait()
	return errors.Join(failures...)
}

// onceListener may be closed by its server and by its owner.
type onceListener struct {
	net.Listener
	end func() error
}

func newOnceListener(l net.Listener) net.Listener {
	return &onceListener{Listener: l, end: sync.OnceValue(l.Close)}
}

func (l *onceListener) Close() error { return l.end() }
