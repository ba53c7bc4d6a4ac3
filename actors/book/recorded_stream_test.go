package book

import (
	"encoding/json"
	"slices"
	"testing"

	"venuegate/venues"
	"venuegate/venues/fixturetest"
)

// streamLine is a book message of Bybit or OKX.
type streamLine struct {
	Type   string // Bybit
	Action string // OKX
	Data   json.RawMessage
}

type bybitBook struct {
	Bids wireLevels `json:"b"`
	Asks wireLevels `json:"a"`
	U    uint64
}

type okxBook struct {
	Bids, Asks wireLevels
	SeqID      uint64 `json:"seqId"`
	PrevSeqID  int64  `json:"prevSeqId"`
}

// replay feeds a machine that keeps the deepest view.
func replay(t *testing.T, input []byte, decode func(streamLine) *venues.BookUpdate) *machine {
	t.Helper()
	tape := &[]venues.BookMessage{}
	m := newMachine(false, false)
	m.state.encoder.encoder = tapeEncoder{tape}
	m.state.start(m.now)
	shown := &shownBook{tape: tape, book: newMapBook()}
	m.attach("all", venues.Topic{Kind: venues.TopicBook, Depth: DepthMax}, shown)
	for _, line := range fixturetest.Lines(input) {
		var l streamLine
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatal(err)
		}
		if len(l.Data) == 0 {
			continue
		}
		m.state.book.update(m.now, decode(l))
		m.step()
		b := &m.state.book
		if b.phase == PhaseLive && (!slices.Equal(top(shown.book.bids, +1, DepthMax), b.book.bids.top(nil, DepthMax)) ||
			!slices.Equal(top(shown.book.asks, -1, DepthMax), b.book.asks.top(nil, DepthMax))) {
			t.Fatalf("subscriber's book at %d = %v, want the levels of the book", b.seq, shown.book)
		}
	}
	if gaps := m.state.count.gaps.Load(); m.state.book.phase != PhaseLive || gaps > 0 {
		t.Errorf("%s with %d gaps, want live with none", m.state.book.phase, gaps)
	}
	t.Logf("%d messages, no gap", m.state.count.updates.Load())
	return m
}

// TestRecordedBybitBookEndsAsPublished checks that snapshot and deltas of Bybit result
// in the book that the recording's publisher computed.
func TestRecordedBybitBookEndsAsPublished(t *testing.T) {
	scale := venues.Scale{PriceDecimals: 4}
	m := replay(t, fixture(t, "bybit/ws_public_orderbook500_XRPUSDT_20241201.jsonl"), func(l streamLine) *venues.BookUpdate {
		var b bybitBook
		if err := json.Unmarshal(l.Data, &b); err != nil {
			t.Fatal(err)
		}
		u := venues.NewBookUpdate()
		u.Snapshot, u.PrevSeq, u.FirstSeq, u.LastSeq = l.Type == "snapshot", b.U-1, b.U, b.U
		u.Bids, u.Asks = b.Bids.appendTo(t, u.Bids, scale), b.Asks.appendTo(t, u.Asks, scale)
		return u
	})
	var want struct{ Bids, Asks wireLevels }
	text := fixture(t, "bybit/ws_public_orderbook500_XRPUSDT_20241201.expected_final_book.json")
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	bids, asks := want.Bids.appendTo(t, nil, scale), want.Asks.appendTo(t, nil, scale)
	b := &m.state.book.book
	if !slices.Equal(b.bids.top(nil, len(bids)), bids) || !slices.Equal(b.asks.top(nil, len(asks)), asks) {
		t.Errorf("final book = %v %v, want %v %v", b.bids.top(nil, len(bids)), b.asks.top(nil, len(asks)), bids, asks)
	}
	t.Logf("%d bids and %d asks equal", len(bids), len(asks))
}

// TestRecordedOKXBookIsAChain checks that the sequence ids of OKX are one chain.
func TestRecordedOKXBookIsAChain(t *testing.T) {
	scale := venues.Scale{PriceDecimals: 1, QtyDecimals: 8}
	replay(t, fixture(t, "okx/ws_books_btcusdt_2026_seqid_real_tickvault.jsonl"), func(l streamLine) *venues.BookUpdate {
		var b []okxBook
		if err := json.Unmarshal(l.Data, &b); err != nil {
			t.Fatal(err)
		}
		u := venues.NewBookUpdate()
		u.Snapshot, u.LastSeq = l.Action == "snapshot", b[0].SeqID
		if !u.Snapshot {
			u.PrevSeq, u.FirstSeq = uint64(b[0].PrevSeqID), uint64(b[0].PrevSeqID)+1
		}
		u.Bids, u.Asks = b[0].Bids.appendTo(t, u.Bids, scale), b[0].Asks.appendTo(t, u.Asks, scale)
		return u
	})
}
