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

// What every test of a run shares.
var (
	sized size
	seed  uint64
	// root is the module's, shipped the program as it is, patient the one whose
	// simulated venues bear a service that starts every second.
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

// patientVenues do not count the requests of an address: a service that starts
// every second counts its own anew each time, and would be banned for what its
// earlier lives have asked.
var patientVenues = overlay.Variant{Edits: []overlay.Edit{
	{Name: "weight", File: "venues/binance/binancesim/limits.go", Old: "used = w.add(now, weight)", New: "used = w.add(now, 0)"},
	{
		Name: "address", File: "venues/bybit/bybitsim/limits.go",
		Old: `l.spend("ip "+ip, l.limits.RequestsPer5s, addressSpan, now); !ok {`, New: `l.spend("ip "+ip, l.limits.RequestsPer5s, addressSpan, now); false && !ok {`,
	},
}}

// program is the package of the program under test.
const program = "./cmd/venuegate"

// build makes a variant of the program.
func build(t testing.TB, v overlay.Variant) (binary string) {
	t.Helper()
	binary = filepath.Join(t.TempDir(), "venuegate")
	if err := v.Build(t.Context(), root, binary, program); err != nil {
		t.Fatal(err)
	}
	return binary
}
