package rows_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"venuegate/persistence/internal/rows"
)

// Whatever is kept is what was put last, and no more is kept than may be.
func TestRecentIsWhatWasPutLast(t *testing.T) {
	const bytesMax = 4 << 10
	rapid.Check(t, func(t *rapid.T) {
		recent, put := rows.NewRecent[int](bytesMax), map[string]int{}
		for n := range rapid.IntRange(1, 200).Draw(t, "steps") {
			key := fmt.Sprint("key", rapid.IntRange(0, 40).Draw(t, "key"))
			switch rapid.IntRange(0, 20).Draw(t, "what") {
			case 0:
				recent.Clear()
				clear(put)
			case 1:
				recent.Delete([]byte(key))
				delete(put, key)
				if _, kept := recent.Get([]byte(key)); kept {
					t.Fatalf("%s is kept just after it was deleted", key)
				}
			default:
				recent.Put([]byte(key), n, 20)
				put[key] = n
				if got, kept := recent.Get([]byte(key)); !kept || got != n {
					t.Fatalf("%s is %d, %t just after it was put as %d", key, got, kept, n)
				}
			}
			kept := 0
			for key, want := range put {
				got, found := recent.Get([]byte(key))
				if found && got != want {
					t.Fatalf("%s is %d, it was put as %d", key, got, want)
				}
				if found {
					kept++
				}
			}
			// Two generations of at most half as much and one entry.
			if kept*20 > bytesMax {
				t.Fatalf("%d entries are kept", kept)
			}
		}
	})
}

func TestNoRecentKeepsNothing(t *testing.T) {
	var none *rows.Recent[int]
	none.Put([]byte("a"), 1, 1)
	none.Delete([]byte("a"))
	none.Clear()
	if _, kept := none.Get([]byte("a")); kept {
		t.Error("kept")
	}
}
