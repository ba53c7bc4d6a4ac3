package stream

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"venuegate/venues"
)

func TestCursor(t *testing.T) {
	type frame struct {
		epoch, seq uint64
		snapshot   bool
	}
	for _, tt := range []struct {
		name   string
		first  verdict
		frames []frame
		want   []verdict
		missed uint64 // before the last
	}{
		{"in order", jumps, []frame{{1, 5, true}, {1, 6, false}, {1, 7, true}, {1, 8, false}}, []verdict{restarts, follows, follows, follows}, 0},
		{"no first snapshot", jumps, []frame{{1, 5, false}, {1, 6, false}}, []verdict{jumps, follows}, 0},
		{"needs no first snapshot", follows, []frame{{1, 5, false}, {1, 6, false}}, []verdict{follows, follows}, 0},
		{"sent again", jumps, []frame{{1, 5, true}, {1, 6, false}, {1, 6, true}, {1, 7, false}}, []verdict{restarts, follows, resends, follows}, 0},
		{"old ones", jumps, []frame{{1, 5, true}, {1, 5, false}, {1, 4, false}, {1, 4, true}, {1, 6, false}}, []verdict{restarts, repeats, repeats, repeats, follows}, 0},
		{"hole", jumps, []frame{{1, 5, true}, {1, 9, false}}, []verdict{restarts, jumps}, 3},
		{"snapshot after a hole", jumps, []frame{{1, 5, true}, {1, 9, true}, {1, 10, false}}, []verdict{restarts, restarts, follows}, 0},
		{"new epoch", jumps, []frame{{1, 5, true}, {2, 1, true}, {2, 2, false}}, []verdict{restarts, restarts, follows}, 0},
		{"new epoch, same seq", jumps, []frame{{1, 5, true}, {2, 5, true}}, []verdict{restarts, restarts}, 0},
		{"new epoch without a snapshot", follows, []frame{{1, 5, false}, {2, 6, false}, {2, 7, false}}, []verdict{follows, jumps, follows}, 0},
	} {
		var c cursor
		var missed uint64
		for i, f := range tt.frames {
			var got verdict
			got, missed = c.advance(&venues.Frame{Epoch: f.epoch, Seq: f.seq, Snapshot: f.snapshot}, tt.first)
			if got != tt.want[i] {
				t.Errorf("%s: frame %d: got verdict %d, want %d", tt.name, i, got, tt.want[i])
			}
		}
		if missed != tt.missed {
			t.Errorf("%s: %d missed, want %d", tt.name, missed, tt.missed)
		}
	}
}

// However messages come, no second may have more than its share, and nobody
// waits without need.
func TestPacer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p pacer
		now := time.Unix(1_000_000, 0)
		var served []time.Time
		for _, pauseMs := range rapid.SliceOfN(rapid.IntRange(0, 300), 1, 200).Draw(t, "pauses") {
			now = now.Add(time.Duration(pauseMs) * time.Millisecond)
			wait := p.wait(now)
			now = now.Add(wait)
			served = append(served, now)
			n := len(served)
			if n > 2*opsPerSecond && served[n-1].Sub(served[n-1-2*opsPerSecond]) < time.Second {
				t.Fatalf("%d messages within a second", 2*opsPerSecond)
			}
			if n <= opsPerSecond && wait > 0 {
				t.Fatalf("message %d waited %v", n, wait)
			}
		}
	})
}
