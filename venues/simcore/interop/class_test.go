//go:build interop

package interop_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"venuegate/venues"
)

const (
	classDir = "../../../transport/clients/ccxt"
	// classRunLimit includes waits for the venue's rate limits: to connect an account takes
	// much of them.
	classRunLimit = 9 * time.Minute
)

// service is what the cases use of the file that `venuegate serve --demo` writes.
type service struct {
	BaseURL    string `json:"baseUrl"`
	AdminURL   string `json:"adminUrl"`
	AdminToken string `json:"adminToken"`
}

// CCXT's class of the service passes the same cases on every venue.
func TestCCXTClass(t *testing.T) {
	install(t, classDir)
	library, err := filepath.Abs(filepath.Join(classDir, "node_modules/ccxt/js/ccxt.js"))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("CCXT", library)
	binary, described := startSimulators(t)
	simulators := readJSON[map[venues.Venue]simulator](t, described)
	through := startService(t, binary, described)
	t.Run("on", func(t *testing.T) {
		for _, venue := range venues.All() {
			t.Run(string(venue), func(t *testing.T) {
				t.Parallel()
				sim := simulators[venue]
				runCases(t, "venuegate", classRunLimit, map[string]any{
					"sim": sim, "instruments": instruments(t, venue, sim), "exchange": venue, "service": through,
				})
			})
		}
	})
}

// startService runs the service on the simulated venues for the length of the test.
func startService(t *testing.T, binary, simulators string) service {
	t.Helper()
	data := filepath.Join(t.TempDir(), "data")
	cmd := exec.Command(binary, "serve", "--demo", "--sim", simulators, "--data", data,
		"--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--log-level", "error")
	// Every client keeps connections of its own.
	cmd.Env = append(os.Environ(), "VENUEGATE_LIMITS_CONNECTIONS_PER_SOURCE=2000")
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Errorf("service: %v", err)
		}
	})
	return readJSON[service](t, filepath.Join(data, "demo.json"))
}

// readJSON waits until a process has written a file, and returns its content.
func readJSON[T any](t *testing.T, file string) T {
	t.Helper()
	var value T
	for deadline := time.Now().Add(startLimit); ; <-time.After(20 * time.Millisecond) {
		if content, err := os.ReadFile(file); err == nil && json.Unmarshal(content, &value) == nil {
			return value
		}
		if time.Now().After(deadline) {
			t.Fatalf("timeout after %s, want %s", startLimit, filepath.Base(file))
		}
	}
}
