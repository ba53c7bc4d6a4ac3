package stream

import "testing"

// Over some rounds every session is written to early as often as late.
func TestNoSessionIsAlwaysLast(t *testing.T) {
	const sessions, rounds = 1000, 200
	var sh shard
	places := make([]int, sessions)
	for range rounds {
		first := sh.firstOf(sessions)
		for i := range sessions {
			places[(first+i)%sessions] += i
		}
	}
	for i, sum := range places {
		if average := float64(sum) / rounds / sessions; average < 0.45 || average > 0.55 {
			t.Fatalf("session %d is written to after %.2f of the others on average, want about half", i, average)
		}
	}
	if first := sh.firstOf(0); first != 0 {
		t.Errorf("first of no sessions = %d, want 0", first)
	}
}
