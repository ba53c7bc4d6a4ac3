package stream

import (
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"venuegate/transport/api"
	"venuegate/venues"
)

func TestCursor(t *testing.T) {
	type frame struct {
		epoch, seq uint64
		snapshot   bool
	}
	for _, tt := range []struct {
		name   string
		first  frameOrder
		frames []frame
		want   []frameOrder
		missed uint64 // before the last
	}{
		{"in order", afterGap, []frame{{1, 5, true}, {1, 6, false}, {1, 7, true}, {1, 8, false}}, []frameOrder{restart, inOrder, inOrder, inOrder}, 0},
		{"no first snapshot", afterGap, []frame{{1, 5, false}, {1, 6, false}}, []frameOrder{afterGap, inOrder}, 0},
		{"needs no first snapshot", inOrder, []frame{{1, 5, false}, {1, 6, false}}, []frameOrder{inOrder, inOrder}, 0},
		{"resent snapshot", afterGap, []frame{{1, 5, true}, {1, 6, false}, {1, 6, true}, {1, 7, false}}, []frameOrder{restart, inOrder, resentSnapshot, inOrder}, 0},
		{"duplicates", afterGap, []frame{{1, 5, true}, {1, 5, false}, {1, 4, false}, {1, 4, true}, {1, 6, false}}, []frameOrder{restart, duplicate, duplicate, duplicate, inOrder}, 0},
		{"gap", afterGap, []frame{{1, 5, true}, {1, 9, false}}, []frameOrder{restart, afterGap}, 3},
		{"snapshot after a gap", afterGap, []frame{{1, 5, true}, {1, 9, true}, {1, 10, false}}, []frameOrder{restart, restart, inOrder}, 0},
		{"new epoch", afterGap, []frame{{1, 5, true}, {2, 1, true}, {2, 2, false}}, []frameOrder{restart, restart, inOrder}, 0},
		{"new epoch, same seq", afterGap, []frame{{1, 5, true}, {2, 5, true}}, []frameOrder{restart, restart}, 0},
		{"new epoch without a snapshot", inOrder, []frame{{1, 5, false}, {2, 6, false}, {2, 7, false}}, []frameOrder{inOrder, afterGap, inOrder}, 0},
	} {
		var c cursor
		var missed uint64
		for i, f := range tt.frames {
			var got frameOrder
			got, missed = c.advance(&venues.Frame{Epoch: f.epoch, Seq: f.seq, Snapshot: f.snapshot}, tt.first)
			if got != tt.want[i] {
				t.Errorf("%s: order of frame %d = %d, want %d", tt.name, i, got, tt.want[i])
			}
		}
		if missed != tt.missed {
			t.Errorf("%s: missed = %d, want %d", tt.name, missed, tt.missed)
		}
	}
}

// Whenever messages arrive, no second has more than the burst and the rate together,
// and the first burst does not wait.
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
				t.Fatalf("messages within a second = %d or more, want at most %d", 2*opsPerSecond+1, 2*opsPerSecond)
			}
			if n <= opsPerSecond && wait > 0 {
				t.Fatalf("message %d waited %v, want no wait", n, wait)
			}
		}
	})
}

// The document of the stream lists the limits of this package.
func TestLimitsAreDocumented(t *testing.T) {
	var document struct {
		Limits map[string]int `yaml:"x-limits"`
	}
	if err := yaml.Unmarshal(api.AsyncAPI(), &document); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{
		"messagesPerSecond": opsPerSecond,
		"stallSecMax":       int(writeStallMax / time.Second),
		"keyRecheckSec":     int(recheckInterval / time.Second),
	} {
		if got := document.Limits[name]; got != want {
			t.Errorf("%s: documented %d, want %d", name, got, want)
		}
	}
}
