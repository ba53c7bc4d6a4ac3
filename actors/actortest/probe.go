package actortest

import (
	"fmt"
	"strings"
	"sync"

	"venuegate/actors"
)

// Probe replaces a neighbour of the actor under test: it records its messages.
type Probe struct {
	kit *Kit
	ref actors.Ref

	mu       sync.Mutex
	messages []any
}

// Probe starts a top-level actor that records its messages. Each of react is then called
// with the message, on the probe's goroutine, and may answer it.
func (k *Kit) Probe(name string, react ...func(msg any)) *Probe {
	k.T.Helper()
	p := &Probe{kit: k}
	p.ref = k.Start(actors.Child{
		Name:     name,
		Producer: func() actors.Behaviour { return &recorder{probe: p, react: react} },
	})
	return p
}

// Ref returns the probe's address.
func (p *Probe) Ref() actors.Ref { return p.ref }

// Take settles the system and returns the messages that the probe has received since the
// last Take or Expect, oldest first.
func (p *Probe) Take() []any {
	p.kit.Settle()
	p.mu.Lock()
	defer p.mu.Unlock()
	taken := p.messages
	p.messages = nil
	return taken
}

// ExpectNone settles the system and fails the test if the probe has a message.
func (p *Probe) ExpectNone() {
	p.kit.T.Helper()
	if left := p.Take(); len(left) > 0 {
		p.kit.T.Errorf("%s received %s, want nothing", p.ref.Path(), typesOf(left))
	}
}

// Expect settles the system, takes the oldest message of the probe, and ends the test if
// there is none or it is not an M.
func Expect[M any](p *Probe) M {
	p.kit.T.Helper()
	p.kit.Settle()
	p.mu.Lock()
	defer p.mu.Unlock()
	var expected M
	if len(p.messages) == 0 {
		p.kit.T.Fatalf("%s received nothing, want %T", p.ref.Path(), expected)
	}
	expected, ok := p.messages[0].(M)
	if !ok {
		p.kit.T.Fatalf("%s received %s, want %T", p.ref.Path(), typesOf(p.messages), expected)
	}
	p.messages = p.messages[1:]
	return expected
}

func typesOf(messages []any) string {
	var b strings.Builder
	for i, msg := range messages {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%T", msg)
	}
	return b.String()
}

// recorder is the Behaviour of a Probe.
type recorder struct {
	probe *Probe
	react []func(msg any)
}

// Receive implements actors.Behaviour.
func (r *recorder) Receive(_ *actors.Context, msg any) {
	r.probe.mu.Lock()
	r.probe.messages = append(r.probe.messages, msg)
	r.probe.mu.Unlock()
	for _, react := range r.react {
		react(msg)
	}
}
