package stream

import (
	"net/netip"
	"sync"
	"time"

	"venuegate/venues"
)

// refusalRetry is what a refused client is told to wait.
const refusalRetry = time.Second

// door lets connections in and knows who is inside.
type door struct {
	options *Options

	mu        sync.Mutex
	sessions  map[*session]struct{}
	byAddress map[netip.Addr]int // connections that have not authenticated
	byKey     map[string]int
	anonymous int
	shut      bool
	opened    uint64
	refused   uint64
	inside    sync.WaitGroup
}

func newDoor(options *Options) *door {
	return &door{
		options:   options,
		sessions:  make(map[*session]struct{}),
		byAddress: make(map[netip.Addr]int),
		byKey:     make(map[string]int),
	}
}

// check says whether a connection from an address could enter now, as a
// *venues.Error for the answer to its upgrade.
func (d *door) check(address netip.Addr) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if refusal := d.refusal(address); refusal != nil {
		d.refused++
		return refusal
	}
	return nil
}

func (d *door) refusal(address netip.Addr) *venues.Error {
	var refusal *venues.Error
	switch {
	case d.shut:
		refusal = venues.Errorf(venues.CodeMaintenance, "the service is shutting down")
	case len(d.sessions) >= d.options.ConnsMax:
		refusal = venues.Errorf(venues.CodeRateLimited, "too many connections").With("limit", d.options.ConnsMax)
	case d.byAddress[address] >= d.options.UnauthenticatedPerAddressMax:
		refusal = venues.Errorf(venues.CodeRateLimited, "too many connections from this address that have not authenticated").
			With("limit", d.options.UnauthenticatedPerAddressMax)
	default:
		return nil
	}
	refusal.RetryAfter = refusalRetry
	return refusal
}

// enter counts a session in; leave must follow. It answers what check would.
func (d *door) enter(s *session) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if refusal := d.refusal(s.address); refusal != nil {
		d.refused++
		return refusal
	}
	d.opened++
	d.sessions[s] = struct{}{}
	d.byAddress[s.address]++
	d.anonymous++
	d.inside.Add(1)
	return nil
}

// identify counts a session under its key from now on. It is false if the key
// has as many connections as it may have; nothing is changed then.
func (d *door) identify(s *session, identity *identity) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.byKey[identity.KeyID] >= d.options.ConnsPerKeyMax {
		return false
	}
	d.byKey[identity.KeyID]++
	d.forgetAddress(s.address)
	s.identity = identity
	return true
}

func (d *door) leave(s *session) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.sessions, s)
	if s.identity == nil {
		d.forgetAddress(s.address)
	} else if d.byKey[s.identity.KeyID]--; d.byKey[s.identity.KeyID] == 0 {
		delete(d.byKey, s.identity.KeyID)
	}
	d.inside.Done()
}

func (d *door) forgetAddress(address netip.Addr) {
	d.anonymous--
	if d.byAddress[address]--; d.byAddress[address] == 0 {
		delete(d.byAddress, address)
	}
}

// close lets nobody in any more and returns who is inside.
func (d *door) close() []*session {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.shut = true
	return d.list()
}

// identified returns who is inside and has authenticated, with the identities.
func (d *door) identified() map[*session]*identity {
	d.mu.Lock()
	defer d.mu.Unlock()
	known := make(map[*session]*identity, len(d.sessions))
	for s := range d.sessions {
		if s.identity != nil {
			known[s] = s.identity
		}
	}
	return known
}

func (d *door) list() []*session {
	list := make([]*session, 0, len(d.sessions))
	for s := range d.sessions {
		list = append(list, s)
	}
	return list
}

func (d *door) describe(s *Stats) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s.Connections, s.Unauthenticated = len(d.sessions), d.anonymous
	s.Opened, s.Refused = d.opened, d.refused
}
