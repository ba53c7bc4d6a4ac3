package binance

import (
	"testing"

	"venuegate/venues"
	"venuegate/venues/binance/binancesim"
	"venuegate/venues/internal/connectortest"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/venuetest"
)

// If the venue expires a key while the stream is connected, that is a loss, and a new key
// is created.
func TestListenKeyExpires(t *testing.T) {
	sim := serveSimulator(t, binancesim.Options{Setup: simnet.Setup{Seed: 1, Quiet: true}})
	c := connect(sim.Endpoints().RestURL, sim.Endpoints().WsURL, venuetest.Conditions{})
	t.Cleanup(c.Close)
	keys := sim.DemoAccount().Credentials
	account, err := c.OpenAccount(venues.Credentials{APIKey: venues.Secret(keys.APIKey), APISecret: venues.Secret(keys.APISecret)})
	if err != nil {
		t.Fatal(err)
	}
	h := &connectortest.Recorder{}
	feed := account.OpenPrivate(h)
	t.Cleanup(feed.Close)
	h.Await(t, "connection", func() bool { return h.Connections == 1 })
	sim.ExpireListenKey(sim.DemoAccount().ID)
	h.Await(t, "loss and reconnect", func() bool { return len(h.Losses) == 1 && h.Connections == 2 })
}
