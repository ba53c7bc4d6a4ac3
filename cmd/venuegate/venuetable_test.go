package main

import (
	"slices"
	"testing"

	"venuegate/venues"
	"venuegate/venues/bybit"
)

// TestVenueTableListsEveryVenue compares the table with venues.All, whose order
// determines the ports of the simulators.
func TestVenueTableListsEveryVenue(t *testing.T) {
	var got []venues.Venue
	for _, row := range venueTable {
		got = append(got, row.code)
	}
	if !slices.Equal(got, venues.All()) {
		t.Errorf("table lists %v, want %v", got, venues.All())
	}
}

// TestConfiguredAddressesReplacePresets sets both addresses of Bybit, some of whose
// environments have a host of their own for private streams.
func TestConfiguredAddressesReplacePresets(t *testing.T) {
	const ws = "wss://example.test"
	for environment, entry := range map[string]string{bybit.Live: ws, bybit.Testnet: ws, bybit.Demo: "", "sim": ws} {
		o := bybitOptions(VenueConfig{Environment: environment, RESTURL: "https://example.test", WSURL: ws})
		if o.RESTURL != "https://example.test" || o.StreamURL != ws || o.PrivateURL != "" && o.PrivateURL != ws || o.TradeURL != entry {
			t.Errorf("%s: options = %+v, want the configured addresses and TradeURL %q", environment, o, entry)
		}
	}
	if o := bybitOptions(VenueConfig{Environment: bybit.Demo}); o.PrivateURL == "" || o.PrivateURL == o.StreamURL {
		t.Errorf("options = %+v, want the private stream of the demo on its own host", o)
	}
}
