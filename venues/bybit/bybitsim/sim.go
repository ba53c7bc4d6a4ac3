package bybitsim

import (
	"net/http"
	"sync"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
)

// Sim is a simulated venue. Its methods may be called from any goroutine. The
// paths of its streams are /v5/public/linear, /v5/private, /v5/trade and
// /v5/public/misc/status.
type Sim struct {
	*simnet.Venue

	options       Options
	limiter       *limiter
	listings      map[string]*listing
	symbols       []string
	streams       *streams
	users         *users
	positionStops *positionStops
	premiums      premiums
	status        statusFeed
	// firstSeq is the start of the cross sequence.
	firstSeq int64

	mu sync.Mutex
	// strictPrices are the accounts that get an error instead of a price moved into
	// the band.
	strictPrices map[string]bool
	connections  int64
}

// New returns a simulator with its demo account. The market does not move before
// Serve.
func New(options Options) (*Sim, error) {
	options = options.withDefaults()
	s := &Sim{
		options: options, limiter: newLimiter(options.RateLimits),
		strictPrices: map[string]bool{}, premiums: premiums{samples: map[string][]decimal.Decimal{}},
		status: statusFeed{listeners: map[*client]bool{}},
	}
	var err error
	s.Venue, err = simnet.NewVenue(options.Setup, simcore.Options{
		Instruments: s.list(), FeeMaker: feeMaker, FeeTaker: feeTaker,
		Credentials: simcore.CredentialFormat{KeyLen: apiKeyLen, SecretLen: apiSecretLen},
		ClientIDs:   simcore.UniqueForever, TriggerDelay: options.TriggerDelay, TriggeredKeepsID: true,
		FeesRound: true, MarginIncludesFees: true, AmendKeepsPriority: true, AmendAboveFilled: true, CrossingCancels: true, IsolatedTopUp: true, Name: "bybit", FormatID: uuidOf,
	})
	if err != nil {
		return nil, err
	}
	s.firstSeq = s.Clock.Now().UnixMilli() * seqPerMilli
	s.streams, s.users, s.positionStops = newStreams(s), newUsers(s), newPositionStops(s)
	s.Exchange().Subscribe(s.streams.receive)
	// The position stops first: they record why a stop ended, which users publish.
	s.Exchange().Subscribe(s.positionStops.receive)
	s.Exchange().Subscribe(s.users.receive)
	s.SetProtocol(simnet.Protocol{Routes: s.addRoutes, Step: s.step, FaultStatus: http.StatusBadGateway})
	if err := s.KeepState(s.users); err != nil {
		return nil, err
	}
	s.positionStops.restore()
	return s, nil
}

// seqPerMilli exceeds the events that a millisecond can have.
const seqPerMilli = 1000

func (s *Sim) list() (instruments []simcore.Instrument) {
	rows := simnet.Resize(listings, s.options.Pace.Symbols, listing.copied)
	s.listings, s.symbols, instruments = simnet.List(rows, listing.complete, func(l *listing) simcore.Instrument { return l.Instrument })
	return instruments
}

// step does what is due apart from the market: attached stops, private messages,
// streams.
func (s *Sim) step() {
	s.settle()
	s.premiums.sample(s.Exchange(), s.symbols, s.Clock.Base())
	s.streams.flush(s.Clock.Base())
	s.status.flush(s)
}

// settle follows up on events of the exchange: it sets the attached stops of
// positions and publishes the private messages.
func (s *Sim) settle() {
	s.positionStops.attach()
	s.users.flush()
}

// RejectFarPrices makes a limit price outside the band an error for an account, as
// its owner may choose, instead of moving it to the edge.
func (s *Sim) RejectFarPrices(account string) { s.setFarPrices(account, true) }

// RestartBooks starts every book stream again with a snapshot whose u is 1, as after
// a restart of the venue's service.
func (s *Sim) RestartBooks() { s.streams.restartBooks() }
