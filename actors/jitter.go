package actors

import (
	crand "crypto/rand"
	"math/rand/v2"
	"sync"
	"time"
)

// random is the source of jitter.
type random struct {
	mu     sync.Mutex
	source *rand.Rand
	fixed  func(limit time.Duration) time.Duration
}

func newRandom() *rand.Rand {
	var seed [32]byte
	_, _ = crand.Read(seed[:]) // documented never to fail
	return rand.New(rand.NewChaCha8(seed))
}

func (s *System) jitter(limit time.Duration) time.Duration {
	if limit <= 0 {
		return 0
	}
	r := &s.random
	if r.fixed != nil {
		return r.fixed(limit)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Duration(r.source.Int64N(int64(limit) + 1))
}
