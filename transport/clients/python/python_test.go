//go:build interop

package python_test

import (
	"os/exec"
	"testing"

	"venuegate/transport/clients/clienttest"
)

// interpreter is Debian's, which has Debian's packages.
const interpreter = "/usr/bin/python3"

// The client trades through the service, and survives what its tests do to it.
func TestPythonClient(t *testing.T) {
	packages := exec.CommandContext(t.Context(), interpreter, "-c", "import build, httpx, mypy, pytest, pytest_asyncio, setuptools, websockets, wheel")
	if output, err := packages.CombinedOutput(); err != nil {
		t.Skipf("!! the client for Python was NOT tested: %v\n%s", err, output)
	}
	clienttest.Build(t, "BINARY_UNDER_TEST")
	t.Logf("%s", clienttest.Command(t, interpreter, "-B", "-m", "pytest", "-q", "--durations=5"))
}
