package binance

import (
	"bytes"
	"testing"

	"venuegate/venues"
	"venuegate/venues/fixturetest"
)

// fixture reads a recorded payload.
func fixture(t testing.TB, name string) []byte {
	t.Helper()
	return fixturetest.Read(t, venues.Binance, name)
}

// afterStamp cuts the recorder's own time, which ends at the first space.
func afterStamp(line []byte) []byte {
	_, message, _ := bytes.Cut(line, []byte(" "))
	return message
}

func dec(text string) venues.Optional {
	if text == "" {
		return venues.Optional{}
	}
	d, err := venues.ParseVenueDecimal(text)
	if err != nil {
		panic(err)
	}
	return venues.Some(d)
}
