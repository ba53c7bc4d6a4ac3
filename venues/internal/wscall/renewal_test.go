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

// A connection that is to be replaced accepts no more calls and is closed after the last
// answer, so nothing is lost.
func TestAnnouncedEndWaitsForAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		received, release := make(chan struct{}), make(chan struct{})
		v := newVenue(t, func(p *peer) {
			if p.number == 1 {
				m, _ := p.receive()
				close(received)
				p.send("", noticeEnding)
				<-release
				p.send(m.ID, "done")
			}
			echo(p)
		})
		c := open(t, v, nil)
		first := make(chan error, 1)
		go func() {
			_, err := c.Call(context.Background(), textCall(""))
			first <- err
		}()
		<-received
		await(t, "the notice of the end", func() bool { return !c.Up() })
		if _, err := c.Call(t.Context(), textCall("")); !errors.Is(outcome(err), venues.ErrNotSent) {
			t.Errorf("call on a connection that is to be replaced: error %v, up %v, want ErrNotSent", err, c.Up())
		}
		close(release)
		if err := <-first; err != nil {
			t.Errorf("pending call: error %v, want none", err)
		}
		await(t, "the next connection", c.Up)
		if answer, err := c.Call(t.Context(), textCall("hello")); err != nil || textOf(t, answer) != "hello by 2" {
			t.Errorf("answer %q, error %v, want hello by 2", answer, err)
		}
	})
}

func TestRenewalByAgeLosesNoCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, newVenue(t, echo), func(o *wscall.Options) { o.Link.Lifetime = 20 * time.Millisecond })
		calls := 0
		await(t, "the third connection", func() bool {
			calls++
			answer, err := c.Call(t.Context(), textCall(""))
			if err != nil && !errors.Is(outcome(err), venues.ErrNotSent) {
				t.Fatalf("call %d: error %v, want none", calls, err)
			}
			return err == nil && textOf(t, answer) >= " by 3" // the third may have been replaced by now
		})
	})
}

// A call whose context ends does not delay the replacement, whether it ended before or
// after the announcement.
func TestAnnouncedEndAndCancelledCall(t *testing.T) {
	for name, endsFirst := range map[string]bool{"before": false, "after": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				received, end := make(chan struct{}), make(chan struct{})
				v := newVenue(t, func(p *peer) {
					if p.number == 1 {
						p.receive()
						close(received)
						<-end
						p.send("", noticeEnding)
					}
					echo(p)
				})
				c := open(t, v, nil)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				ended := make(chan error, 1)
				go func() {
					_, err := c.Call(ctx, textCall(""))
					ended <- err
				}()
				<-received
				if endsFirst {
					close(end)
					await(t, "the notice of the end", func() bool { return !c.Up() })
				}
				cancel()
				if err := <-ended; !errors.Is(outcome(err), venues.ErrOutcomeUnknown) {
					t.Fatalf("error %v, want the context's", err)
				}
				if !endsFirst {
					close(end)
				}
				await(t, "an answer of the next connection", func() bool {
					answer, err := c.Call(t.Context(), textCall(""))
					return err == nil && textOf(t, answer) == " by 2"
				})
			})
		})
	}
}

// An answer may itself announce the end of the connection.
func TestAnswerThatEndsItsConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVenue(t, func(p *peer) {
			if p.number == 1 {
				m, _ := p.receive()
				p.send(m.ID, noticeEnding)
			}
			echo(p)
		})
		c := open(t, v, nil)
		if answer, err := c.Call(t.Context(), textCall("")); err != nil || textOf(t, answer) != noticeEnding {
			t.Fatalf("answer %q, error %v, want the notice", answer, err)
		}
		await(t, "an answer of the next connection", func() bool {
			answer, err := c.Call(t.Context(), textCall("hello"))
			return err == nil && textOf(t, answer) == "hello by 2"
		})
	})
}

// A rejection without an id concerns one call only: the others may be answered for
// rejectWithoutIDWait. After that no call waits.
func TestRejectionWithoutID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		v := newVenue(t, func(p *peer) {
			if p.number > 1 {
				echo(p)
			}
			first, _ := p.receive()
			second, _ := p.receive()
			p.send("", noticeNameless)
			<-release
			named := map[string]string{first.Text: first.ID, second.Text: second.ID}
			p.send(named["answered"], "done")
			echo(p)
		})
		c := open(t, v, func(o *wscall.Options) { o.Timeout = time.Hour })
		ends := map[string]chan error{}
		for _, text := range []string{"answered", "refused"} {
			ends[text] = make(chan error, 1)
			go func() {
				_, err := c.Call(context.Background(), textCall(text))
				ends[text] <- err
			}()
		}
		await(t, "the refusal", func() bool { return !c.Up() })
		close(release)
		if err := <-ends["answered"]; err != nil {
			t.Errorf("answered call: error %v, want none", err)
		}
		if err := <-ends["refused"]; !errors.Is(outcome(err), venues.ErrOutcomeUnknown) {
			t.Errorf("unanswered call: error %v, want an unknown outcome", err)
		}
		await(t, "the next connection", c.Up)
	})
}

// A connection that is up and answers no call is replaced: the next one may answer.
func TestUnansweredCallReplacesTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newVenue(t, func(p *peer) {
			for m, ok := p.receive(); ok; m, ok = p.receive() {
				if p.number > 1 {
					p.send(m.ID, fmt.Sprint("by ", p.number))
				}
			}
		})
		c := open(t, v, func(o *wscall.Options) { o.Timeout = 20 * time.Millisecond })
		if _, err := c.Call(t.Context(), textCall("")); !errors.Is(outcome(err), venues.ErrOutcomeUnknown) || c.Up() {
			t.Fatalf("error %v, up %v, want an unknown outcome and false", err, c.Up())
		}
		await(t, "an answer of the next connection", func() bool {
			answer, err := c.Call(t.Context(), textCall(""))
			return err == nil && textOf(t, answer) == "by 2"
		})
	})
}

// The end of a caller's context means nothing for the connection.
func TestCancelledCallKeepsTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		received := make(chan struct{})
		v := newVenue(t, func(p *peer) {
			p.receive()
			close(received)
			echo(p)
		})
		c := open(t, v, nil)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, err := c.Call(ctx, textCall(""))
			ended <- err
		}()
		<-received
		cancel()
		if err := <-ended; !errors.Is(outcome(err), venues.ErrOutcomeUnknown) {
			t.Fatalf("error %v, want the context's", err)
		}
		if answer, err := c.Call(t.Context(), textCall("hello")); err != nil || textOf(t, answer) != "hello by 1" {
			t.Errorf("answer %q, error %v, want hello by 1", answer, err)
		}
	})
}
