package binancesim

import (
	"sort"
	"strconv"
	"time"
)

// countdownKey identifies a dead man's switch.
type countdownKey struct{ account, symbol string }

// countdownCancelAll sets, renews or (with zero) removes the switch of a symbol.
// It covers the orders of the book, not those of the algo service.
func (s *Sim) countdownCancelAll(c *call) (any, *apiError) {
	l := s.listing(c)
	if l == nil {
		return nil, c.params.invalid
	}
	ms := c.params.integer("countdownTime", -1)
	if c.params.invalid != nil || ms < 0 {
		return nil, errMandatory("countdownTime")
	}
	key := countdownKey{c.account.ID, l.Symbol}
	s.mu.Lock()
	defer s.mu.Unlock()
	if ms == 0 {
		delete(s.countdown, key)
	} else {
		s.countdown[key] = s.Clock.Base().Add(time.Duration(ms) * time.Millisecond)
	}
	return struct {
		Symbol        string `json:"symbol"`
		CountdownTime string `json:"countdownTime"`
	}{l.Symbol, strconv.FormatInt(ms, 10)}, nil
}

// runCountdowns cancels the orders of the switches that have expired.
func (s *Sim) runCountdowns() {
	for _, key := range s.dueCountdowns() {
		// An account cannot vanish, so this cannot fail.
		_, _ = s.Exchange().CancelAll(key.account, key.symbol)
	}
}

func (s *Sim) dueCountdowns() []countdownKey {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.Clock.Base()
	var due []countdownKey
	for key, at := range s.countdown {
		if !now.Before(at) {
			due = append(due, key)
			delete(s.countdown, key)
		}
	}
	sort.Slice(due, func(i, j int) bool {
		return due[i].account+due[i].symbol < due[j].account+due[j].symbol
	})
	return due
}
