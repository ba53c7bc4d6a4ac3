//go:build chaos

package chaos

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"venuegate/cmd/venuegate/chaos/overlay"
)

// The state that all tests of a run share.
var (
	sized size
	seed  uint64
	// root is the directory of the module, shipped the unchanged program, patient the
	// one whose simulated venues do not limit a service that starts every second.
	root, shipped, patient string
)

func TestMain(m *testing.M) {
	status, err := runAll(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

// runAll builds the shipped program, runs the tests and prints the table.
func runAll(m *testing.M) (status int, err error) {
	var name string
	if name, sized, seed, err = chosen(); err != nil {
		return 0, err
	}
	if root, err = overlay.Root(); err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "chaos")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a directory for temporary files
	shipped, patient = filepath.Join(dir, "venuegate"), filepath.Join(dir, "venuegate-sim")
	if err := (overlay.Variant{}).Build(context.Background(), root, shipped, program); err != nil {
		return 0, err
	}
	if err := patientVenues.Build(context.Background(), root, patient, program); err != nil {
		return 0, err
	}
	fmt.Fprintf(os.Stdout, "CHAOS=%s CHAOS_SEED=%d\n", name, seed)
	status = m.Run()
	total.write(os.Stdout, name)
	if file := os.Getenv("CHAOS_REPORT"); file != "" {
		out, err := os.Create(file)
		if err != nil {
			return status, err
		}
		defer func() { _ = out.Close() }()
		total.write(out, name)
	}
	return status, nil
}

// patientVenues does not limit the requests of an address: a service that restarts
// every second loses its own count, and would be banned for the requests of its
// earlier runs.
var patientVenues = overlay.Variant{Edits: []overlay.Edit{
	{Name: "weight", File: "venues/binance/binancesim/limits.go", Old: `l.Count("weight "+ip, time.Minute, weight, now)`, New: `l.Count("weight "+ip, time.Minute, 0, now)`},
	{
		Name: "address", File: "venues/bybit/bybitsim/limits.go",
		Old: `l.Take("ip "+ip, addressSpan, l.limits.RequestsPer5s, now); !ok {`, New: `l.Take("ip "+ip, addressSpan, l.limits.RequestsPer5s, now); false && !ok {`,
	},
}}

// program is the package of the program under test.
const program = "./cmd/venuegate"

// build builds a variant of the program.
func build(t testing.TB, v overlay.Variant) (binary string) {
	t.Helper()
	binary = filepath.Join(t.TempDir(), "venuegate")
	if err := v.Build(t.Context(), root, binary, program); err != nil {
		t.Fatal(err)
	}
	return binary
}
