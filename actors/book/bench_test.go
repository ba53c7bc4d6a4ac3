package book

import (
	"math/rand/v2"
	"testing"
	"time"

	"venuegate/venues"
)

// bytesEncoder imitates a real encoder: it writes every level and allocates nothing.
type bytesEncoder struct{ textEncoder }

func (bytesEncoder) AppendBook(dst []byte, m *venues.BookMessage) []byte {
	for _, side := range [][]venues.Level{m.Bids, m.Asks} {
		for _, l := range side {
			dst = append(dst, byte(l.Price), byte(l.Price>>8), byte(l.Qty), byte(l.Qty>>8), ',')
		}
	}
	return dst
}

// busyBook is a live book of a thousand levels a side with a subscriber of each
// depth, and the updates of a busy minute: about 19 changes each, most of them
// near the best price. Quantities alternate, so that the minute can be repeated.
type busyBook struct {
	state *state
	rows  [][]change
	seq   uint64
	at    int
	now   time.Time
}

type change struct {
	sign  int64
	level venues.Level
}

const busyLevels, busyChanges, busyMid = 1000, 19, 1_000_000

func newBusyBook(tb testing.TB, depths ...int) *busyBook {
	tb.Helper()
	m := newMachine(false, len(depths) == 0) // a book without readers must be kept
	b := &busyBook{state: m.state, now: m.now, seq: 1}
	b.state.encoder.encoder = bytesEncoder{}
	b.state.start(b.now)
	for _, depth := range depths {
		m.attach(topicOf(depth), venues.Topic{Kind: venues.TopicBook, Depth: depth}, sinkFunc(func(venues.Frame) {}))
	}
	u := venues.NewBookUpdate()
	u.Snapshot, u.LastSeq = true, b.seq
	for i := range int64(busyLevels) {
		u.Bids = append(u.Bids, venues.Level{Price: busyMid - 1 - i, Qty: 1})
		u.Asks = append(u.Asks, venues.Level{Price: busyMid + 1 + i, Qty: 1})
	}
	b.state.book.update(b.now, u)
	b.finish()
	random := rand.New(rand.NewPCG(1, 2))
	for range 256 {
		var row []change
		for range busyChanges {
			sign := int64(1 - 2*random.IntN(2))
			away := int64(random.ExpFloat64() * 15)
			row = append(row, change{sign, venues.Level{
				Price: busyMid - sign*(1+min(away, busyLevels-1)), Qty: random.Int64N(1000) * int64(random.IntN(4)),
			}})
		}
		b.rows = append(b.rows, row)
	}
	return b
}

// step applies one message and publishes the result.
func (b *busyBook) step() {
	u := venues.NewBookUpdate()
	u.PrevSeq, u.FirstSeq, u.LastSeq = b.seq, b.seq+1, b.seq+1
	b.seq++
	for _, c := range b.rows[b.at%len(b.rows)] {
		if c.sign > 0 {
			u.Bids = append(u.Bids, c.level)
		} else {
			u.Asks = append(u.Asks, c.level)
		}
	}
	b.at++
	b.state.book.update(b.now, u)
	b.finish()
}

func (b *busyBook) finish() {
	b.state.publish(b.now)
	for _, d := range b.state.out.deliveries {
		d.deliver()
	}
	b.state.out.reset()
}

func TestBusyBookAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes sync.Pool forget")
	}
	b := newBusyBook(t, venues.BookDepths()...)
	for range 2000 { // the pool and the ladders find their size
		b.step()
	}
	if got := testing.AllocsPerRun(5000, b.step); got > 0 {
		t.Errorf("allocations per message = %.0f, want 0", got)
	}
	if b.state.book.phase != PhaseLive {
		t.Fatalf("phase = %s, want live", b.state.book.phase)
	}
}

func BenchmarkApply(b *testing.B) {
	busy := newBusyBook(b)
	b.ReportAllocs()
	for b.Loop() {
		busy.step()
	}
}

func BenchmarkApplyViewEncode(b *testing.B) {
	for _, c := range []struct {
		name   string
		depths []int
	}{{"depth20", []int{20}}, {"depth200", []int{200}}, {"all", venues.BookDepths()}} {
		b.Run(c.name, func(b *testing.B) {
			busy := newBusyBook(b, c.depths...)
			b.ReportAllocs()
			for b.Loop() {
				busy.step()
			}
		})
	}
}
