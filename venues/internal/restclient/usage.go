package restclient

import (
	"maps"
	"slices"
	"strings"
	"time"

	"venuegate/venues"
)

// usage is what a Gate keeps to report the use of its budgets.
type usage struct {
	// active are the budgets from which units were taken in their window.
	active []*Budget
	// limits has the limit of every budget that was ever active or declared, by name.
	limits map[string]int
}

// Declare makes a budget part of Usage before it is used. Budgets of accounts exist only
// with the account.
func (g *Gate) Declare(name string, limit int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.usage.declare(name, limit)
}

func (u *usage) declare(name string, limit int) {
	if u.limits == nil {
		u.limits = map[string]int{}
	}
	u.limits[name] = limit
}

// note adds the budgets of a request that was admitted.
func (u *usage) note(costs []Cost) {
	for _, c := range costs {
		if !c.Budget.active {
			c.Budget.active = true
			u.active = append(u.active, c.Budget)
		}
	}
}

// Usage returns how much of each budget is used, sorted by name. Of budgets with the same
// name, one for each account, it returns the one that is used most, before all others one that
// is exhausted.
func (g *Gate) Usage(now time.Time) []venues.RateLimit {
	g.mu.Lock()
	defer g.mu.Unlock()
	most := map[string]venues.RateLimit{}
	g.usage.active = slices.DeleteFunc(g.usage.active, func(b *Budget) bool {
		limit := venues.RateLimit{Name: b.name, Used: b.used(now), Limit: b.limit}
		if now.Before(b.exhaustedUntil) {
			limit.ExhaustedUntil = b.exhaustedUntil
		}
		g.usage.declare(b.name, b.limit)
		if b.active = limit.Used > 0 || !limit.ExhaustedUntil.IsZero(); b.active && moreUsed(limit, most[b.name]) {
			most[b.name] = limit
		}
		return !b.active
	})
	for name, limit := range g.usage.limits {
		if _, used := most[name]; !used {
			most[name] = venues.RateLimit{Name: name, Limit: limit}
		}
	}
	return slices.SortedFunc(maps.Values(most), func(a, b venues.RateLimit) int { return strings.Compare(a.Name, b.Name) })
}

// moreUsed reports whether a budget is used more than another of the same name.
func moreUsed(a, b venues.RateLimit) bool {
	if !a.ExhaustedUntil.Equal(b.ExhaustedUntil) {
		return a.ExhaustedUntil.After(b.ExhaustedUntil)
	}
	return a.Used > b.Used
}

// Congestion returns what holds up requests: a freeze, and requests that wait.
func (g *Gate) Congestion(now time.Time) venues.Congestion {
	g.mu.Lock()
	defer g.mu.Unlock()
	var c venues.Congestion
	if now.Before(g.limiter.frozenUntil) {
		c.FrozenUntil = g.limiter.frozenUntil
	}
	var waiting [priorityCount]int
	for _, w := range g.waiting {
		waiting[w.priority]++
	}
	for priority, requests := range waiting {
		if requests > 0 {
			c.Waiting = append(c.Waiting, venues.WaitingRequests{Priority: Priority(priority).String(), Requests: requests})
		}
	}
	return c
}
