package account

import (
	"testing"
	"time"

	"venuegate/venues"
)

// Orders whose absence is to be proven share the readings of the venue's lists: a
// hundred would use up what the venue allows.
func TestProofsShareTheirReadings(t *testing.T) {
	b := newBench(t, venues.Capabilities{})
	var all []*order
	for range 25 {
		o := b.place(limitOrder(""))
		b.step(func(m moment) { b.state.placed(m, placeDone{orderID: o.OrderID, err: errTimeout}) })
		all = append(all, o)
	}
	var readings []callProof
	miss := func() {
		for _, o := range all {
			b.step(func(m moment) { b.state.queried(m, queryDone{orderID: o.OrderID, err: notFound()}) })
			for _, e := range b.asked {
				if proof, is := e.(callProof); is {
					readings = append(readings, proof)
				}
			}
		}
	}
	for range 6 {
		miss()
		b.pass(4 * time.Second)
	}
	for n := 0; n < len(readings); n++ {
		b.step(func(m moment) { b.state.proved(m, proofDone{orderIDs: readings[n].orderIDs}) })
		for _, e := range b.asked {
			if proof, is := e.(callProof); is {
				readings = append(readings, proof)
			}
		}
	}
	if len(readings) != 2 {
		t.Errorf("%d readings", len(readings))
	}
	for _, o := range all {
		b.want(o, venues.StatusRejected, "0")
	}
}
