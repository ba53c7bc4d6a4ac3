package okxsim_test

import (
	"testing"

	"go.uber.org/goleak"
)

// No simulator may leave a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
