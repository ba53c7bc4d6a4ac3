package binance

import (
	"bytes"
	"testing"

	"venuegate/venues"
	"venuegate/venues/fixturetest"
	"venuegate/venues/internal/connectortest"
)

// fixture returns a recorded payload.
func fixture(t testing.TB, name string) []byte {
	t.Helper()
	return fixturetest.Read(t, venues.Binance, name)
}

// afterStamp cuts the recorder's timestamp, which ends at the first space.
func afterStamp(line []byte) []byte {
	_, message, _ := bytes.Cut(line, []byte(" "))
	return message
}

// dec is a decimal of a test; "" is unknown.
func dec(text string) venues.Optional { return connectortest.Decimal(text) }
