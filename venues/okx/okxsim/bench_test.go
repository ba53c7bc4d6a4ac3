package okxsim_test

import (
	"testing"

	"venuegate/venues/okx/okxsim"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

func BenchmarkIdleSecond(b *testing.B) {
	simtest.BenchmarkIdle(b, func(setup simnet.Setup) *okxsim.Sim { return create(b, okxsim.Options{Setup: setup}) })
}
