package lane

import "slices"

// ticketsMax bounds the tickets that are held at the same time.
const ticketsMax = 4096

// state is the tickets that are held, in the order of their arrival.
type state struct{ held []*place }

type place struct {
	enter
	called bool
}

// enter takes a ticket and gives those to call.
func (s *state) enter(in enter) ([]*place, bool) {
	if len(s.held) >= ticketsMax {
		return nil, false
	}
	s.held = append(s.held, &place{enter: in})
	return s.next(), true
}

// end takes tickets back and gives those to call.
func (s *state) end(is func(*ticket) bool) []*place {
	s.held = slices.DeleteFunc(s.held, func(p *place) bool { return is(&p.ticket) })
	return s.next()
}

// next calls everyone before whom no earlier ticket stands in the way.
func (s *state) next() []*place {
	var calls []*place
	for i, p := range s.held {
		if !p.called && !slices.ContainsFunc(s.held[:i], func(before *place) bool { return before.ticket.overlaps(&p.ticket) }) {
			p.called = true
			calls = append(calls, p)
		}
	}
	return calls
}
