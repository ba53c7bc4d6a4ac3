package binancesim

import (
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"venuegate/venues/simcore/simnet"
)

// listenKey opens the private stream of one account.
type listenKey struct {
	key     string
	account string
	expires time.Time
}

// users are the private streams: listen keys and their listeners.
type users struct {
	sim *Sim

	mu        sync.Mutex
	keys      map[string]*listenKey
	byAccount map[string]*listenKey
	listeners simnet.Topics[*client]
}

func newUsers(s *Sim) *users {
	return &users{
		sim: s, keys: map[string]*listenKey{}, byAccount: map[string]*listenKey{},
		listeners: simnet.Topics[*client]{},
	}
}

type listenKeyBody struct {
	ListenKey string `json:"listenKey"`
}

// createListenKey returns the account's key, a new one where it has none, and
// extends its life.
func (s *Sim) createListenKey(c *call) (any, *apiError) {
	fresh := s.randomID(listenKeyLen)
	u := s.users
	u.mu.Lock()
	defer u.mu.Unlock()
	k := u.byAccount[c.account.ID]
	if k == nil {
		k = &listenKey{key: fresh, account: c.account.ID}
		u.keys[k.key], u.byAccount[k.account] = k, k
	}
	k.expires = s.Clock.Now().Add(s.options.ListenKeyLife)
	return listenKeyBody{k.key}, nil
}

func (s *Sim) renewListenKey(c *call) (any, *apiError) {
	var renewed listenKeyBody
	failed := s.users.withKey(c.account.ID, func(k *listenKey) {
		k.expires = s.Clock.Now().Add(s.options.ListenKeyLife)
		renewed.ListenKey = k.key
	})
	return renewed, failed
}

func (s *Sim) dropListenKey(c *call) (any, *apiError) {
	return struct{}{}, s.users.withKey(c.account.ID, s.users.drop)
}

// withKey calls do with the key of an account, under the lock.
func (u *users) withKey(account string, do func(*listenKey)) *apiError {
	u.mu.Lock()
	defer u.mu.Unlock()
	k := u.byAccount[account]
	if k == nil {
		return errListenKey
	}
	do(k)
	return nil
}

// drop removes a key. Its listeners stay connected and receive nothing more.
func (u *users) drop(k *listenKey) {
	delete(u.keys, k.key)
	delete(u.byAccount, k.account)
	delete(u.listeners, k.key)
}

// ExpireListenKey expires the listen key of an account now, as after an hour
// without renewal.
func (s *Sim) ExpireListenKey(accountID string) {
	s.users.mu.Lock()
	defer s.users.mu.Unlock()
	if k := s.users.byAccount[accountID]; k != nil {
		s.users.expire(k)
	}
}

type listenKeyExpiredEvent struct {
	Event     string `json:"e"`
	E         string `json:"E"`
	ListenKey string `json:"listenKey"`
}

const eventListenKeyExpired = "listenKeyExpired"

func (u *users) expireKeys() {
	now := u.sim.Clock.Now()
	u.mu.Lock()
	defer u.mu.Unlock()
	var expired []*listenKey
	for _, k := range u.keys {
		if !now.Before(k.expires) {
			expired = append(expired, k)
		}
	}
	sort.Slice(expired, func(i, j int) bool { return expired[i].key < expired[j].key })
	for _, k := range expired {
		u.expire(k)
	}
}

func (u *users) expire(k *listenKey) {
	at := strconv.FormatInt(u.sim.Clock.Now().UnixMilli(), 10)
	u.send(k.account, eventListenKeyExpired, listenKeyExpiredEvent{eventListenKeyExpired, at, k.key})
	u.drop(k)
}

// subscribe takes listen keys, each with an optional list of events after a
// question mark. Keys that do not exist deliver nothing.
func (u *users) subscribe(cl *client, names []string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, name := range names {
		name, _, _ = strings.Cut(name, "?")
		cl.streams[name] = true
		if u.keys[name] != nil {
			u.listeners.Add(name, cl)
		}
	}
}

func (u *users) unsubscribe(cl *client, names []string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, name := range names {
		delete(cl.streams, name)
		u.listeners.Remove(name, cl)
	}
}

func (u *users) removeClient(cl *client) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.listeners.RemoveAll(cl)
}

// hasListeners reports whether an account has listeners. The lock is held.
func (u *users) hasListeners(account string) bool {
	k := u.byAccount[account]
	return k != nil && u.listeners.Has(k.key)
}

// send delivers an event to the listeners of an account. The lock is held.
func (u *users) send(account, event string, body any) {
	if !u.hasListeners(account) {
		return
	}
	raw := simnet.Encode(body)
	key := u.byAccount[account].key
	wrapped := wrap(key, raw)
	for cl := range u.listeners[key] {
		if !cl.accepts(event, u.sim.options.EventsRequired) {
			continue
		}
		if cl.combined {
			cl.session.Send(event, wrapped)
		} else {
			cl.session.Send(event, raw)
		}
	}
}

func (cl *client) accepts(event string, required bool) bool {
	if len(cl.events) == 0 {
		return !required
	}
	return cl.events[event]
}
