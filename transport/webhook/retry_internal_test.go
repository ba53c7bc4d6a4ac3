package webhook

import (
	"testing"
	"time"
)

func FuzzRetryAfter(f *testing.F) {
	at := time.Unix(1767225600, 0)
	for _, text := range []string{"", "120", "-1", "Thu, 01 Jan 2026 00:02:00 GMT", "99999999999999999999", "Thu, 01 Jan 9999 00:00:00 GMT"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if n := retryAfter(text, at); n < 0 || n > retryAfterSecMax {
			t.Fatalf("retryAfter(%q) = %d, want 0 to %d", text, n, retryAfterSecMax)
		}
	})
}
