package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"

	"go.uber.org/zap"

	"venuegate/venues"
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

// simOptions configure the simulated venues.
type simOptions struct {
	// Listen is the address of the first venue. Each venue uses two consecutive
	// ports, for its protocols and for its control; port 0 uses free ports.
	Listen string
	// Seed determines markets, ids and credentials.
	Seed  uint64
	Quiet bool
	// Pace is how many markets each venue has and how fast they move.
	Pace simnet.Pace
	// Ledger is a file to which every order is appended; empty for none.
	Ledger string
	// StateDir is the directory of the state of the venues, which this process must own;
	// empty keeps none. It is made if it does not exist.
	StateDir string
	// Replay has the recordings, by venue, that public streams replay;
	// ReplaySnapshots the files of book snapshots that a recording lacks.
	Replay          map[string]string
	ReplaySnapshots map[string]string
	Log             *zap.Logger
}

// simStateName is the directory in a data directory with the state of simulated venues.
const simStateName = "sim"

// simSeed is the default seed. Credentials are derived from it, so that a restarted
// simulator accepts the same ones.
const simSeed = 1

// simulator is one simulated venue.
type simulator interface {
	Serve(venue, control net.Listener)
	Endpoints() simnet.Endpoints
	DemoAccount() simcore.AccountInfo
	Close() error
}

// simulators are running simulated venues.
type simulators struct {
	venues map[venues.Venue]SimVenue
	closers
}

func startSimulators(o simOptions) (*simulators, error) {
	if !isLoopback(o.Listen) {
		return nil, fmt.Errorf("%s is not a loopback address: simulated venues must not be reachable from a network", o.Listen)
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
			if _, known := venueRow(venues.Venue(venue)); !known {
				return errors.New("--replay " + mustBeOneOf(venue, textsOf(venues.All())))
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
	if o.StateDir != "" {
		if err := os.MkdirAll(o.StateDir, 0o700); err != nil {
			return fmt.Errorf("make the directory of the simulated venues: %w", err)
		}
	}
	setup := simnet.Setup{Seed: o.Seed, Quiet: o.Quiet, Pace: o.Pace, Ledger: ledger, StateDir: o.StateDir, Logger: o.Log}
	for i, row := range venueTable {
		venue, err := listenAt(o.Listen, 2*i)
		if err != nil {
			return err
		}
		control, err := listenAt(o.Listen, 2*i+1)
		if err != nil {
			return errors.Join(err, venue.Close())
		}
		sim, err := row.restore(setup, o)
		if err != nil {
			return errors.Join(fmt.Errorf("simulate %s: %w", row.code, err), venue.Close(), control.Close())
		}
		sim.Serve(venue, control)
		s.add(sim.Close)
		// Listeners are closed first: a server that has just been started may not
		// know its listener yet.
		s.add(venue.Close)
		s.add(control.Close)
		s.venues[row.code] = describeSim(sim)
	}
	return nil
}

// restore creates the simulator of a venue with its state. If the state cannot be used, it
// creates one that starts from scratch.
func (e venueEntry) restore(setup simnet.Setup, o simOptions) (simulator, error) {
	sim, err := e.simulate(setup, o)
	if _, unusable := errors.AsType[*simcore.StateError](err); unusable {
		o.Log.Warn("a simulated venue starts from scratch", zap.String("venue", string(e.code)), zap.Error(err))
		return e.simulate(setup, o)
	}
	return sim, err
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

func describeSim(sim simulator) SimVenue {
	at, demo := sim.Endpoints(), sim.DemoAccount().Credentials
	return SimVenue{
		RESTURL: at.RestURL, WSURL: at.WsURL, ControlURL: at.ControlURL,
		APIKey: demo.APIKey, APISecret: demo.APISecret, Passphrase: demo.Passphrase,
	}
}

// writeSimFile writes the description of running simulators, for `serve --sim` and
// for scripts. Its form is that of the member sim of demo.json.
func writeSimFile(name string, described map[venues.Venue]SimVenue) error {
	content, err := json.MarshalIndent(described, "", " ") //nolint:gosec // the file exists to hand over the keys
	if err != nil {
		return err
	}
	if err := writeSecretFile(name, append(content, '\n')); err != nil {
		return fmt.Errorf("describe simulated venues: %w", err)
	}
	return nil
}

// readSimFile reads a file that writeSimFile has written.
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
		return nil, fmt.Errorf("%s does not describe any simulated venue", name)
	}
	return described, nil
}
