package main

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestProgressLines checks the lines of work where no terminal is, and the last one.
func TestProgressLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out lockedBuffer
		p := startProgress(&out, nil, "restore")
		p.expect(4_000_000)
		_, _ = p.Write(make([]byte, 1_000_000)) // it never fails
		time.Sleep(25 * time.Second)
		_, _ = p.Write(make([]byte, 3_000_000))
		p.counted(1234, "rows")
		p.end(nil)
		const want = "restore: 1.0 MB of 4.0 MB (25 %), 10s\nrestore: 1.0 MB of 4.0 MB (25 %), 20s\nrestore: 4.0 MB, 1234 rows, 25s\n"
		if got := out.String(); got != want {
			t.Errorf("printed\n%s\nwant\n%s", got, want)
		}
	})
}

// TestProgressOfFailedWork checks that work that failed does not end like work that is done.
func TestProgressOfFailedWork(t *testing.T) {
	var out lockedBuffer
	p := startProgress(&out, nil, "backup")
	p.counted(7, "rows")
	p.end(errors.New("disk full"))
	if got := out.String(); got != "" {
		t.Errorf("printed %q, want nothing", got)
	}
}

func TestSizeText(t *testing.T) {
	for size, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "1.0 KB", 1_234_567: "1.2 MB", 5_600_000_000: "5.6 GB"} {
		if got := sizeText(size); got != want {
			t.Errorf("sizeText(%d) = %q, want %q", size, got, want)
		}
	}
}
