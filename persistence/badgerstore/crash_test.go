package badgerstore_test

import (
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

var crashRounds = flag.Int("crash.rounds", 5, "how often the writing process is killed")

// Whatever was answered before kill -9 is there after it, and the store knows
// that it is.
func TestKilledProcessLosesNothing(t *testing.T) {
	dir := t.TempDir()
	answered := acked{}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for round := range *crashRounds {
		answered.writeAndKill(t, dir, random.IntN(120))
		store := open(t, dir)
		if err := store.Integrity(); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if err := answered.missing(t.Context(), store); err != nil {
			t.Fatalf("round %d: of %d answered orders one is missing: %v", round, answered.total(), err)
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d kills, %d answered orders, none missing", *crashRounds, answered.total())
}

// A kill between the making of a log and its first byte leaves an empty file. It
// keeps nobody from opening the store, and nothing is missing.
func TestKilledWhileMakingALog(t *testing.T) {
	for _, name := range []string{"00099.mem", "000099.vlog"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			store, answered := filled(t, dir)
			closeStore(t, store)
			if err := os.WriteFile(filepath.Join(dir, "db", name), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			sound(t, dir, answered)
			sound(t, dir, answered)
		})
	}
}
