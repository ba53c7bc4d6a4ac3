package bybitsim

import (
	"fmt"
	"net"
	"sync"
	"time"

	"go.uber.org/zap"

	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
)

// Sim is a simulated venue. Its methods may be called from any goroutine.
type Sim struct {
	options  Options
	log      *zap.Logger
	clock    *simcore.Clock
	exchange *simcore.Exchange
	faults   *simcore.Faults
	control  *simcore.Control
	limiter  *limiter
	listings map[string]*listing
	symbols  []string
	server   *simnet.Server
	streams  *streams
	users    *users
	guards   *guards
	demo     simcore.AccountInfo
	// firstSeq is where the cross sequence begins.
	firstSeq int64

	mu        sync.Mutex
	endpoints Endpoints
	// strictPrices are the accounts that want an error instead of a price moved
	// into the band.
	strictPrices map[string]bool
	connections  int64

	pump   sync.WaitGroup
	closed sync.Once
}

// Endpoints are the addresses of a running simulator. The stream paths are
// /v5/public/linear, /v5/private and /v5/trade below WsURL.
type Endpoints struct {
	RestURL    string `json:"restUrl"`
	WsURL      string `json:"wsUrl"`
	ControlURL string `json:"controlUrl"`
}

// New makes a simulator with its demo account. Nothing moves before Serve.
func New(options Options) (*Sim, error) {
	options = options.withDefaults()
	clock := simcore.NewClock(options.Now)
	clock.SetOffset(options.ClockOffset)
	s := &Sim{
		options: options, log: options.Logger, clock: clock,
		faults: &simcore.Faults{}, limiter: newLimiter(options.RateLimits),
		listings: map[string]*listing{}, strictPrices: map[string]bool{},
		server: simnet.NewServer(options.Logger), firstSeq: clock.Now().UnixMilli() * seqPerMilli,
	}
	exchange, err := simcore.New(simcore.Options{
		Instruments: s.list(), Seed: options.Seed, Quiet: options.Quiet, Clock: clock,
		FeeMaker: feeMaker, FeeTaker: feeTaker,
		Credentials: simcore.CredentialFormat{KeyLen: apiKeyLen, SecretLen: apiSecretLen},
		ClientIDs:   simcore.UniqueForever, TriggerDelay: options.TriggerDelay, TriggeredKeepsID: true,
		AmendKeepsPriority: true, CrossingCancels: true, Ledger: options.Ledger, Name: "bybit", FormatID: uuidOf,
	})
	if err != nil {
		return nil, fmt.Errorf("bybitsim: %w", err)
	}
	s.exchange = exchange
	s.control = simcore.NewControl(exchange, s.faults)
	s.streams, s.users, s.guards = newStreams(s), newUsers(s), newGuards(s)
	for _, symbol := range s.symbols {
		mark, _ := exchange.Mark(symbol)
		s.users.mark(mark)
	}
	exchange.Subscribe(s.streams.receive)
	// The guards first: they know why a stop ended, and the users tell it.
	exchange.Subscribe(s.guards.receive)
	exchange.Subscribe(s.users.receive)
	s.demo, err = exchange.CreateAccount(simcore.AccountRequest{
		ID: demoAccountID, Credentials: options.DemoCredentials,
	})
	if err != nil {
		return nil, fmt.Errorf("bybitsim: demo account: %w", err)
	}
	return s, nil
}

// seqPerMilli leaves room for as many events as a millisecond can have.
const seqPerMilli = 1000

func (s *Sim) list() []simcore.Instrument {
	instruments := make([]simcore.Instrument, 0, len(listings))
	for _, listed := range listings {
		complete := listed.complete()
		s.listings[complete.Symbol] = &complete
		s.symbols = append(s.symbols, complete.Symbol)
		instruments = append(instruments, complete.Instrument)
	}
	return instruments
}

// Serve answers the venue's protocols on one listener and the control API on
// the other, and sets the market in motion. It returns at once.
func (s *Sim) Serve(venue, control net.Listener) {
	s.mu.Lock()
	s.endpoints = Endpoints{
		RestURL:    "http://" + venue.Addr().String(),
		WsURL:      "ws://" + venue.Addr().String(),
		ControlURL: "http://" + control.Addr().String(),
	}
	s.mu.Unlock()
	s.server.Serve(s.newApp(), venue)
	s.server.Serve(simnet.NewControlApp(s.control), control)
	s.pump.Add(1)
	go func() {
		defer s.pump.Done()
		s.run()
	}()
	if r := s.streams.recording(); r != nil {
		s.pump.Add(1)
		go func() {
			defer s.pump.Done()
			r.play()
		}()
	}
}

// run ticks the exchange and the streams until the server closes.
func (s *Sim) run() {
	ticker := time.NewTicker(pumpInterval)
	defer ticker.Stop()
	for {
		select {
		case <-s.server.Closing():
			return
		case <-ticker.C:
			s.Step()
		}
	}
}

// Step does what is due now: the market, attached stops, private messages,
// streams. Serve calls it every 50 ms; a test without Serve may call it by
// itself.
func (s *Sim) Step() {
	s.exchange.Tick()
	s.settle()
	s.streams.flush(s.clock.Base())
}

// settle draws the consequences of what the exchange did: stops that positions
// now need, and the private messages about all of it.
func (s *Sim) settle() {
	s.guards.attach()
	s.users.flush()
}

// Close stops serving and waits for all goroutines.
func (s *Sim) Close() error {
	var err error
	s.closed.Do(func() {
		err = s.server.Close()
		s.pump.Wait()
	})
	return err
}

// Endpoints are the addresses after Serve.
func (s *Sim) Endpoints() Endpoints {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.endpoints
}

// DemoAccount is the funded account that every simulator has. Its credentials
// follow from the seed or are those of the options.
func (s *Sim) DemoAccount() simcore.AccountInfo { return s.demo }

// NewAccount opens a further account with 100 000 USDT.
func (s *Sim) NewAccount() (simcore.AccountInfo, error) {
	return s.exchange.CreateAccount(simcore.AccountRequest{})
}

// Control is the control API as plain calls.
func (s *Sim) Control() *simcore.Control { return s.control }

// Exchange is the exchange behind the wire, for tests that compare with it.
func (s *Sim) Exchange() *simcore.Exchange { return s.exchange }

// RestartBooks makes every book stream begin anew with a snapshot whose u is 1,
// as after a restart of the venue's service.
func (s *Sim) RestartBooks() { s.streams.restartBooks() }
