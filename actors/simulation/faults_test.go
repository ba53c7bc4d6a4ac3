package simulation_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"sync/atomic"
	"time"
)

// fault is one kind of injected fault.
type fault string

// Faults of requests. A broken request is answered by a proxy in front of the venue,
// which does not know its outcome.
const (
	faultNone          fault = ""
	faultLostRequest   fault = "lost_request"
	faultLostAnswer    fault = "lost_answer"
	faultBrokenBefore  fault = "broken_before"
	faultBrokenAfter   fault = "broken_after"
	faultLateRequest   fault = "late_request"
	faultSlowAnswer    fault = "slow_answer"
	faultRefused       fault = "refused"
	faultLimited       fault = "rate_limited"
	faultNotSent       fault = "not_sent"
	faultReplicaLag    fault = "replica_lag"
	faultClockSkew     fault = "clock_skew"
	faultDropped       fault = "event_dropped"
	faultDoubled       fault = "event_doubled"
	faultDelayed       fault = "event_delayed"
	faultStalled       fault = "stream_mute"
	faultDisconnect    fault = "stream_disconnect"
	faultKill          fault = "kill"
	faultPowerFailure  fault = "power_failure"
	faultStop          fault = "orderly_stop"
	faultLongNight     fault = "long_night"
	faultCommitFails   fault = "commit_fails"
	faultCommitUnknown fault = "commit_unknown"
	faultCommitLost    fault = "commit_answer_lost"
	faultCommitRefused fault = "commit_refused"
)

// requestFaults affect requests that change something; readFaults the others.
var (
	requestFaults = []fault{
		faultLostRequest, faultLostAnswer, faultBrokenBefore, faultBrokenAfter, faultLateRequest,
		faultSlowAnswer, faultRefused, faultLimited, faultNotSent,
	}
	readFaults   = []fault{faultLostRequest, faultBrokenBefore, faultSlowAnswer, faultRefused, faultLimited, faultNotSent}
	streamFaults = []fault{faultDropped, faultDoubled, faultDelayed, faultStalled, faultDisconnect}
	otherFaults  = []fault{
		faultReplicaLag, faultClockSkew, faultKill, faultStop, faultLongNight,
		faultCommitFails, faultCommitUnknown, faultCommitLost,
	}
)

// swarm is the subset of faults that a seed enables, each with its odds: all of them
// together would hide each other.
type swarm struct {
	seed uint64
	odds map[fault]float64
	// healed ends all faults.
	healed atomic.Bool
}

func drawSwarm(seed uint64, rng *rand.Rand) *swarm {
	s := &swarm{seed: seed, odds: map[fault]float64{}}
	density := []float64{0, 0.15, 0.3, 0.6}[rng.IntN(4)]
	for _, f := range requestFaults {
		if rng.Float64() < density {
			s.odds[f] = 0.02 + 0.25*rng.Float64()
		}
	}
	for _, list := range [][]fault{streamFaults, otherFaults} {
		for _, f := range list {
			if rng.Float64() < density {
				s.odds[f] = 0.02 + 0.3*rng.Float64()
			}
		}
	}
	// Faults that were added later draw separately, so that earlier seeds stay the same.
	for i, f := range []fault{faultCommitRefused, faultPowerFailure} {
		if own := s.random("swarm", i+1); own.Float64() < density {
			s.odds[f] = 0.02 + 0.3*own.Float64()
		}
	}
	return s
}

// on reports whether the seed has the fault.
func (s *swarm) on(f fault) bool { return s.odds[f] > 0 }

// breaksStore reports whether commits fail in the seed, so that actors restart within
// a process.
func (s *swarm) breaksStore() bool {
	return s.on(faultCommitFails) || s.on(faultCommitUnknown) || s.on(faultCommitLost) || s.on(faultCommitRefused)
}

// random returns a generator for one occasion, so that no draw depends on what else
// happened at the same time.
func (s *swarm) random(occasion string, n int) *rand.Rand {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%s#%d", occasion, n)
	return rand.New(rand.NewPCG(s.seed, h.Sum64()))
}

// readWeight keeps reads, of which there are many, from failing all the time.
const readWeight = 0.3

// draw picks at most one fault of a list, with its odds times weight.
func (s *swarm) draw(rng *rand.Rand, list []fault, weight float64) fault {
	struck := faultNone
	for _, f := range list {
		if odds := s.odds[f] * weight; odds > 0 && rng.Float64() < odds && struck == faultNone {
			struck = f
		}
	}
	if s.healed.Load() {
		return faultNone
	}
	return struck
}

// between draws a duration in nanoseconds, so that no two events coincide.
func between(rng *rand.Rand, low, high time.Duration) time.Duration {
	return low + time.Duration(rng.Int64N(int64(high-low)))
}
