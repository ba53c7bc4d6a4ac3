package bybit

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/payload"
)

func TestEnvironments(t *testing.T) {
	for _, name := range Environments() {
		o, ok := Preset(name)
		if !ok || o.Validate() != nil || !strings.HasPrefix(o.RESTURL, "https://") || !strings.HasPrefix(o.StreamURL, "wss://") {
			t.Errorf("%s: options %+v, want valid ones with https and wss", name, o)
		}
	}
	if o, _ := Preset("live_eu"); o.RESTURL != "https://api.bybit.eu" || o.TradeURL != "wss://stream.bybit.eu" {
		t.Errorf("options %+v, want https://api.bybit.eu and wss://stream.bybit.eu", o)
	}
	if o, _ := Preset(Demo); o.withDefaults().PrivateURL != "wss://stream-demo.bybit.com" {
		t.Error("demo: PrivateURL equals StreamURL")
	}
	if o := Sim("http://a", "ws://b").withDefaults(); o.PrivateURL != "ws://b" {
		t.Errorf("options %+v, want PrivateURL ws://b", o)
	}
	for _, name := range []string{"moon", "eu", "live_", "live_moon", ""} {
		if o, ok := Preset(name); ok || !reflect.ValueOf(o).IsZero() {
			t.Errorf("Preset(%q) = %+v, want none", name, o)
		}
	}
	for _, o := range []Options{{}, Sim("x", ""), {Settings: connector.Hosts("x", "y"), RecvWindow: time.Hour}} {
		if o.Validate() == nil {
			t.Errorf("%+v is valid, want an error", o)
		}
	}
	c := New(Sim("http://x", "ws://x"))
	if _, err := c.OpenAccount(venues.Credentials{APIKey: "k"}); venues.CodeOf(err) != venues.CodeUnauthorized {
		t.Error(err)
	}
	if caps := c.Capabilities(); !caps.AttachedProtection || !caps.AmendStops || !caps.AsyncAck || !caps.StreamSnapshots || !caps.ClientIDUniqueForever || c.Venue() != venues.Bybit {
		t.Errorf("capabilities %+v, want those of the venue", caps)
	}
}

func TestSymbols(t *testing.T) {
	c := New(Sim("http://x", "ws://x"))
	for venueSymbol, want := range map[string]string{
		"BTCUSDT": "BTCUSDT", "1000PEPEUSDT": "1000PEPEUSDT", "BTCPERP": "BTCUSDC", "BTC-26DEC25": "BTCUSDC-251226",
		"BTCUSDT-5SEP25": "BTCUSDT-250905", "PERPUSDT": "PERPUSDT",
	} {
		got := canonicalSymbol(venueSymbol)
		if got != want || c.venueSymbol(got) != venueSymbol {
			t.Errorf("canonical symbol of %s = %s, and back %s, want %s and the first", venueSymbol, got, c.venueSymbol(got), want)
		}
	}
	for _, odd := range []string{"", "-", "a b", "BTC\x00"} {
		if got := canonicalSymbol(odd); got != "" {
			t.Errorf("canonical symbol of %q = %q, want none", odd, got)
		}
	}
	for venueSymbol, want := range map[string]string{"BTCUSDT": "USDT", "ETHPERP": "USDC", "BTC-26DEC25": "USDC", "BTCUSDT-26DEC25": "USDT"} {
		if got := settleCoin(venueSymbol); got != want {
			t.Errorf("settle coin of %s = %s, want %v", venueSymbol, got, want)
		}
	}
	if got := payload.Bounded("a\nb" + strings.Repeat("x", 400)); got != "a?b"+strings.Repeat("x", payload.TextBytesMax-3) {
		t.Errorf("bounded text %s, want a?b and %d times x", got, payload.TextBytesMax-3)
	}
}
