//go:build interop

package python_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

const (
	buildLimit = 5 * time.Minute
	runLimit   = 10 * time.Minute
	endLimit   = time.Minute
	// interpreter is Debian's, which has Debian's packages.
	interpreter = "/usr/bin/python3"
)

// The client trades through the service, and survives what its tests do to it.
func TestPythonClient(t *testing.T) {
	if output, err := run(t, time.Minute, nil, interpreter, "-c", "import build, httpx, mypy, pytest, pytest_asyncio, setuptools, websockets, wheel"); err != nil {
		t.Skipf("!! the client for Python was NOT tested: %v\n%s", err, output)
	}
	binary := filepath.Join(t.TempDir(), "venuegate")
	if output, err := run(t, buildLimit, nil, "go", "build", "-o", binary, "venuegate/cmd/venuegate"); err != nil {
		t.Fatalf("go build: %v, want success\n%s", err, output)
	}
	output, err := run(t, runLimit, []string{"BINARY_UNDER_TEST=" + binary}, interpreter, "-B", "-m", "pytest", "-q", "--durations=5")
	if err != nil {
		t.Fatalf("pytest: %v, want success\n%s", err, output)
	}
	t.Logf("%s", output)
}

// run runs a command and returns what it printed.
func run(t *testing.T, limit time.Duration, env []string, name string, args ...string) ([]byte, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env, cmd.WaitDelay = append(os.Environ(), env...), endLimit
	// An interrupt, because pytest then ends the services that it has started.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	timer := time.AfterFunc(limit, func() { _ = cmd.Cancel() })
	defer timer.Stop()
	return cmd.CombinedOutput()
}
