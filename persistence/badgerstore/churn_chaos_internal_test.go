//go:build chaos

package badgerstore

import "testing"

func TestStoreDoesNotGrowUnderLongChurn(t *testing.T) { churn(t, 16, 2000, smallComment) }
