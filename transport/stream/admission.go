package stream

import (
	"iter"
	"maps"
	"net/netip"
	"slices"
	"sync"
	"time"

	"venuegate/venues"
)

// admissionRetry is the Retry-After of a rejected connection.
const admissionRetry = time.Second

// admission enforces the limits on connections and keeps the open sessions.
type admission struct {
	options *Options

	mu              sync.Mutex
	sessions        map[*session]struct{}
	byAddress       map[netip.Addr]int // unauthenticated connections
	byKey           map[string]map[*session]struct{}
	unauthenticated int
	changes         uint64 // of keys
	closed          bool
	opened          uint64
	rejected        uint64
	open            sync.WaitGroup
}

func newAdmission(options *Options) *admission {
	return &admission{
		options:   options,
		sessions:  make(map[*session]struct{}),
		byAddress: make(map[netip.Addr]int),
		byKey:     make(map[string]map[*session]struct{}),
	}
}

// check returns nil if a connection from an address could be admitted now, else the
// *venues.Error for the response to its upgrade.
func (a *admission) check(address netip.Addr) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if rejection := a.rejection(address); rejection != nil {
		a.rejected++
		return rejection
	}
	return nil
}

func (a *admission) rejection(address netip.Addr) *venues.Error {
	var rejection *venues.Error
	switch {
	case a.closed:
		rejection = venues.Errorf(venues.CodeMaintenance, "the service is shutting down")
	case len(a.sessions) >= a.options.ConnsMax:
		rejection = venues.Errorf(venues.CodeRateLimited, "too many connections").With("limit", a.options.ConnsMax)
	case a.byAddress[address] >= a.options.UnauthenticatedPerAddressMax:
		rejection = venues.Errorf(venues.CodeRateLimited, "too many connections from this address that have not authenticated").
			With("limit", a.options.UnauthenticatedPerAddressMax).With("scope", venues.LimitOfSource)
	default:
		return nil
	}
	rejection.RetryAfter = admissionRetry
	return rejection
}

// admit adds a session, which release must remove again, or returns the error that
// check would return.
func (a *admission) admit(s *session) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if rejection := a.rejection(s.address); rejection != nil {
		a.rejected++
		return rejection
	}
	a.opened++
	a.sessions[s] = struct{}{}
	a.byAddress[s.address]++
	a.unauthenticated++
	a.open.Add(1)
	return nil
}

// keyChanges returns the number of keys that were revoked or changed.
func (a *admission) keyChanges() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.changes
}

// keyChanged returns the sessions of a key that was revoked or changed.
func (a *admission) keyChanged(keyID string) []*session {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.changes++
	return slices.Collect(maps.Keys(a.byKey[keyID]))
}

// authenticate counts a session under its key instead of its address, if no key has
// changed since keyChanges returned changes: else current is false. It changes nothing if
// the key has too many connections.
func (a *admission) authenticate(s *session, identity *identity, changes uint64) (admitted, current bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.changes != changes {
		return false, false
	}
	ofKey := a.byKey[identity.KeyID]
	if len(ofKey) >= a.options.ConnsPerKeyMax {
		return false, true
	}
	if ofKey == nil {
		ofKey = make(map[*session]struct{})
		a.byKey[identity.KeyID] = ofKey
	}
	ofKey[s] = struct{}{}
	a.releaseAddress(s.address)
	s.identity = identity
	return true, true
}

func (a *admission) release(s *session) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.sessions, s)
	if s.identity == nil {
		a.releaseAddress(s.address)
	} else {
		ofKey := a.byKey[s.identity.KeyID]
		if delete(ofKey, s); len(ofKey) == 0 {
			delete(a.byKey, s.identity.KeyID)
		}
	}
	a.open.Done()
}

func (a *admission) releaseAddress(address netip.Addr) {
	a.unauthenticated--
	if a.byAddress[address]--; a.byAddress[address] == 0 {
		delete(a.byAddress, address)
	}
}

// close rejects further connections and returns the open sessions.
func (a *admission) close() []*session {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	return a.list()
}

// authenticated yields the authenticated sessions with their identities. The lock is held for
// the connections of one key at a time, of which there are few, and never while one is
// yielded: admissions do not wait for all connections to be listed.
func (a *admission) authenticated() iter.Seq2[*session, *identity] {
	return func(yield func(*session, *identity) bool) {
		for _, keyID := range a.keysInUse() {
			for s, identity := range a.ofKey(keyID) {
				if !yield(s, identity) {
					return
				}
			}
		}
	}
}

func (a *admission) keysInUse() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Collect(maps.Keys(a.byKey))
}

// ofKey returns the sessions of a key with their identities.
func (a *admission) ofKey(keyID string) map[*session]*identity {
	a.mu.Lock()
	defer a.mu.Unlock()
	known := make(map[*session]*identity, len(a.byKey[keyID]))
	for s := range a.byKey[keyID] {
		known[s] = s.identity
	}
	return known
}

// list returns the open sessions; the lock must be held.
func (a *admission) list() []*session { return slices.Collect(maps.Keys(a.sessions)) }

func (a *admission) addTo(s *Stats) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s.Connections, s.Unauthenticated = len(a.sessions), a.unauthenticated
	s.Opened, s.Refused = a.opened, a.rejected
}
