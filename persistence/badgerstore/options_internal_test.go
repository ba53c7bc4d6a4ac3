package badgerstore

import "testing"

// TestBadgerIsAskedToSync: no test that kills a process can tell, because the
// kernel keeps what a dead process has written. A power cut would.
func TestBadgerIsAskedToSync(t *testing.T) {
	o := (Options{}).withDefaults().badger(t.TempDir())
	if !o.SyncWrites || !o.DetectConflicts || !o.VerifyValueChecksum {
		t.Errorf("sync %t, conflicts %t, checksums %t", o.SyncWrites, o.DetectConflicts, o.VerifyValueChecksum)
	}
}
