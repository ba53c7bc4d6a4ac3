//go:build interop

package typescript_test

import (
	"testing"

	"venuegate/transport/clients/clienttest"
)

// The client builds from the document, and its tests pass against the built service.
func TestTypeScriptClient(t *testing.T) {
	clienttest.Build(t, "VENUEGATE")
	clienttest.Command(t, "npm", "ci", "--prefer-offline")
	clienttest.Command(t, "npm", "run", "build")
	t.Logf("%s", clienttest.Command(t, "npm", "test"))
}
