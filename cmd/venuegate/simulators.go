package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"

	"go.uber.org/zap"

	"venuegate/venues"
	"venuegate/venues/binance/binancesim"
	"venuegate/venues/bybit/bybitsim"
	"venuegate/venues/okx/okxsim"
	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
)

// SimVenue describes a simulated venue and its funded account, as in demo.json.
type SimVenue struct {
	RESTURL    string `json:"restUrl"`
	WSURL      string `json:"wsUrl"`
	ControlURL string `json:"controlUrl"`
	APIKey     string `json:"apiKey"`
	APISecret  string `json:"apiSecret"`
	Passphrase string `json:"passphrase,omitempty"`
}

func (v SimVenue) credentials() venues.Credentials {
	return venues.Credentials{
		APIKey: venues.Secret(v.APIKey), APISecret: venues.Secret(v.APISecret), Passphrase: venues.Secret(v.Passphrase),
	}
}

// simOptions of the simulated venues.
type simOptions struct {
	// Listen is the first venue's address. Each venue takes two ports, its own
	// and its control's, counted up from there; port 0 takes free ones.
	Listen string
	// Seed makes markets, ids and credentials repeatable.
	Seed  uint64
	Quiet bool
	// Ledger is a file that every order is appended to; empty for none.
	Ledger string
	// Replay names recordings, by venue, that its public streams play;
	// ReplaySnapshots files of book snapshots that a recording lacks.
	Replay          map[string]string
	ReplaySnapshots map[string]string
	Log             *zap.Logger
}

// simSeed is the seed where nobody says otherwise: credentials follow from it,
// so that a simulator started again is the same venue.
const simSeed = 1

// simulator is one simulated venue.
type simulator interface {
	Serve(venue, control net.Listener)
	Endpoints() simnet.Endpoints
	DemoAccount() simcore.AccountInfo
	Close() error
}

// simulatedVenue is a venue that can be simulated.
type simulatedVenue struct {
	venue venues.Venue
	// create makes it ready to serve, its recording included.
	create func(simnet.Setup, simOptions) (simulator, error)
}

var simulated = []simulatedVenue{
	{venues.Binance, newBinanceSim},
	{venues.Bybit, newBybitSim},
	{venues.OKX, newOKXSim},
}

// simulators are running simulated venues.
type simulators struct {
	venues map[venues.Venue]SimVenue
	closers
}

func startSimulators(o simOptions) (*simulators, error) {
	if !isLoopback(o.Listen) {
		return nil, fmt.Errorf("simulated venues have no protection: %s is not a loopback address", o.Listen)
	}
	s := &simulators{venues: map[venues.Venue]SimVenue{}}
	if err := s.start(o); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *simulators) start(o simOptions) error {
	for _, files := range []map[string]string{o.Replay, o.ReplaySnapshots} {
		for venue := range files {
			if !slices.ContainsFunc(simulated, func(s simulatedVenue) bool { return string(s.venue) == venue }) {
				return fmt.Errorf("replay: %q is no simulated venue", venue)
			}
		}
	}
	ledger := simcore.NewLedger()
	if o.Ledger != "" {
		var err error
		if ledger, err = simcore.OpenLedger(o.Ledger); err != nil {
			return err
		}
		s.add(ledger.Close)
	}
	setup := simnet.Setup{Seed: o.Seed, Quiet: o.Quiet, Ledger: ledger, Logger: o.Log}
	for i, each := range simulated {
		venue, err := listenAt(o.Listen, 2*i)
		if err != nil {
			return err
		}
		control, err := listenAt(o.Listen, 2*i+1)
		if err != nil {
			return errors.Join(err, venue.Close())
		}
		sim, err := each.create(setup, o)
		if err != nil {
			return errors.Join(fmt.Errorf("simulate %s: %w", each.venue, err), venue.Close(), control.Close())
		}
		sim.Serve(venue, control)
		s.add(sim.Close)
		// Listeners end first: a server that was begun a moment ago may not know
		// yet what to close.
		s.add(venue.Close)
		s.add(control.Close)
		s.venues[each.venue] = describeSim(sim)
	}
	return nil
}

// listenAt listens offset ports above the address.
func listenAt(address string, offset int) (net.Listener, error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("port of %s: %w", address, err)
	}
	if port != 0 {
		port += uint64(offset)
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(host, strconv.FormatUint(port, 10))) //nolint:noctx // binding a local port does not wait
	if err != nil {
		return nil, err
	}
	return newOnceListener(listener), nil
}

func newBinanceSim(setup simnet.Setup, o simOptions) (simulator, error) {
	sim, err := binancesim.New(binancesim.Options{Setup: setup})
	if err != nil {
		return nil, err
	}
	if recording := o.Replay[string(venues.Binance)]; recording != "" {
		err = sim.Replay(recording, binancesim.ReplayOptions{SnapshotFile: o.ReplaySnapshots[string(venues.Binance)]})
	}
	return sim, err
}

func newBybitSim(setup simnet.Setup, o simOptions) (simulator, error) {
	sim, err := bybitsim.New(bybitsim.Options{Setup: setup})
	if err != nil {
		return nil, err
	}
	if recording := o.Replay[string(venues.Bybit)]; recording != "" {
		err = sim.Replay(recording, bybitsim.ReplayOptions{})
	}
	return sim, err
}

func newOKXSim(setup simnet.Setup, o simOptions) (simulator, error) {
	sim, err := okxsim.New(okxsim.Options{Setup: setup})
	if err != nil {
		return nil, err
	}
	if recording := o.Replay[string(venues.OKX)]; recording != "" {
		err = sim.Replay(recording, okxsim.ReplayOptions{})
	}
	return sim, err
}

func describeSim(sim simulator) SimVenue {
	at, demo := sim.Endpoints(), sim.DemoAccount().Credentials
	return SimVenue{
		RESTURL: at.RestURL, WSURL: at.WsURL, ControlURL: at.ControlURL,
		APIKey: demo.APIKey, APISecret: demo.APISecret, Passphrase: demo.Passphrase,
	}
}

// writeSimFile describes running simulators, for `serve --sim` and for scripts.
// The shape is the one that demo.json has under sim.
func writeSimFile(name string, described map[venues.Venue]SimVenue) error {
	content, err := json.MarshalIndent(described, "", " ") //nolint:gosec // handing over the keys is what the file is for
	if err != nil {
		return err
	}
	if err := writeSecretFile(name, append(content, '\n')); err != nil {
		return fmt.Errorf("describe simulated venues: %w", err)
	}
	return nil
}

// readSimFile reads what writeSimFile wrote.
func readSimFile(name string) (map[venues.Venue]SimVenue, error) {
	content, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read simulated venues: %w", err)
	}
	var described map[venues.Venue]SimVenue
	if err := json.Unmarshal(content, &described); err != nil {
		return nil, fmt.Errorf("read simulated venues from %s: %w", name, err)
	}
	for venue, v := range described {
		if _, known := venues.ParseVenue(string(venue)); !known || v.RESTURL == "" || v.WSURL == "" || v.APIKey == "" {
			return nil, fmt.Errorf("%s does not describe simulated venues: %q is unknown or incomplete", name, venue)
		}
	}
	if len(described) == 0 {
		return nil, fmt.Errorf("%s describes no simulated venue", name)
	}
	return described, nil
}
