package simnet

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
	"go.uber.org/zap"

	"venuegate/venues/simcore"
)

// PumpInterval is how often a serving venue takes a step.
const PumpInterval = 50 * time.Millisecond

const demoAccountID = "demo"

// ErrServing reports a recording that comes too late.
var ErrServing = errors.New("a recording must be given before Serve")

// Venue is what every simulated venue is: an exchange with its clock, faults and
// ledger, a funded account, and a server for the venue's protocol and the control
// API. The simulator of a venue embeds it. Its methods may be called from any
// goroutine.
type Venue struct {
	Server *Server
	Log    *zap.Logger
	Clock  *simcore.Clock
	Faults *simcore.Faults

	exchange *simcore.Exchange
	control  *simcore.Control
	demo     simcore.AccountInfo
	protocol Protocol
	promised promises

	mu        sync.Mutex
	endpoints Endpoints
	play      func()

	pump   sync.WaitGroup
	closed sync.Once
}

// Protocol is what one venue adds to what all of them are.
type Protocol struct {
	// Routes adds the venue's endpoints to its application.
	Routes func(*fiber.App)
	// Step does what is due after the exchange has ticked.
	Step func()
	// FaultStatus is the status of a fault that names none; default 503.
	FaultStatus int
}

// Endpoints are the addresses of a running simulator; the venue's paths are below
// them.
type Endpoints struct {
	RestURL    string `json:"restUrl"`
	WsURL      string `json:"wsUrl"`
	ControlURL string `json:"controlUrl"`
}

// NewVenue makes a venue with its demo account over an exchange of the given
// rules. It takes from setup what the rules leave open: seed, clock and ledger.
// Speak gives it its protocol; nothing moves before Serve.
func NewVenue(setup Setup, rules simcore.Options) (*Venue, error) {
	if c := setup.DemoCredentials; c != nil && len(c.APIKey) != rules.Credentials.KeyLen {
		return nil, fmt.Errorf("simulated %s: the demo key must have %d characters", rules.Name, rules.Credentials.KeyLen)
	}
	v := &Venue{Log: setup.logger(), Clock: setup.clock(), Faults: &simcore.Faults{}}
	v.Server = NewServer(v.Log)
	rules.Seed, rules.Quiet, rules.Clock, rules.Ledger = setup.Seed, setup.Quiet, v.Clock, setup.Ledger
	var err error
	if v.exchange, err = simcore.New(rules); err != nil {
		return nil, fmt.Errorf("simulated %s: %w", rules.Name, err)
	}
	v.control = simcore.NewControl(v.exchange, v.Faults)
	v.demo, err = v.exchange.CreateAccount(simcore.AccountRequest{ID: demoAccountID, Credentials: setup.DemoCredentials})
	if err != nil {
		return nil, fmt.Errorf("simulated %s: demo account: %w", rules.Name, err)
	}
	return v, nil
}

// Speak gives the venue its protocol, once and before anything else.
func (v *Venue) Speak(p Protocol) {
	p.FaultStatus = OrDefault(p.FaultStatus, http.StatusServiceUnavailable)
	v.protocol = p
}

// Serve answers the venue's protocol on one listener and the control API on the
// other, and sets the market in motion. It returns at once.
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
	v.pump.Go(v.run)
	if v.play != nil {
		v.pump.Go(v.play)
	}
}

// run takes steps until the server closes.
func (v *Venue) run() {
	ticker := time.NewTicker(PumpInterval)
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

// Step does what is due now: the market, what was promised for [Venue.Later], then
// what the venue owes its clients.
// Serve calls it every [PumpInterval]; a test without Serve may call it by
// itself.
func (v *Venue) Step() {
	v.exchange.Tick()
	v.promised.keep(v.Clock.Base())
	v.protocol.Step()
}

// Rehearse prepares a recording, which plays from Serve on; [ErrServing] where it
// is too late for that.
func (v *Venue) Rehearse(prepare func() (play func(), err error)) error {
	if v.Endpoints() != (Endpoints{}) {
		return ErrServing
	}
	play, err := prepare()
	if err != nil {
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
		v.pump.Wait()
	})
	return err
}

// Endpoints are the addresses after Serve.
func (v *Venue) Endpoints() Endpoints {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.endpoints
}

// DemoAccount is the funded account that every simulator has. Its credentials
// follow from the seed or are those of the setup.
func (v *Venue) DemoAccount() simcore.AccountInfo { return v.demo }

// NewAccount opens a further account with 100 000 USDT.
func (v *Venue) NewAccount() (simcore.AccountInfo, error) {
	return v.exchange.CreateAccount(simcore.AccountRequest{})
}

// Control is the control API as plain calls.
func (v *Venue) Control() *simcore.Control { return v.control }

// Exchange is the exchange behind the wire, for tests that compare with it.
func (v *Venue) Exchange() *simcore.Exchange { return v.exchange }
