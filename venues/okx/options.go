package okx

import (
	"cmp"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
)

// Names of the environments; see Preset. An account belongs to one region, and its keys
// are valid only on the hosts of that region.
const (
	Live    = "live"
	Demo    = "demo"
	LiveEEA = "live_eea"
	DemoEEA = "demo_eea"
	LiveUS  = "live_us"
	DemoUS  = "demo_us"
)

// Options of a Connector. The zero value of a duration means its default.
type Options struct {
	connector.Settings

	// Simulated selects demo trading, which the venue calls simulated: requests have its
	// header, and the maintenance notices are those of that environment. It is not set for the
	// simulator (Sim).
	Simulated bool
	// PingInterval of the streams, 20 s: the venue closes a connection without messages
	// after 30 s.
	PingInterval time.Duration
	// RenewOverlap is how long the old connection is still read when a new one replaces
	// it, 3 s. The subscriptions of the new one must be in effect by then.
	RenewOverlap time.Duration
	// DialInterval is the time between two connections to the streams, 350 ms: the venue
	// accepts three a second from one address.
	DialInterval time.Duration
}

// Preset returns the options for an environment of the venue.
func Preset(name string) (Options, bool) {
	o, ok := map[string]Options{
		Live:    {Settings: connector.Hosts("https://openapi.okx.com", "wss://ws.okx.com:8443")},
		Demo:    {Settings: connector.Hosts("https://openapi.okx.com", "wss://wspap.okx.com:8443"), Simulated: true},
		LiveEEA: {Settings: connector.Hosts("https://eea.okx.com", "wss://wseea.okx.com:8443")},
		DemoEEA: {Settings: connector.Hosts("https://eea.okx.com", "wss://wseeapap.okx.com:8443"), Simulated: true},
		LiveUS:  {Settings: connector.Hosts("https://us.okx.com", "wss://wsus.okx.com:8443")},
		DemoUS:  {Settings: connector.Hosts("https://us.okx.com", "wss://wsuspap.okx.com:8443"), Simulated: true},
	}[name]
	return o, ok
}

// Sim returns the options for a simulated venue: restURL such as "http://127.0.0.1:8001",
// streamURL such as "ws://127.0.0.1:8001". The simulator does not limit connections.
func Sim(restURL, streamURL string) Options {
	return Options{Settings: connector.Hosts(restURL, streamURL), DialInterval: time.Millisecond}
}

// Validate returns an error that names the first invalid setting.
func (o Options) Validate() error { return o.Settings.Validate(venues.OKX) }

func (o Options) withDefaults() Options {
	o.SetDefaults(90*time.Second, 45*time.Second)
	o.PingInterval = cmp.Or(o.PingInterval, 20*time.Second)
	o.DialInterval = cmp.Or(o.DialInterval, 350*time.Millisecond)
	return o
}
