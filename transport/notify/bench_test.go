package notify_test

import (
	"fmt"
	"testing"
	"time"

	"venuegate/transport/notify"
)

// BenchmarkWorkbookRow is what one row costs in a file that has some: it is read,
// written whole and made durable.
func BenchmarkWorkbookRow(b *testing.B) {
	for _, rows := range []int{100, 900} {
		b.Run(fmt.Sprintf("rows=%d", rows), func(b *testing.B) {
			dir := b.TempDir()
			w := notify.NewWorkbook(notify.WorkbookOptions{Dir: dir})
			fill(b, dir, rows)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if out := w.Send(b.Context(), book("trades.xlsx"), closedNow(fmt.Sprintf("evt_new_%d", i)), 1, time.Now()); out.Err != nil {
					b.Fatal(out.Err)
				}
			}
		})
	}
}
