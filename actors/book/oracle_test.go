package book

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	"pgregory.net/rapid"

	"venuegate/venues"
)

// mapBook is a reference book of two maps.
type mapBook struct{ bids, asks map[int64]int64 }

func newMapBook() mapBook { return mapBook{bids: map[int64]int64{}, asks: map[int64]int64{}} }

func (b mapBook) clone() mapBook { return mapBook{maps.Clone(b.bids), maps.Clone(b.asks)} }

func (b mapBook) apply(bids, asks []venues.Level) {
	set := func(side map[int64]int64, levels []venues.Level) {
		for _, l := range levels {
			if l.Qty == 0 {
				delete(side, l.Price)
			} else {
				side[l.Price] = l.Qty
			}
		}
	}
	set(b.bids, bids)
	set(b.asks, asks)
}

// top returns the first n levels of a side, best first.
func top(side map[int64]int64, sign int64, n int) []venues.Level {
	levels := make([]venues.Level, 0, len(side))
	for price, qty := range side {
		levels = append(levels, venues.Level{Price: price, Qty: qty})
	}
	slices.SortFunc(levels, func(a, b venues.Level) int { return cmp.Compare(sign*b.Price, sign*a.Price) })
	return levels[:min(n, len(levels))]
}

// tapeEncoder keeps the messages and writes their numbers as bytes.
type tapeEncoder struct{ books *[]venues.BookMessage }

func (e tapeEncoder) AppendBook(dst []byte, m *venues.BookMessage) []byte {
	kept := *m
	kept.Bids, kept.Asks = slices.Clone(m.Bids), slices.Clone(m.Asks)
	*e.books = append(*e.books, kept)
	return binary.BigEndian.AppendUint32(dst, uint32(len(*e.books)-1))
}

func (tapeEncoder) AppendTrade(dst []byte, _ *venues.TradeMessage) []byte   { return dst }
func (tapeEncoder) AppendCandle(dst []byte, _ *venues.CandleMessage) []byte { return dst }

// reader is a client that builds its book from frames by the documented rules.
type reader struct {
	t     *rapid.T
	depth int
	tape  *[]venues.BookMessage
	book  mapBook
	seq   uint64
	begun bool
	live  bool
}

// Deliver implements venues.FrameSink.
func (r *reader) Deliver(f venues.Frame) {
	m := (*r.tape)[binary.BigEndian.Uint32(f.Bytes)]
	if f.Seq != m.Seq || f.Snapshot != (m.Type == venues.MessageSnapshot) {
		r.t.Fatalf("frame = %+v, want that of the message %+v", f, m)
	}
	if r.begun && f.Seq != r.seq+1 && !(f.Snapshot && f.Seq == r.seq) {
		r.t.Fatalf("depth %d: seq = %d, want %d", r.depth, f.Seq, r.seq+1)
	}
	switch m.Type {
	case venues.MessageSnapshot:
		r.book, r.live, r.begun = newMapBook(), true, true
		r.book.apply(m.Bids, m.Asks)
	case venues.MessageDelta:
		if !r.live {
			r.t.Fatalf("depth %d: delta of a book that is not live, want a snapshot", r.depth)
		}
		if len(m.Bids)+len(m.Asks) == 0 {
			r.t.Fatalf("depth %d: empty delta, want changes", r.depth)
		}
		r.book.apply(m.Bids, m.Asks)
	case venues.MessageStale:
		if !r.live {
			r.t.Fatalf("depth %d: stale message of a stale book, want none", r.depth)
		}
		r.live = false
	default:
		r.t.Fatalf("message type = %s, want snapshot, delta or stale", m.Type)
	}
	r.seq = f.Seq
}

// market is a venue with one book, a stream that may lose, repeat and reorder
// messages, and snapshots by REST or in the stream.
type market struct {
	t         *rapid.T
	rest      bool
	restLimit int
	prices    int64 // price range of one side

	truth   mapBook
	mid     int64
	id      uint64             // of the last change
	used    map[uint64]bool    // ids
	history map[uint64]mapBook // the book at each id
	order   []uint64           // ids in the order of time
	sentSeq uint64             // LastSeq of the last message sent
	batch   venues.BookUpdate  // changes not sent yet
	first   uint64             // id of the first of them
	wire    []*venues.BookUpdate
}

func newMarket(t *rapid.T) *market {
	m := &market{
		t: t, rest: rapid.Bool().Draw(t, "rest"),
		truth: newMapBook(), mid: 1000, used: map[uint64]bool{}, history: map[uint64]mapBook{},
	}
	m.restLimit, m.prices = 1000, 30
	if rapid.IntRange(0, 9).Draw(t, "deep") == 0 {
		m.restLimit, m.prices = DepthMax+10, DepthMax+100
		for i := range m.prices {
			m.truth.bids[m.mid-1-i], m.truth.asks[m.mid+1+i] = 1, 1
		}
	}
	m.id = 100
	m.remember()
	m.sentSeq = m.id
	return m
}

func (m *market) remember() {
	m.used[m.id] = true
	m.history[m.id] = m.truth.clone()
	m.order = append(m.order, m.id)
}

// change makes one change of the book with a new id.
func (m *market) change() {
	t := m.t
	for m.id++; m.used[m.id]; m.id++ {
	}
	if len(m.batch.Bids)+len(m.batch.Asks) == 0 {
		m.first = m.id
	}
	if rapid.IntRange(0, 9).Draw(t, "move") == 0 {
		m.mid += rapid.Int64Range(-5, 5).Draw(t, "by")
		for _, l := range top(m.truth.bids, +1, len(m.truth.bids)) {
			if l.Price >= m.mid {
				m.set(+1, l.Price, 0)
			}
		}
		for _, l := range top(m.truth.asks, -1, len(m.truth.asks)) {
			if l.Price <= m.mid {
				m.set(-1, l.Price, 0)
			}
		}
	}
	for range rapid.IntRange(1, 4).Draw(t, "levels") {
		sign := int64(1 - 2*rapid.IntRange(0, 1).Draw(t, "side"))
		away := rapid.Int64Range(1, m.prices).Draw(t, "away")
		m.set(sign, m.mid-sign*away, rapid.Int64Range(0, 3).Draw(t, "qty"))
	}
	m.remember()
}

func (m *market) set(sign, price, qty int64) {
	level := []venues.Level{{Price: price, Qty: qty}}
	if sign > 0 {
		m.truth.apply(level, nil)
		m.batch.Bids = append(m.batch.Bids, level...)
	} else {
		m.truth.apply(nil, level)
		m.batch.Asks = append(m.batch.Asks, level...)
	}
}

// send sends the changes since the last message.
func (m *market) send() {
	u := venues.NewBookUpdate()
	u.PrevSeq, u.FirstSeq, u.LastSeq = m.sentSeq, m.first, m.id
	if len(m.batch.Bids)+len(m.batch.Asks) == 0 {
		u.FirstSeq = m.id // a heartbeat
	}
	u.Bids, u.Asks = append(u.Bids, m.batch.Bids...), append(u.Asks, m.batch.Asks...)
	m.batch = venues.BookUpdate{}
	m.sentSeq = m.id
	m.wire = append(m.wire, u)
}

// renumber makes the next ids lower than the last, as a venue does after maintenance; no
// id is used twice.
func (m *market) renumber() {
	if !m.rest && m.id > 60 {
		m.send()
		m.id -= 50
		m.change()
	}
}

// snapshot returns the book as it was some changes ago.
func (m *market) snapshot(ago int) *venues.BookUpdate {
	id := m.order[max(0, len(m.order)-1-ago)]
	u := venues.NewBookUpdate()
	u.Snapshot, u.LastSeq = true, id
	u.Bids = append(u.Bids, top(m.history[id].bids, +1, m.restLimit)...)
	u.Asks = append(u.Asks, top(m.history[id].asks, -1, m.restLimit)...)
	return u
}

// sendSnapshot sends a snapshot in the stream.
func (m *market) sendSnapshot() {
	m.send()
	full := *m
	full.restLimit = len(m.truth.bids) + len(m.truth.asks)
	m.wire = append(m.wire, full.snapshot(0))
}
