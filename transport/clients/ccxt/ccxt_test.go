//go:build interop

package ccxt_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const commandLimit = 5 * time.Minute

// The tests of the class pass against the built service.
func TestCCXTClient(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "venuegate")
	command(t, "go", "build", "-o", binary, "venuegate/cmd/venuegate")
	t.Setenv("VENUEGATE", binary)
	command(t, "npm", "ci", "--prefer-offline")
	t.Logf("%s", command(t, "npm", "test"))
}

// command runs a command in this folder and returns its output. It fails the test if the
// command fails.
func command(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env, cmd.WaitDelay = os.Environ(), time.Second
	timer := time.AfterFunc(commandLimit, func() { _ = cmd.Cancel() })
	defer timer.Stop()
	output, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v, want success\n%s", name, strings.Join(args, " "), err, output)
	}
	return output
}
