package binancesim

import (
	"fmt"
	"math/rand/v2"
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
	demo     simcore.AccountInfo

	mu        sync.Mutex
	rng       *rand.Rand
	endpoints Endpoints
	countdown map[countdownKey]time.Time

	pump   sync.WaitGroup
	closed sync.Once
}

// Endpoints are the addresses of a running simulator.
type Endpoints struct {
	RestURL    string `json:"restUrl"`
	WsURL      string `json:"wsUrl"`
	ControlURL string `json:"controlUrl"`
}

// New makes a simulator with its demo account. Nothing moves before Serve.
func New(options Options) (*Sim, error) {
	options = options.withDefaults()
	if c := options.DemoCredentials; c != nil && len(c.APIKey) != apiKeyLen {
		return nil, fmt.Errorf("binancesim: the demo key must have %d characters", apiKeyLen)
	}
	clock := simcore.NewClock(options.Now)
	clock.SetOffset(options.ClockOffset)
	s := &Sim{
		options: options, log: options.Logger, clock: clock,
		faults: &simcore.Faults{}, limiter: newLimiter(options.RateLimits),
		listings: map[string]*listing{}, countdown: map[countdownKey]time.Time{},
		server: simnet.NewServer(options.Logger),
	}
	var instruments []simcore.Instrument
	for _, listed := range listings {
		complete := listed.complete()
		s.listings[complete.Symbol] = &complete
		s.symbols = append(s.symbols, complete.Symbol)
		instruments = append(instruments, complete.Instrument)
	}
	exchange, err := simcore.New(simcore.Options{
		Instruments: instruments, Seed: options.Seed, Quiet: options.Quiet, Clock: clock,
		Credentials:  simcore.CredentialFormat{KeyLen: apiKeyLen, SecretLen: credentialLen},
		ClientIDs:    simcore.UniqueAmongOpen,
		TriggerDelay: options.TriggerDelay,
		Ledger:       options.Ledger, Name: "binance",
	})
	if err != nil {
		return nil, fmt.Errorf("binancesim: %w", err)
	}
	s.exchange = exchange
	s.control = simcore.NewControl(exchange, s.faults)
	s.rng = rand.New(rand.NewPCG(exchange.RandSeed("binance identifiers")))
	s.streams = newStreams(s)
	s.users = newUsers(s)
	exchange.Subscribe(s.streams.receive)
	exchange.Subscribe(s.users.receive)
	s.demo, err = exchange.CreateAccount(simcore.AccountRequest{
		ID: demoAccountID, Credentials: options.DemoCredentials,
	})
	if err != nil {
		return nil, fmt.Errorf("binancesim: demo account: %w", err)
	}
	return s, nil
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

// Step does what is due now: the market, expiries, streams. Serve calls it
// every 50 ms; a test without Serve may call it by itself.
func (s *Sim) Step() {
	s.exchange.Tick()
	s.runCountdowns()
	s.users.expireKeys()
	s.streams.flush(s.clock.Base())
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

// randomID is an identifier of base-62 characters.
func (s *Sim) randomID(n int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return simcore.RandomText(s.rng, n)
}
