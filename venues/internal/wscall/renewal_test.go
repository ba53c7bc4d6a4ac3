package wscall_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/wscall"
)

// A connection that is to be replaced takes no call more and is given up when the
// last answer is there: nothing is lost by it.
func TestAnAnnouncedEndWaitsForAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heard, release := make(chan struct{}), make(chan struct{})
		v := newVenue(t, func(p *peer) {
			if p.number == 1 {
				m, _ := p.hear()
				close(heard)
				p.say("", noticeEnding)
				<-release
				p.say(m.ID, "done")
			}
			echo(p)
		})
		c := open(t, v, nil)
		first := make(chan error, 1)
		go func() {
			_, err := c.Call(context.Background(), say(""))
			first <- err
		}()
		<-heard
		await(t, "the word of the end", func() bool { return !c.Up() })
		if _, err := c.Call(t.Context(), say("")); !errors.Is(outcome(err), venues.ErrNotSent) {
			t.Errorf("call on a connection that is to be replaced: %v, up %v", err, c.Up())
		}
		close(release)
		if err := <-first; err != nil {
			t.Errorf("the call under way: %v", err)
		}
		await(t, "the next connection", c.Up)
		if answer, err := c.Call(t.Context(), say("hello")); err != nil || textOf(t, answer) != "hello by 2" {
			t.Errorf("%q, %v", answer, err)
		}
	})
}

func TestRenewalByAgeLosesNoCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, newVenue(t, echo), func(o *wscall.Options) { o.Link.Lifetime = 20 * time.Millisecond })
		calls := 0
		await(t, "the third connection", func() bool {
			calls++
			answer, err := c.Call(t.Context(), say(""))
			if err != nil && !errors.Is(outcome(err), venues.ErrNotSent) {
				t.Fatalf("call %d: %v", calls, err)
			}
			return err == nil && textOf(t, answer) >= " by 3" // the third may be gone by now
		})
	})
}

// A call that its sender gives up does not hold the replacement up, whether it was
// given up before or after.
func TestAnAnnouncedEndAndAGivenUpCall(t *testing.T) {
	for name, endsFirst := range map[string]bool{"before": false, "after": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				heard, end := make(chan struct{}), make(chan struct{})
				v := newVenue(t, func(p *peer) {
					if p.number == 1 {
						p.hear()
						close(heard)
						<-end
						p.say("", noticeEnding)
					}
					echo(p)
				})
				c := open(t, v, nil)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				ended := make(chan error, 1)
				go func() {
					_, err := c.Call(ctx, say(""))
					ended <- err
				}()
				<-heard
				if endsFirst {
					close(end)
					await(t, "the word of the end", func() bool { return !c.Up() })
				}
				cancel()
				if err := <-ended; !errors.Is(outcome(err), venues.ErrOutcomeUnknown) {
					t.Fatalf("%v", err)
				}
				if !endsFirst {
					close(end)
				}
				await(t, "an answer of the next connection", func() bool {
					answer, err := c.Call(t.Context(), say(""))
					return err == nil && textOf(t, answer) == " by 2"
				})
			})
		})
	}
}

// An answer may say itself that the connection ends.
func TestAnAnswerThatEndsItsConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVenue(t, func(p *peer) {
			if p.number == 1 {
				m, _ := p.hear()
				p.say(m.ID, noticeEnding)
			}
			echo(p)
		})
		c := open(t, v, nil)
		if answer, err := c.Call(t.Context(), say("")); err != nil || textOf(t, answer) != noticeEnding {
			t.Fatalf("%q, %v", answer, err)
		}
		await(t, "an answer of the next connection", func() bool {
			answer, err := c.Call(t.Context(), say("hello"))
			return err == nil && textOf(t, answer) == "hello by 2"
		})
	})
}

// A refusal without a name is that of one call, and says nothing of the others:
// they have a moment for their answers. Then nobody waits any more.
func TestARefusalWithoutAName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		v := newVenue(t, func(p *peer) {
			if p.number > 1 {
				echo(p)
			}
			first, _ := p.hear()
			second, _ := p.hear()
			p.say("", noticeNameless)
			<-release
			named := map[string]string{first.Text: first.ID, second.Text: second.ID}
			p.say(named["answered"], "done")
			echo(p)
		})
		c := open(t, v, func(o *wscall.Options) { o.Timeout = time.Hour })
		ends := map[string]chan error{}
		for _, text := range []string{"answered", "refused"} {
			ends[text] = make(chan error, 1)
			go func() {
				_, err := c.Call(context.Background(), say(text))
				ends[text] <- err
			}()
		}
		await(t, "the refusal", func() bool { return !c.Up() })
		close(release)
		if err := <-ends["answered"]; err != nil {
			t.Errorf("the call that is answered: %v", err)
		}
		if err := <-ends["refused"]; !errors.Is(outcome(err), venues.ErrOutcomeUnknown) {
			t.Errorf("the call that is not: %v", err)
		}
		await(t, "the next connection", c.Up)
	})
}

// A connection that is up and answers no call is of no use: the next one may be.
func TestUnansweredCallReplacesTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVenue(t, func(p *peer) {
			for m, ok := p.hear(); ok; m, ok = p.hear() {
				if p.number > 1 {
					p.say(m.ID, fmt.Sprint("by ", p.number))
				}
			}
		})
		c := open(t, v, func(o *wscall.Options) { o.Timeout = 20 * time.Millisecond })
		if _, err := c.Call(t.Context(), say("")); !errors.Is(outcome(err), venues.ErrOutcomeUnknown) || c.Up() {
			t.Fatalf("%v, up %v", err, c.Up())
		}
		await(t, "an answer of the next connection", func() bool {
			answer, err := c.Call(t.Context(), say(""))
			return err == nil && textOf(t, answer) == "by 2"
		})
	})
}

// The patience of one caller says nothing about the connection.
func TestGivenUpCallLeavesTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
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
			_, err := c.Call(ctx, say(""))
			ended <- err
		}()
		<-heard
		cancel()
		if err := <-ended; !errors.Is(outcome(err), venues.ErrOutcomeUnknown) {
			t.Fatalf("%v", err)
		}
		if answer, err := c.Call(t.Context(), say("hello")); err != nil || textOf(t, answer) != "hello by 1" {
			t.Errorf("%q, %v", answer, err)
		}
	})
}
