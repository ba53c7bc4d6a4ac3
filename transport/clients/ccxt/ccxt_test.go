//go:build interop

package ccxt_test

import (
	"testing"

	"venuegate/transport/clients/clienttest"
)

// The tests of the class pass against the built service.
func TestCCXTClient(t *testing.T) {
	clienttest.Build(t, "VENUEGATE")
	clienttest.Command(t, "npm", "ci", "--prefer-offline")
	t.Logf("%s", clienttest.Command(t, "npm", "test"))
}
