package simnet

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
	"go.uber.org/zap"

	"venuegate/venues/simcore"
)

// PumpInterval is the interval of a serving venue's steps, unless its [Pace] has a
// shorter one.
const PumpInterval = 50 * time.Millisecond

const demoAccountID = "demo"

// ErrServing is returned for a recording that is given after Serve.
var ErrServing = errors.New("a recording must be given before Serve")

// Venue is the common part of all simulated venues: an exchange with its clock,
// injected faults and ledger, a funded account, and a server for the venue's protocol
// and the control API. The simulator of a venue embeds it. Its methods may be called
// from any goroutine.
type Venue struct {
	Server         *Server
	Log            *zap.Logger
	Clock          *simcore.Clock
	InjectedFaults *simcore.FaultInjector

	exchange *simcore.Exchange
	control  *simcore.Control
	demo     simcore.AccountInfo
	protocol Protocol
	deferred deferredCalls
	pump     time.Duration
	stateDir string
	name     string

	mu        sync.Mutex
	endpoints Endpoints
	play      func()

	running sync.WaitGroup
	closed  sync.Once
}

// Protocol is the part of a venue that differs from others.
type Protocol struct {
	// Routes adds the venue's endpoints to its application.
	Routes func(*fiber.App)
	// Step does what is due after a tick of the exchange.
	Step func()
	// FaultStatus is the HTTP status of a fault without one; default 503.
	FaultStatus int
}

// Endpoints are the base URLs of a running simulator.
type Endpoints struct {
	RestURL    string `json:"restUrl"`
	WsURL      string `json:"wsUrl"`
	ControlURL string `json:"controlUrl"`
}

// NewVenue returns a venue with its demo account over an exchange of the given
// rules. Seed, clock and ledger are those of setup. SetProtocol must follow; the
// market does not move before Serve.
func NewVenue(setup Setup, rules simcore.Options) (*Venue, error) {
	if c := setup.DemoCredentials; c != nil && len(c.APIKey) != rules.Credentials.KeyLen {
		return nil, fmt.Errorf("simulated %s: the demo key must have %d characters", rules.Name, rules.Credentials.KeyLen)
	}
	if err := setup.Pace.Check(); err != nil {
		return nil, fmt.Errorf("simulated %s: %w", rules.Name, err)
	}
	v := &Venue{
		Log: setup.logger(), Clock: setup.clock(), InjectedFaults: &simcore.FaultInjector{},
		stateDir: setup.StateDir, name: rules.Name, pump: setup.Pace.pumpInterval(),
	}
	v.Server = NewServer(v.Log)
	rules.Seed, rules.Quiet, rules.Clock, rules.Ledger = setup.Seed, setup.Quiet, v.Clock, setup.Ledger
	rules.FlowStep, rules.TradesPerSecond = setup.Pace.BookStep, setup.Pace.Rate
	var err error
	if v.exchange, err = simcore.New(rules); err != nil {
		return nil, fmt.Errorf("simulated %s: %w", rules.Name, err)
	}
	v.control = simcore.NewControl(v.exchange, v.InjectedFaults)
	v.demo, err = v.exchange.CreateAccount(simcore.AccountRequest{ID: demoAccountID, Credentials: setup.DemoCredentials})
	if err != nil {
		return nil, fmt.Errorf("simulated %s: demo account: %w", rules.Name, err)
	}
	return v, nil
}

// SetProtocol sets the venue's protocol. It must be called once, before all other
// methods.
func (v *Venue) SetProtocol(p Protocol) {
	p.FaultStatus = OrDefault(p.FaultStatus, http.StatusServiceUnavailable)
	v.protocol = p
}

// KeepState restores the venue from its state file and keeps it from now on, if the setup
// names a directory. It must be called at the end of the construction. After a
// *simcore.StateError the venue must not be used, but a new one of the same setup can be.
func (v *Venue) KeepState(part simcore.StatePart) error {
	if v.stateDir == "" {
		return nil
	}
	failed := func(err error) { v.Log.Error("state of the simulated venue is no longer written", zap.Error(err)) }
	if err := v.exchange.KeepState(filepath.Join(v.stateDir, v.name+".state"), part, failed); err != nil {
		return fmt.Errorf("simulated %s: %w", v.name, err)
	}
	for _, info := range v.exchange.Accounts() {
		if info.ID == demoAccountID {
			v.demo = info
		}
	}
	return nil
}

// Serve serves the venue's protocol on one listener and the control API on the other,
// and starts the market. It returns immediately.
func (v *Venue) Serve(venue, control net.Listener) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.endpoints = Endpoints{
		RestURL:    "http://" + venue.Addr().String(),
		WsURL:      "ws://" + venue.Addr().String(),
		ControlURL: "http://" + control.Addr().String(),
	}
	app := NewApp()
	v.protocol.Routes(app)
	v.Server.Serve(app, venue)
	v.Server.Serve(NewControlApp(v.control), control)
	v.running.Go(v.run)
	if v.play != nil {
		v.running.Go(v.play)
	}
}

// run takes steps until the server closes.
func (v *Venue) run() {
	ticker := time.NewTicker(v.pump)
	defer ticker.Stop()
	for {
		select {
		case <-v.Server.Closing():
			return
		case <-ticker.C:
			v.Step()
		}
	}
}

// Step does what is due now: the market, the calls of [Venue.After], then the messages
// to clients. Serve calls it every [PumpInterval] or faster; a test without Serve may call it
// directly.
func (v *Venue) Step() {
	v.exchange.Tick()
	v.deferred.run(v.Clock.Base())
	v.protocol.Step()
}

// useRecording prepares a recording and plays it from Serve on.
func (v *Venue) useRecording(prepare func() error, play func()) error {
	if v.Endpoints() != (Endpoints{}) {
		return ErrServing
	}
	if err := prepare(); err != nil {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.play = play
	return nil
}

// Close stops serving and waits for all goroutines.
func (v *Venue) Close() error {
	var err error
	v.closed.Do(func() {
		err = v.Server.Close()
		v.running.Wait()
		err = errors.Join(err, v.exchange.CloseState())
	})
	return err
}

// Endpoints returns the base URLs, which are empty before Serve.
func (v *Venue) Endpoints() Endpoints {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.endpoints
}

// DemoAccount returns the funded account that every simulator has. Its credentials
// are derived from the seed or are those of the setup.
func (v *Venue) DemoAccount() simcore.AccountInfo { return v.demo }

// NewAccount opens a further account with 100 000 USDT.
func (v *Venue) NewAccount() (simcore.AccountInfo, error) {
	return v.exchange.CreateAccount(simcore.AccountRequest{})
}

// Control returns the control API as plain calls.
func (v *Venue) Control() *simcore.Control { return v.control }

// Exchange returns the exchange, for tests that compare with it.
func (v *Venue) Exchange() *simcore.Exchange { return v.exchange }

// Maintenances returns the ids of the injected faults that make a maintenance now.
func (v *Venue) Maintenances() []int {
	var ids []int
	for _, f := range v.InjectedFaults.List() {
		if f.Do == simcore.FaultMaintenance && (f.Times == 0 || f.Applied < f.Times) {
			ids = append(ids, f.ID)
		}
	}
	return ids
}
