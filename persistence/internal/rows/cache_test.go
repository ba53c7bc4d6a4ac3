package rows_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"venuegate/persistence/internal/rows"
)

func TestCacheReturnsTheLastPutWithinItsSize(t *testing.T) {
	const bytesMax = 4 << 10
	rapid.Check(t, func(t *rapid.T) {
		cache, put := rows.NewCache[int](bytesMax), map[string]int{}
		for n := range rapid.IntRange(1, 200).Draw(t, "steps") {
			key := fmt.Sprint("key", rapid.IntRange(0, 40).Draw(t, "key"))
			switch rapid.IntRange(0, 20).Draw(t, "what") {
			case 0:
				cache.Clear()
				clear(put)
			case 1:
				cache.Delete([]byte(key))
				delete(put, key)
				if _, kept := cache.Get([]byte(key)); kept {
					t.Fatalf("Get(%s) after Delete found a value", key)
				}
			default:
				cache.Put([]byte(key), n, 20)
				put[key] = n
				if got, kept := cache.Get([]byte(key)); !kept || got != n {
					t.Fatalf("Get(%s) after Put = %d, %t; want %d", key, got, kept, n)
				}
			}
			kept := 0
			for key, want := range put {
				got, found := cache.Get([]byte(key))
				if found && got != want {
					t.Fatalf("Get(%s) = %d, want %d", key, got, want)
				}
				if found {
					kept++
				}
			}
			// Each of the two generations holds at most half of the bytes and one entry.
			if kept*20 > bytesMax {
				t.Fatalf("%d entries of 20 bytes are kept, want at most %d bytes", kept, bytesMax)
			}
		}
	})
}

func TestNilCacheIsEmpty(t *testing.T) {
	var none *rows.Cache[int]
	none.Put([]byte("a"), 1, 1)
	none.Delete([]byte("a"))
	none.Clear()
	if _, kept := none.Get([]byte("a")); kept {
		t.Error("Get of a nil cache found a value, want none")
	}
}
