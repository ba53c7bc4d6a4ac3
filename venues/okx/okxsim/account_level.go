package okxsim

import (
	"cmp"
	"sync"
)

// Account modes of the venue: spot mode, which cannot trade swaps, and futures mode
// with one margin coin.
const (
	levelSpot    = "1"
	levelFutures = "2"
)

// accountLevels are the account modes that differ from the default.
type accountLevels struct {
	mu        sync.Mutex
	byAccount map[string]string
}

func newAccountLevels() *accountLevels { return &accountLevels{byAccount: map[string]string{}} }

func (a *accountLevels) of(account string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return cmp.Or(a.byAccount[account], levelFutures)
}

// UseSpotMode puts an account into the mode in which it cannot trade swaps, as its
// owner may in the venue's web interface.
func (s *Sim) UseSpotMode(account string) {
	s.levels.mu.Lock()
	defer s.levels.mu.Unlock()
	s.levels.byAccount[account] = levelSpot
}
