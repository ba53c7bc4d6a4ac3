package badgerstore_test

import (
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

var crashRounds = flag.Int("crash.rounds", 5, "number of times that the writing process is killed")

// All orders that were confirmed before kill -9 are in the store, which is intact.
func TestKilledProcessLosesNothing(t *testing.T) {
	dir := t.TempDir()
	confirmed := acked{}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for round := range *crashRounds {
		confirmed.writeAndKill(t, dir, random.IntN(120))
		store := open(t, dir)
		if err := store.Integrity(); err != nil {
			t.Fatalf("round %d: Integrity = %v, want nil", round, err)
		}
		if err := confirmed.missing(t.Context(), store); err != nil {
			t.Fatalf("round %d: of %d confirmed orders one is missing: %v", round, confirmed.total(), err)
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d kills, %d confirmed orders, none missing", *crashRounds, confirmed.total())
}

// A kill between the creation of a log and its first write leaves an empty file, which
// does not prevent opening the store.
func TestEmptyLogAfterAKillIsRemoved(t *testing.T) {
	for _, name := range []string{"00099.mem", "000099.vlog"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			store, confirmed := newFilledStore(t, dir)
			closeStore(t, store)
			if err := os.WriteFile(filepath.Join(dir, "db", name), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			checkStore(t, dir, confirmed)
			checkStore(t, dir, confirmed)
		})
	}
}
