package main

import (
	"testing"

	"venuegate/venues/bybit"
)

// TestBybitAddresses: an address of the configuration replaces all of its kind, those
// too that an environment has apart from the others.
func TestBybitAddresses(t *testing.T) {
	const ws = "wss://example.test"
	for environment, entry := range map[string]string{bybit.Live: ws, bybit.Testnet: ws, bybit.Demo: "", "sim": ws} {
		o := bybitOptions(VenueConfig{Environment: environment, RESTURL: "https://example.test", WSURL: ws})
		if o.RESTURL != "https://example.test" || o.StreamURL != ws || o.PrivateURL != "" && o.PrivateURL != ws || o.TradeURL != entry {
			t.Errorf("%s: %+v", environment, o)
		}
	}
	if o := bybitOptions(VenueConfig{Environment: bybit.Demo}); o.PrivateURL == "" || o.PrivateURL == o.StreamURL {
		t.Errorf("%+v", o)
	}
}
