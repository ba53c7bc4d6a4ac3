package account

import "testing"

// On a full disk the intents of orders that reduce a position are stored, reduce-only or not.
func TestOrdersThatReduceMayUseTheReserve(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*placeOrder)
		want   bool
	}{
		{"an order of the position's side", func(*placeOrder) {}, false},
		{"a reduce-only order", sells("9", true), true},
		{"an order as large as the position", sells("2", false), true},
		{"an order that reverses the position", sells("2.1", false), false},
	} {
		b, in := limited(t), limitOrder("")
		c.change(&in)
		step := b.stepContext()
		b.state.place(step, in)
		if out := b.state.finish(step); out.Creates == "" || out.Batch.Reserve != c.want {
			t.Errorf("%s: creates %q, may use the reserve = %t, want an order and %t", c.name, out.Creates, out.Batch.Reserve, c.want)
		}
	}
}
