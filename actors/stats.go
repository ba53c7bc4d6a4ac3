package actors

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// Stats are the counters of a system since it was created.
type Stats struct {
	Kinds       []KindStats // by kind
	Pools       []PoolStats // by name
	DeadLetters uint64      // messages that no actor received
}

// KindStats are the totals of all actors of one kind, including those that have ended.
// Actors and Waiting are current values, the others only grow.
type KindStats struct {
	Kind       string
	Actors     int
	Waiting    int    // messages in mailboxes
	Messages   uint64 // taken from mailboxes
	Rejections uint64 // by mailboxes
	Failures   uint64
	Restarts   uint64
	Unhandled  uint64
	Busy       time.Duration // spent in Receive; may exceed the time passed
}

// PoolStats describes a pool. Running and Waiting are current values.
type PoolStats struct {
	Name       string
	Running    int
	RunningMax int
	Waiting    int
	WaitingMax int
	Started    uint64
	Refused    uint64
}

// Stats returns a snapshot, cheap enough for every scrape of the metrics. Its parts are
// not taken at the same instant.
func (s *System) Stats() Stats {
	s.mu.RLock()
	kinds := maps.Clone(s.retired)
	for _, c := range s.cells {
		if c != s.guardian {
			kinds[c.kind()] = kinds[c.kind()].plus(c.stats())
		}
	}
	pools := slices.Clone(s.pools)
	s.mu.RUnlock()
	delete(kinds, guardianPath)
	return Stats{Kinds: sortedKinds(kinds), Pools: sumPools(pools), DeadLetters: s.letters.total.Load()}
}

func (c *cell) stats() KindStats {
	n := &c.counters
	k := KindStats{
		Messages:   n.messages.Load(),
		Rejections: n.rejections.Load(),
		Failures:   n.failures.Load(),
		Restarts:   n.restarts.Load(),
		Unhandled:  n.unhandled.Load(),
		Busy:       time.Duration(n.busy.Load()),
	}
	if since := n.busySince.Load(); since != 0 {
		k.Busy += c.system.uptime() - time.Duration(since)
	}
	if !c.mailbox.stopped.Load() {
		k.Actors = 1
		k.Waiting = c.mailbox.UserMessageCount()
	}
	return k
}

func (k KindStats) plus(other KindStats) KindStats {
	k.Actors += other.Actors
	k.Waiting += other.Waiting
	k.Messages += other.Messages
	k.Rejections += other.Rejections
	k.Failures += other.Failures
	k.Restarts += other.Restarts
	k.Unhandled += other.Unhandled
	k.Busy += other.Busy
	return k
}

func sortedKinds(kinds map[string]KindStats) []KindStats {
	list := make([]KindStats, 0, len(kinds))
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		k := kinds[kind]
		k.Kind = kind
		list = append(list, k)
	}
	return list
}

func (s *System) addPool(p *Pool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pools = append(s.pools, p)
}

func sumPools(pools []*Pool) []PoolStats {
	list := make([]PoolStats, len(pools))
	for i, p := range pools {
		list[i] = p.stats()
	}
	slices.SortStableFunc(list, func(a, b PoolStats) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

func (p *Pool) stats() PoolStats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return PoolStats{
		Name: p.name, Running: p.running, RunningMax: p.runningMax,
		Waiting: len(p.waiting), WaitingMax: p.waitingMax,
		Started: p.started, Refused: p.refused,
	}
}
