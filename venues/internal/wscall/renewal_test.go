package wscall_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/wscall"
)

// A connection that is to be replaced takes no call more and is given up when the
// last answer is there: nothing is lost by it.
func TestRenewWaitsForAnswers(t *testing.T) {
	heard, release := make(chan struct{}), make(chan struct{})
	v := newVenue(t, func(p *peer) {
		if p.number == 1 {
			m, _ := p.hear()
			close(heard)
			<-release
			p.say(m.ID, "done")
		}
		echo(p)
	})
	c := open(t, v, nil)
	first := make(chan error, 1)
	go func() {
		_, err := c.Call(context.Background(), "1", call("1", ""))
		first <- err
	}()
	<-heard
	c.Renew()
	if _, err := c.Call(t.Context(), "2", call("2", "")); !errors.Is(outcome(err), venues.ErrNotSent) || c.Up() {
		t.Errorf("call on a connection that is to be replaced: %v, up %v", err, c.Up())
	}
	close(release)
	if err := <-first; err != nil {
		t.Errorf("the call under way: %v", err)
	}
	await(t, "the next connection", c.Up)
	if answer, err := c.Call(t.Context(), "3", call("3", "hello")); err != nil || textOf(t, answer) != "hello by 2" {
		t.Errorf("%q, %v", answer, err)
	}
}

func TestRenewalByAgeLosesNoCall(t *testing.T) {
	c := open(t, newVenue(t, echo), func(o *wscall.Options) { o.Link.Lifetime = 20 * time.Millisecond })
	calls := 0
	await(t, "the third connection", func() bool {
		calls++
		id := fmt.Sprint(calls)
		answer, err := c.Call(t.Context(), id, call(id, ""))
		if err != nil && !errors.Is(outcome(err), venues.ErrNotSent) {
			t.Fatalf("call %s: %v", id, err)
		}
		return err == nil && textOf(t, answer) == " by 3"
	})
}

// A call that its sender gives up does not hold the replacement up, whether it was
// given up before or after.
func TestRenewAfterAGivenUpCall(t *testing.T) {
	for name, renewFirst := range map[string]bool{"before": false, "after": true} {
		t.Run(name, func(t *testing.T) {
			heard := make(chan struct{}, 1)
			v := newVenue(t, func(p *peer) {
				for m, ok := p.hear(); ok; m, ok = p.hear() {
					if p.number > 1 {
						p.say(m.ID, "")
						continue
					}
					heard <- struct{}{}
				}
			})
			c := open(t, v, nil)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ended := make(chan error, 1)
			go func() {
				_, err := c.Call(ctx, "1", call("1", ""))
				ended <- err
			}()
			<-heard
			if renewFirst {
				c.Renew()
			}
			cancel()
			if err := <-ended; !errors.Is(outcome(err), venues.ErrOutcomeUnknown) {
				t.Fatalf("%v", err)
			}
			if !renewFirst {
				c.Renew()
			}
			await(t, "an answer of the next connection", func() bool {
				_, err := c.Call(t.Context(), "2", call("2", ""))
				return err == nil
			})
		})
	}
}

// A connection that is up and answers no call is of no use: the next one may be.
func TestUnansweredCallReplacesTheConnection(t *testing.T) {
	v := newVenue(t, func(p *peer) {
		for m, ok := p.hear(); ok; m, ok = p.hear() {
			if p.number > 1 {
				p.say(m.ID, fmt.Sprint("by ", p.number))
			}
		}
	})
	c := open(t, v, func(o *wscall.Options) { o.Timeout = 20 * time.Millisecond })
	if _, err := c.Call(t.Context(), "1", call("1", "")); !errors.Is(outcome(err), venues.ErrOutcomeUnknown) || c.Up() {
		t.Fatalf("%v, up %v", err, c.Up())
	}
	calls := 1
	await(t, "an answer of the next connection", func() bool {
		calls++
		id := fmt.Sprint(calls)
		answer, err := c.Call(t.Context(), id, call(id, ""))
		return err == nil && textOf(t, answer) == "by 2"
	})
}

// The patience of one caller says nothing about the connection.
func TestGivenUpCallLeavesTheConnection(t *testing.T) {
	heard := make(chan struct{})
	v := newVenue(t, func(p *peer) {
		p.hear()
		close(heard)
		echo(p)
	})
	c := open(t, v, nil)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := c.Call(ctx, "1", call("1", ""))
		ended <- err
	}()
	<-heard
	cancel()
	if err := <-ended; !errors.Is(outcome(err), venues.ErrOutcomeUnknown) {
		t.Fatalf("%v", err)
	}
	if answer, err := c.Call(t.Context(), "2", call("2", "hello")); err != nil || textOf(t, answer) != "hello by 1" {
		t.Errorf("%q, %v", answer, err)
	}
}
