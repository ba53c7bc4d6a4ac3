package badgerstore

import "testing"

func TestBadgerIsAskedToCheck(t *testing.T) {
	o := (Options{}).withDefaults().badger(t.TempDir())
	if o.DetectConflicts || !o.VerifyValueChecksum {
		t.Errorf("conflicts %t, checksums %t", o.DetectConflicts, o.VerifyValueChecksum)
	}
}
