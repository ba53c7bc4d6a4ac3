package main

import (
	"fmt"

	"go.uber.org/zap"

	"venuegate/venues"
	"venuegate/venues/binance"
	"venuegate/venues/bybit"
	"venuegate/venues/okx"
)

// openConnector makes the connector of one venue.
type openConnector func(VenueConfig, *zap.Logger) (connector venues.Connector, closeIt func(), err error)

// connectable are the venues that the service can reach.
var connectable = map[venues.Venue]openConnector{
	venues.Binance: openBinance,
	venues.Bybit:   openBybit,
	venues.OKX:     openOKX,
}

// openConnectors makes the connectors of the configured venues. Nothing is sent
// yet.
func openConnectors(config Config, log *zap.Logger) (map[venues.Venue]venues.Connector, func(), error) {
	connectors := map[venues.Venue]venues.Connector{}
	closes := []func(){}
	closeAll := func() {
		for _, c := range closes {
			c()
		}
	}
	for _, venue := range config.venueCodes() {
		connector, closeIt, err := connectable[venue](config.Venues[venue], log.Named(string(venue)))
		if err != nil {
			closeAll()
			return nil, nil, fmt.Errorf("prepare %s: %w", venue, err)
		}
		connectors[venue] = connector
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

// override replaces a preset's address by a configured one.
func override(address *string, configured string) {
	if configured != "" {
		*address = configured
	}
}
