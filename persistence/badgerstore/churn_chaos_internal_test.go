//go:build chaos

package badgerstore

import "testing"

func TestStoreDoesNotGrowUnderLongChurn(t *testing.T) {
	if _, early, late := churn(t, t.TempDir(), 16, 2000, smallComment); late > early*3/2 {
		t.Errorf("the store takes %d bytes at most in the second half of the churn, %d in the first; want no growth", late, early)
	}
}
