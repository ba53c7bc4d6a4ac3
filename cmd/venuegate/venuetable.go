package main

import (
	"fmt"
	"slices"

	"go.uber.org/zap"

	"venuegate/venues"
	"venuegate/venues/binance"
	"venuegate/venues/binance/binancesim"
	"venuegate/venues/bybit"
	"venuegate/venues/bybit/bybitsim"
	"venuegate/venues/okx"
	"venuegate/venues/okx/okxsim"
	"venuegate/venues/simcore/simnet"
)

// venueEntry describes one venue to the binary.
type venueEntry struct {
	code venues.Venue
	// environments are the presets of hosts; every venue also has environmentSim.
	environments []string
	// restOnly is the environment that accepts orders over REST only, if any.
	restOnly string
	// open creates the connector of a configured venue and sends nothing.
	open func(VenueConfig, *zap.Logger) (connector venues.Connector, closeIt func(), err error)
	// simulate creates a simulator that is ready to serve, with its recording.
	simulate func(simnet.Setup, simOptions) (simulator, error)
}

// venueTable has one row per venue, in the order of venues.All. To add a venue,
// write its package, add its code to package venues, and add its row here.
var venueTable = []venueEntry{
	{venues.Binance, []string{binance.Live, binance.Testnet}, "", openBinance, newBinanceSim},
	{venues.Bybit, bybit.Environments(), bybit.Demo, openBybit, newBybitSim},
	{venues.OKX, []string{okx.Live, okx.Demo, okx.LiveEEA, okx.DemoEEA, okx.LiveUS, okx.DemoUS}, "", openOKX, newOKXSim},
}

// venueRow returns the row of a venue.
func venueRow(code venues.Venue) (venueEntry, bool) {
	i := slices.IndexFunc(venueTable, func(e venueEntry) bool { return e.code == code })
	if i < 0 {
		return venueEntry{}, false
	}
	return venueTable[i], true
}

// openConnectors creates the connectors of the configured venues. It sends nothing.
func openConnectors(config Config, log *zap.Logger) (map[venues.Venue]venues.Connector, func(), error) {
	connectors := map[venues.Venue]venues.Connector{}
	closes := []func(){}
	closeAll := func() {
		for _, c := range closes {
			c()
		}
	}
	for _, row := range venueTable {
		configured, isConfigured := config.Venues[row.code]
		if !isConfigured {
			continue
		}
		connector, closeIt, err := row.open(configured, log.Named(string(row.code)))
		if err != nil {
			closeAll()
			return nil, nil, fmt.Errorf("prepare %s: %w", row.code, err)
		}
		connectors[row.code] = connector
		closes = append(closes, closeIt)
	}
	return connectors, closeAll, nil
}

func openBinance(config VenueConfig, log *zap.Logger) (venues.Connector, func(), error) {
	options, preset := binance.Preset(config.Environment)
	if !preset {
		options = binance.Sim(config.RESTURL, config.WSURL)
	}
	override(&options.RESTURL, config.RESTURL)
	override(&options.StreamURL, config.WSURL)
	override(&options.TradeURL, config.WSURL)
	options.OrderEntry, options.Log = config.OrderEntry, log
	if err := options.Validate(); err != nil {
		return nil, nil, err
	}
	connector := binance.New(options)
	return connector, connector.Close, nil
}

func openBybit(config VenueConfig, log *zap.Logger) (venues.Connector, func(), error) {
	options := bybitOptions(config)
	options.OrderEntry, options.Log = config.OrderEntry, log
	if err := options.Validate(); err != nil {
		return nil, nil, err
	}
	connector := bybit.New(options)
	return connector, connector.Close, nil
}

func bybitOptions(config VenueConfig) bybit.Options {
	options, preset := bybit.Preset(config.Environment)
	if !preset {
		options = bybit.Sim(config.RESTURL, config.WSURL)
	}
	override(&options.RESTURL, config.RESTURL)
	override(&options.StreamURL, config.WSURL)
	override(&options.PrivateURL, config.WSURL)
	if options.TradeURL != "" {
		options.TradeURL = options.StreamURL
	}
	return options
}

func openOKX(config VenueConfig, log *zap.Logger) (venues.Connector, func(), error) {
	options, preset := okx.Preset(config.Environment)
	if !preset {
		options = okx.Sim(config.RESTURL, config.WSURL)
	}
	override(&options.RESTURL, config.RESTURL)
	override(&options.StreamURL, config.WSURL)
	options.OrderEntry, options.Log = config.OrderEntry, log
	if err := options.Validate(); err != nil {
		return nil, nil, err
	}
	connector := okx.New(options)
	return connector, connector.Close, nil
}

// override replaces a preset address by a configured one.
func override(address *string, configured string) {
	if configured != "" {
		*address = configured
	}
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
