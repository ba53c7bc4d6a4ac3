package okxsim

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
	hub      *hub
	algos    *algoDesk
	held     *holdings
	demo     simcore.AccountInfo
	// replay is the recording that is played from Serve on, or nil.
	replay *replay

	mu        sync.Mutex
	endpoints Endpoints

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
	if c := options.DemoCredentials; c != nil && len(c.APIKey) != keyLen {
		return nil, fmt.Errorf("okxsim: the demo key must have %d characters", keyLen)
	}
	clock := simcore.NewClock(options.Now)
	clock.SetOffset(options.ClockOffset)
	s := &Sim{
		options: options, log: options.Logger, clock: clock,
		faults: &simcore.Faults{}, limiter: newLimiter(options.RateLimits),
		listings: map[string]*listing{}, server: simnet.NewServer(options.Logger),
	}
	instruments := make([]simcore.Instrument, 0, len(listings))
	for _, listed := range listings {
		complete := listed.complete()
		s.listings[complete.Symbol] = &complete
		s.symbols = append(s.symbols, complete.Symbol)
		instruments = append(instruments, complete.Instrument)
	}
	exchange, err := simcore.New(simcore.Options{
		Instruments: instruments, Seed: options.Seed, Quiet: options.Quiet, Clock: clock,
		Credentials: simcore.CredentialFormat{KeyLen: keyLen, SecretLen: secretLen, PassphraseLen: passphraseLen},
		ClientIDs:   simcore.UniqueAmongOpen, CrossingCancels: true, TriggerDelay: options.TriggerDelay,
		Ledger: options.Ledger, Name: "okx",
	})
	if err != nil {
		return nil, fmt.Errorf("okxsim: %w", err)
	}
	s.exchange = exchange
	s.control = simcore.NewControl(exchange, s.faults)
	s.hub, s.algos, s.held = newHub(s), newAlgoDesk(s), newHoldings()
	exchange.Subscribe(s.receive)
	s.demo, err = exchange.CreateAccount(simcore.AccountRequest{
		ID: demoAccountID, Credentials: options.DemoCredentials,
	})
	if err != nil {
		return nil, fmt.Errorf("okxsim: demo account: %w", err)
	}
	return s, nil
}

// receive keeps the simulator's own records first, so that what the streams
// then tell is up to date. It runs under the exchange's lock.
func (s *Sim) receive(event simcore.Event) {
	switch body := event.Body.(type) {
	case simcore.OrderEvent:
		noteExecution(&body)
		s.held.note(&body)
		s.algos.orderChanged(&body)
	case simcore.ConditionalEvent:
		s.algos.legChanged(&body.Conditional)
	case simcore.AccountEvent:
		s.held.noteAccount(&body)
	}
	s.hub.receive(event)
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
	if s.replay != nil {
		s.pump.Go(s.replay.play)
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

// Step does what is due now: the market, attached stops, streams. Serve calls
// it every 50 ms; a test without Serve may call it by itself.
func (s *Sim) Step() {
	s.exchange.Tick()
	s.algos.settle()
	s.hub.flush(s.clock.Base())
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

// DemoAccount is the funded account that every simulator has. Its credentials,
// passphrase included, follow from the seed or are those of the options.
func (s *Sim) DemoAccount() simcore.AccountInfo { return s.demo }

// NewAccount opens a further account with 100 000 USDT.
func (s *Sim) NewAccount() (simcore.AccountInfo, error) {
	return s.exchange.CreateAccount(simcore.AccountRequest{})
}

// Control is the control API as plain calls.
func (s *Sim) Control() *simcore.Control { return s.control }

// Exchange is the exchange behind the wire, for tests that compare with it.
func (s *Sim) Exchange() *simcore.Exchange { return s.exchange }

// RestartBooks lets the books begin their numbers anew.
func (s *Sim) RestartBooks() { s.hub.restartBooks() }
