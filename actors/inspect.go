package actors

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// ActorStats are the counters of one actor, over all its incarnations.
type ActorStats struct {
	KindStats
	Path string
	// Parent is the path of the parent; empty for a top-level actor.
	Parent string
	// WaitingMax is the number of waiting messages beyond which more are rejected.
	WaitingMax int
	// CreatedAt is when the first incarnation was created, StartedAt when the present one was
	// started; zero if none has been.
	CreatedAt, StartedAt time.Time
}

// Actors returns the counters of every actor that has not ended, by path. Like Stats it costs
// the actors nothing.
func (s *System) Actors() []ActorStats {
	s.mu.RLock()
	list := make([]ActorStats, 0, len(s.cells))
	for _, c := range s.cells {
		if c != s.guardian {
			list = append(list, c.inspect())
		}
	}
	s.mu.RUnlock()
	slices.SortFunc(list, func(a, b ActorStats) int { return cmp.Compare(a.Path, b.Path) })
	return list
}

func (c *cell) inspect() ActorStats {
	a := ActorStats{KindStats: c.stats(), Path: c.path, WaitingMax: c.spec.MailboxMax, CreatedAt: c.system.born.Add(c.created)}
	a.Kind = c.kind()
	if c.parent != c.system.guardian {
		a.Parent = c.parent.path
	}
	if at := c.counters.started.Load(); at != 0 {
		a.StartedAt = c.system.born.Add(time.Duration(at))
	}
	return a
}

// incidentsMax bounds the failures and the dead letters that are kept, of each.
const incidentsMax = 100

// Incident is a failure of an actor, or a message that no actor received.
type Incident struct {
	At   time.Time
	Path string
	// Text is the cause of a failure, or the type of a message.
	Text string
}

// Incidents are the newest of their kind, the newest first.
type Incidents struct{ Failures, DeadLetters []Incident }

// Incidents returns the newest failures and dead letters.
func (s *System) Incidents() Incidents {
	return Incidents{Failures: s.failures.newest(), DeadLetters: s.letters.recent.newest()}
}

// recent keeps the newest incidents. The zero value is empty.
type recent struct {
	mu   sync.Mutex
	list []Incident // the oldest first
}

func (r *recent) add(path, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.list) == incidentsMax {
		r.list = slices.Delete(r.list, 0, 1)
	}
	r.list = append(r.list, Incident{time.Now(), path, text})
}

func (r *recent) newest() []Incident {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := slices.Clone(r.list)
	slices.Reverse(list)
	return list
}
