//go:build interop

package interop_test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"venuegate/venues"
	"venuegate/venues/binance"
	"venuegate/venues/bybit"
	"venuegate/venues/okx"
)

const (
	startLimit   = 20 * time.Second
	installLimit = 5 * time.Minute
	runLimit     = 5 * time.Minute
	// lineBytesMax bounds one result.
	lineBytesMax = 1 << 20
)

// simulator is one venue in the file that `venuegate sim --out` writes.
type simulator struct {
	RESTURL    string `json:"restUrl"`
	WSURL      string `json:"wsUrl"`
	ControlURL string `json:"controlUrl"`
	APIKey     string `json:"apiKey"`
	APISecret  string `json:"apiSecret"`
	Passphrase string `json:"passphrase,omitempty"`
}

// result is one line of run.js.
type result struct {
	Case   string `json:"case"`
	Result string `json:"result"`
	Detail string `json:"detail"`
	MS     int64  `json:"ms"`
}

// CCXT trades on the simulated venues as on the real ones.
func TestCCXT(t *testing.T) {
	install(t, ".")
	_, described := startSimulators(t)
	simulators := readJSON[map[venues.Venue]simulator](t, described)
	// The venues run in parallel in a group of their own, so that the simulators
	// outlive them.
	t.Run("on", func(t *testing.T) {
		for _, venue := range venues.All() {
			t.Run(string(venue), func(t *testing.T) {
				t.Parallel()
				sim := simulators[venue]
				runCases(t, string(venue), runLimit, map[string]any{"sim": sim, "instruments": instruments(t, venue, sim)})
			})
		}
	})
}

// install installs the packages of the package-lock.json in a folder into its node_modules.
func install(t *testing.T, dir string) {
	t.Helper()
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Fatalf("%s is not installed, so that the simulators were not compared with CCXT", tool)
		}
	}
	want, err := os.ReadFile(filepath.Join(dir, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	// npm ci deletes node_modules and fetches it again. The copy is the lock file
	// that node_modules was installed from.
	stamp := filepath.Join(dir, "node_modules", ".package-lock.installed.json")
	if have, err := os.ReadFile(stamp); err == nil && string(have) == string(want) {
		return
	}
	command(t, installLimit, dir, "npm", "ci", "--prefer-offline")
	if err := os.WriteFile(stamp, want, 0o600); err != nil {
		t.Fatal(err)
	}
}

func command(t *testing.T, limit time.Duration, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.WaitDelay = dir, time.Second
	timer := time.AfterFunc(limit, func() { _ = cmd.Cancel() })
	defer timer.Stop()
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, output)
	}
}

// startSimulators builds the binary and runs the simulated venues as a process for the length
// of the test. They are described in a file.
func startSimulators(t *testing.T) (binary, described string) {
	t.Helper()
	dir := t.TempDir()
	binary, described = filepath.Join(dir, "venuegate"), filepath.Join(dir, "sim.json")
	command(t, installLimit, ".", "go", "build", "-o", binary, "venuegate/cmd/venuegate")
	cmd := exec.Command(binary, "sim", "--quiet-market", "--out", described, "--ledger", filepath.Join(dir, "ledger"))
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Errorf("simulated venues: %v", err)
		}
	})
	return binary, described
}

// runCases runs the cases of a class and reports each. described is the content of FILE.
func runCases(t *testing.T, name string, limit time.Duration, described any) {
	file := filepath.Join(t.TempDir(), "venue.json")
	content, err := json.Marshal(described)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "run.js", name, file)
	cmd.Stderr = os.Stderr
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(limit, func() { _ = cmd.Cancel() })
	defer timer.Stop()
	counts := map[string]int{}
	lines := bufio.NewScanner(output)
	lines.Buffer(nil, lineBytesMax)
	for lines.Scan() {
		counts[report(t, lines.Bytes())]++
	}
	if err := cmd.Wait(); err != nil || lines.Err() != nil {
		t.Errorf("run.js %s: %v, %v", name, err, lines.Err())
	}
	t.Logf("%s: %d passed, %d failed, %d not applicable", name, counts["pass"], counts["fail"], counts["n/a"])
	if counts["pass"] == 0 {
		t.Error("0 cases passed, want some")
	}
}

// report reports a line as a subtest and returns its result.
func report(t *testing.T, line []byte) string {
	var r result
	if err := json.Unmarshal(line, &r); err != nil {
		t.Errorf("run.js printed %s, want a result in JSON: %v", line, err)
		return ""
	}
	t.Run(r.Case, func(t *testing.T) {
		if r.Detail != "" || r.MS >= 1000 {
			t.Logf("%s (%d ms)", r.Detail, r.MS)
		}
		switch r.Result {
		case "pass":
		case "n/a":
			t.Skip("not applicable")
		default:
			t.Fail()
		}
	})
	return r.Result
}

// instruments returns what this project's connector reads from the simulator.
func instruments(t *testing.T, venue venues.Venue, sim simulator) []venues.Instrument {
	t.Helper()
	var connector interface {
		venues.Connector
		Close()
	}
	switch venue {
	case venues.Binance:
		connector = binance.New(binance.Sim(sim.RESTURL, sim.WSURL))
	case venues.Bybit:
		connector = bybit.New(bybit.Sim(sim.RESTURL, sim.WSURL))
	default:
		connector = okx.New(okx.Sim(sim.RESTURL, sim.WSURL))
	}
	defer connector.Close()
	list, err := connector.Instruments(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return list
}
