// Package clienttest runs the tests of the clients that are not written in Go.
package clienttest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	commandLimit = 10 * time.Minute
	// endLimit is how long an interrupted test may take to end the services that it has started.
	endLimit = time.Minute
)

// Build builds the service, and sets the environment variable to the path of the binary for the
// length of the test.
func Build(t *testing.T, variable string) {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "venuegate")
	Command(t, "go", "build", "-o", binary, "venuegate/cmd/venuegate")
	t.Setenv(variable, binary)
}

// Command runs a command in the folder of the test and returns its output. It fails the test if
// the command fails.
func Command(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env, cmd.WaitDelay = os.Environ(), endLimit
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	timer := time.AfterFunc(commandLimit, func() { _ = cmd.Cancel() })
	defer timer.Stop()
	output, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v, want success\n%s", name, strings.Join(args, " "), err, output)
	}
	return output
}
