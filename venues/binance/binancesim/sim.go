package binancesim

import (
	"math/rand/v2"
	"sync"
	"time"

	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
)

// Sim is a simulated venue. Its methods may be called from any goroutine.
type Sim struct {
	*simnet.Venue

	options  Options
	limiter  *limiter
	listings map[string]*listing
	symbols  []string
	streams  *streams
	users    *users

	mu        sync.Mutex
	rng       *rand.Rand
	countdown map[countdownKey]time.Time
}

// New returns a simulator with its demo account. The market does not move before
// Serve.
func New(options Options) (*Sim, error) {
	options = options.withDefaults()
	s := &Sim{
		options: options, limiter: newLimiter(options.RateLimits),
		countdown: map[countdownKey]time.Time{},
	}
	var err error
	s.Venue, err = simnet.NewVenue(options.Setup, simcore.Options{
		Instruments:  s.list(),
		Credentials:  simcore.CredentialFormat{KeyLen: apiKeyLen, SecretLen: credentialLen},
		ClientIDs:    simcore.UniqueAmongOpen,
		TriggerDelay: options.TriggerDelay,
		Name:         "binance",
	})
	if err != nil {
		return nil, err
	}
	s.rng = rand.New(rand.NewPCG(s.Exchange().RandSeed("binance identifiers")))
	s.streams, s.users = newStreams(s), newUsers(s)
	s.Exchange().Subscribe(s.streams.receive)
	s.Exchange().Subscribe(s.users.receive)
	s.SetProtocol(simnet.Protocol{Routes: s.addRoutes, Step: s.settle})
	if err := s.KeepState(statePart{}); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Sim) list() (instruments []simcore.Instrument) {
	rows := simnet.Resize(listings, s.options.Pace.Symbols, listing.copied)
	s.listings, s.symbols, instruments = simnet.List(rows, listing.complete, func(l *listing) simcore.Instrument { return l.Instrument })
	return instruments
}

// settle does what is due apart from the market: countdowns, expiries, streams.
func (s *Sim) settle() {
	s.runCountdowns()
	s.users.expireKeys()
	s.streams.flush(s.Clock.Base())
}

// randomID returns an identifier of n base-62 characters.
func (s *Sim) randomID(n int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return simcore.RandomText(s.rng, n)
}
