package signalqueue

import "slices"

// slotsMax bounds the slots that exist at the same time.
const slotsMax = 4096

// state is the state of the queue.
type state struct {
	// entries is in the order in which the signals were received.
	entries []*entry
	// missing has the channels that have not called Retain since the start. Nothing is
	// granted until it is empty.
	missing map[string]bool
}

// entry is a slot with its caller.
type entry struct {
	enter
	granted bool
}

func newState(channels []string) state {
	s := state{missing: map[string]bool{}}
	for _, channel := range channels {
		s.missing[channel] = true
	}
	return s
}

// enter adds a slot and returns the entries to notify. A slot that exists already keeps its
// place; if it was granted, its new caller is notified too. enter returns false if the queue
// is full.
func (s *state) enter(in enter) ([]*entry, bool) {
	if i := slices.IndexFunc(s.entries, func(e *entry) bool { return e.slot.channel == in.slot.channel && e.slot.id == in.slot.id }); i >= 0 {
		again := s.entries[i]
		again.enter = in
		if again.granted {
			return []*entry{again}, true
		}
		return s.grant(), true
	}
	if len(s.entries) >= slotsMax {
		return nil, false
	}
	at := len(s.entries)
	for at > 0 && s.entries[at-1].slot.receivedAt.After(in.slot.receivedAt) {
		at--
	}
	s.entries = slices.Insert(s.entries, at, &entry{enter: in})
	return s.grant(), true
}

// retain releases the slots of a channel except those with the given ids, and
// returns the entries that are granted now.
func (s *state) retain(channel string, ids []string) []*entry {
	delete(s.missing, channel)
	return s.release(func(slot *slot) bool { return slot.channel == channel && !slices.Contains(ids, slot.id) })
}

// start ends the wait for missing channels.
func (s *state) start() []*entry {
	clear(s.missing)
	return s.grant()
}

// release removes the matching slots and returns the entries that are granted now.
func (s *state) release(matches func(*slot) bool) []*entry {
	s.entries = slices.DeleteFunc(s.entries, func(e *entry) bool { return matches(&e.slot) })
	return s.grant()
}

// grant grants the entries that are not blocked, and returns the newly granted ones.
func (s *state) grant() []*entry {
	if len(s.missing) > 0 {
		return nil
	}
	var granted []*entry
	for i, e := range s.entries {
		if !e.granted && !s.isBlocked(i) {
			e.granted = true
			granted = append(granted, e)
		}
	}
	return granted
}

// isBlocked reports whether an entry overlaps with an earlier one, or with a later
// one that was granted before this one was added.
func (s *state) isBlocked(i int) bool {
	slot := &s.entries[i].slot
	return slices.ContainsFunc(s.entries[:i], func(before *entry) bool { return before.slot.overlaps(slot) }) ||
		slices.ContainsFunc(s.entries[i+1:], func(after *entry) bool { return after.granted && after.slot.overlaps(slot) })
}
