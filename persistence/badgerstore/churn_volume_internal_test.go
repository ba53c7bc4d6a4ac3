//go:build !race

package badgerstore

import (
	"testing"
	"time"
)

// TestStoreDoesNotGrowUnderChurn checks that rows that are archived or purged are collected.
// Compactions may be late; without a collection the store takes half as much again as was
// written. The race detector takes ten times as long, and sees archives, purges and compactions
// in smaller tests.
func TestStoreDoesNotGrowUnderChurn(t *testing.T) {
	dir := t.TempDir()
	written, _, _ := churn(t, dir, 30, 200, largeComment)
	const within, poll = 30 * time.Second, 100 * time.Millisecond
	for end := time.Now().Add(within); storeBytes(t, dir) > written; time.Sleep(poll) {
		if time.Now().After(end) {
			t.Fatalf("the store takes %d bytes after the churn, want at most the %d that were written", storeBytes(t, dir), written)
		}
	}
}
