package okxsim

import (
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
	hub      *hub
	algos    *algoBook
	holdings *holdings
	levels   *accountLevels
	timers   *cancelTimers
}

// New returns a simulator with its demo account. The market does not move before
// Serve.
func New(options Options) (*Sim, error) {
	options = options.withDefaults()
	s := &Sim{options: options, limiter: newLimiter(options.RateLimits)}
	var err error
	s.Venue, err = simnet.NewVenue(options.Setup, simcore.Options{
		Instruments: s.list(),
		Credentials: simcore.CredentialFormat{KeyLen: keyLen, SecretLen: secretLen, PassphraseLen: passphraseLen},
		ClientIDs:   simcore.UniqueAmongOpen, CrossingCancels: true, IsolatedTopUp: true, LiquidationByTiers: true, LiquidationIncludesFee: true,
		TriggerDelay: options.TriggerDelay, Name: "okx",
	})
	if err != nil {
		return nil, err
	}
	s.hub, s.algos, s.holdings = newHub(s), newAlgoBook(s), newHoldings(options.StateDir != "")
	s.levels, s.timers = newAccountLevels(), newCancelTimers()
	s.Exchange().Subscribe(s.receive)
	s.SetProtocol(simnet.Protocol{Routes: s.addRoutes, Step: s.step})
	if err := s.KeepState(statePart{s}); err != nil {
		return nil, err
	}
	s.algos.restore()
	return s, nil
}

func (s *Sim) list() (instruments []simcore.Instrument) {
	rows := simnet.Resize(listings, s.options.Pace.Symbols, listing.copied)
	s.listings, s.symbols, instruments = simnet.List(rows, listing.complete, func(l *listing) simcore.Instrument { return l.Instrument })
	return instruments
}

// receive updates the simulator's own records before the streams publish the event.
// It runs under the exchange's lock.
func (s *Sim) receive(event simcore.Event) {
	switch body := event.Body.(type) {
	case simcore.OrderEvent:
		recordExecution(&body)
		s.holdings.record(&body)
		s.algos.orderChanged(&body)
	case simcore.ConditionalEvent:
		s.algos.legChanged(&body.Conditional)
	case simcore.AccountEvent:
		s.holdings.recordFunding(&body)
	}
	s.hub.receive(event)
}

// step does what is due apart from the market: attached stops, dead-man switches and
// streams.
func (s *Sim) step() {
	s.cancelOverdue()
	s.algos.settle()
	s.hub.flush(s.Clock.Base())
}

// RestartBooks restarts the sequence numbers of the books.
func (s *Sim) RestartBooks() { s.hub.restartBooks() }

// RepeatSnapshots sends snapshots of the books in mid-stream.
func (s *Sim) RepeatSnapshots() { s.hub.repeatSnapshots() }
