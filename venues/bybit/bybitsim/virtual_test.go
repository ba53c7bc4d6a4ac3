package bybitsim_test

import (
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues/bybit/bybitsim"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

// A client that sends nothing is disconnected after ten minutes of virtual time.
func TestSilentClientIsDisconnected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := start(t, bybitsim.Options{Setup: simnet.Setup{Quiet: true}})
		began := time.Now()
		if _, _, err := v.DialRaw("/v5/private").ReadMessage(); err == nil {
			t.Error("a message was read, want the end of the connection")
		}
		simtest.Equal(t, "time until the connection ends", time.Since(began).Round(time.Minute), 10*time.Minute)
	})
}
