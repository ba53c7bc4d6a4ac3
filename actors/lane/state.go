package lane

import "slices"

// ticketsMax bounds the tickets that are held at the same time.
const ticketsMax = 4096

// state is the tickets that are held, by the receipt of what they are for.
type state struct {
	held []*place
	// missing are the holders that may have tickets from before: until each has
	// said which, nobody is called.
	missing map[string]bool
}

type place struct {
	enter
	called bool
}

func newState(holders []string) state {
	s := state{missing: map[string]bool{}}
	for _, holder := range holders {
		s.missing[holder] = true
	}
	return s
}

// enter takes a ticket and gives those to call. One that is held already keeps
// its place and is called anew.
func (s *state) enter(in enter) ([]*place, bool) {
	if i := slices.IndexFunc(s.held, func(p *place) bool { return p.is(in.ticket.holder, in.ticket.id) }); i >= 0 {
		again := s.held[i]
		again.enter = in
		if again.called {
			return []*place{again}, true
		}
		return s.next(), true
	}
	if len(s.held) >= ticketsMax {
		return nil, false
	}
	at := len(s.held)
	for at > 0 && s.held[at-1].ticket.receivedAt.After(in.ticket.receivedAt) {
		at--
	}
	s.held = slices.Insert(s.held, at, &place{enter: in})
	return s.next(), true
}

// retain ends the tickets of a holder but those named, and gives those to call.
func (s *state) retain(holder string, ids []string) []*place {
	delete(s.missing, holder)
	return s.end(func(t *ticket) bool { return t.holder == holder && !slices.Contains(ids, t.id) })
}

// begin waits for nobody any more.
func (s *state) begin() []*place {
	clear(s.missing)
	return s.next()
}

// end takes tickets back and gives those to call.
func (s *state) end(is func(*ticket) bool) []*place {
	s.held = slices.DeleteFunc(s.held, func(p *place) bool { return is(&p.ticket) })
	return s.next()
}

// next calls everyone in whose way no earlier ticket stands, nor a later one that
// was called before this one came.
func (s *state) next() []*place {
	if len(s.missing) > 0 {
		return nil
	}
	var calls []*place
	for i, p := range s.held {
		if !p.called && !s.isBlocked(i) {
			p.called = true
			calls = append(calls, p)
		}
	}
	return calls
}

func (s *state) isBlocked(i int) bool {
	p := s.held[i]
	return slices.ContainsFunc(s.held[:i], func(before *place) bool { return before.ticket.overlaps(&p.ticket) }) ||
		slices.ContainsFunc(s.held[i+1:], func(after *place) bool { return after.called && after.ticket.overlaps(&p.ticket) })
}

func (p *place) is(holder, id string) bool { return p.ticket.holder == holder && p.ticket.id == id }
