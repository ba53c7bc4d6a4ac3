package okx

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fastjson"

	"venuegate/venues"
	"venuegate/venues/fixturetest"
	"venuegate/venues/internal/connectortest"
)

func bookMessage(action, asks, bids, seq, previous string) []byte {
	return fmt.Appendf(nil, `{"arg":{"channel":"books","instId":"BTC-USDT-SWAP"},"action":"%s","data":[{"asks":%s,"bids":%s,"ts":"1787612486307","checksum":0,"seqId":%s,"prevSeqId":%s}]}`,
		action, asks, bids, seq, previous)
}

// decodeTwice decodes a message both ways and checks that the results are equal.
func decodeTwice(t testing.TB, message []byte, k *instrument) (*venues.BookUpdate, error) {
	t.Helper()
	u, _, err := connectortest.BookDecoders{
		Scan:  func(m []byte, u *venues.BookUpdate) bool { return scanBook(m, k, u) },
		Parse: func(m []byte, u *venues.BookUpdate) error { return decodeBook(new(fastjson.Parser), m, k, u) },
	}.Read(t, message)
	return u, err
}

func TestBookQuantitiesAreBaseCoin(t *testing.T) {
	k := btcSwap(t)
	message := bookMessage("update", `[["63921.5","790.41","0","42"]]`, `[["63921","0","0","0"]]`, "15", "10")
	if !scanBook(message, k, new(venues.BookUpdate)) {
		t.Fatal("the scanner rejects the venue's usual form, want it decoded")
	}
	u, err := decodeTwice(t, message, k)
	if err != nil {
		t.Fatal(err)
	}
	if u.Snapshot || u.PrevSeq != 10 || u.LastSeq != 15 || u.VenueTime.UnixMilli() != 1787612486307 {
		t.Errorf("u = %+v, want an update with prevSeqId 10, seqId 15 and ts 1787612486307", u)
	}
	if got := k.scale.Qty(u.Asks[0].Qty); got.String() != "7.9041" || u.Asks[0].Price != 639215 {
		t.Errorf("790.41 contracts are %s BTC at %d, want 7.9041 BTC at 639215", got, u.Asks[0].Price)
	}
	if u.Bids[0] != (venues.Level{Price: 639210}) {
		t.Errorf("u.Bids = %+v, want the level 639210 without quantity", u.Bids)
	}
}

// The example of the document: (-1,10) (10,15) (15,15) (15,3) (3,5).
func TestBookSequences(t *testing.T) {
	k := btcSwap(t)
	chain := uint64(0)
	for n, step := range [][2]string{{"-1", "10"}, {"10", "15"}, {"15", "15"}, {"15", "3"}, {"3", "5"}} {
		action := "update"
		if n == 0 {
			action = "snapshot"
		}
		u, err := decodeTwice(t, bookMessage(action, "[]", "[]", step[1], step[0]), k)
		if err != nil {
			t.Fatalf("step %d: %v, want no error", n, err)
		}
		if u.Snapshot != (n == 0) || !u.Snapshot && u.PrevSeq != chain {
			t.Errorf("step %d: %+v, want an update after %d", n, u, chain)
		}
		chain = u.LastSeq
	}
	bare := bytes.Replace(bookMessage("snapshot", "[]", "[]", "10", "7"), []byte(`,"prevSeqId":7`), nil, 1)
	if u, err := decodeTwice(t, bare, k); err != nil || !u.Snapshot || u.LastSeq != 10 {
		t.Errorf("snapshot without prevSeqId: %+v, error %v, want a snapshot with seqId 10", u, err)
	}
}

func TestInvalidBookMessages(t *testing.T) {
	k := btcSwap(t)
	decode := func(message []byte) error {
		_, err := decodeTwice(t, message, k)
		return err
	}
	good := string(bookMessage("update", `[["1.5","1","0","1"]]`, `[]`, "15", "10"))
	connectortest.RejectMalformed(t, map[string]func([]byte) error{good: decode}, [][2]string{
		{"BTC-USDT-SWAP", "ETH-USDT-SWAP"},
		{`"books"`, `"books5"`},
		{`"update"`, `"merge"`},
		{`"1.5"`, `"1.55"`},
		{`"1","0"`, `"0.001","0"`},
		{`"1.5"`, `"0"`},
		{`"1.5"`, `"-1.5"`},
		{`"1","0"`, `"-1","0"`},
		{`"1.5"`, `"1e5"`},
		{`"1.5"`, `1.5`},
		{`["1.5","1","0","1"]`, `["1.5"]`},
		{`"1","0"`, `"999999999999999999","0"`},
		{`"seqId":15,`, ``},
		{`,"prevSeqId":10`, ``},
		{`"prevSeqId":10`, `"prevSeqId":-1`},
		{`"seqId":15`, `"seqId":-15`},
		{`"seqId":15`, `"seqId":1.5`},
		{`"ts":"1787612486307"`, `"ts":""`},
		{`"ts":"1787612486307"`, `"ts":1787612486307`},
		{`"asks":[["1.5","1","0","1"]],`, ``},
		{`"bids":[]`, `"bids":{}`},
		{`"data":[{`, `"date":[{`},
		{`"prevSeqId":10}]}`, `"prevSeqId":10}]`},
		{`"arg"`, `"org"`},
	})
}

func TestBookInUnusualForms(t *testing.T) {
	k := btcSwap(t)
	good := string(bookMessage("update", `[["1.5","1","0","1"]]`, `[]`, "15", "10"))
	for name, change := range map[string][2]string{
		"white space":     {`"asks":[`, `"asks" : [ `},
		"unknown field":   {`"checksum":0`, `"checksum":0,"extra":{"a":[1]}`},
		"no checksum":     {`"checksum":0,`, ``},
		"old checksum":    {`"checksum":0`, `"checksum":-1197821412`},
		"padded":          {`"1.5","1"`, `"1.500","1.0000"`},
		"further columns": {`"0","1"]`, `"0","1","x"]`},
	} {
		message := strings.Replace(good, change[0], change[1], 1)
		u, err := decodeTwice(t, []byte(message), k)
		if err != nil || len(u.Asks) != 1 || u.Asks[0] != (venues.Level{Price: 15, Qty: 100}) {
			t.Errorf("%s: u = %+v, err = %v, want one ask of 100 at 15", name, u, err)
		}
	}
}

func TestBookScanAllocatesNothing(t *testing.T) {
	if connectortest.RaceDetector {
		t.Skip("the race detector allocates")
	}
	k := btcSwap(t)
	message := bookMessage("update", `[["63921.5","790.41","0","42"],["63921.8","0.32","0","1"]]`, `[["63921","12","0","3"]]`, "15", "10")
	u := venues.NewBookUpdate()
	allocs := testing.AllocsPerRun(200, func() {
		*u = venues.BookUpdate{Bids: u.Bids[:0], Asks: u.Asks[:0]}
		if !scanBook(message, k, u) {
			t.Fatal("the scanner rejects the message, want it decoded")
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations, want 0", allocs)
	}
}

// The newest recording has one snapshot and six consecutive updates.
func TestRecordedSequence(t *testing.T) {
	k := instrumentOf(t, "BTC-USDT", "1", "0.1", "0.00000001")
	book := newTestBook()
	last, updates := uint64(0), 0
	for _, line := range fixturetest.Lines(fixture(t, "ws_books_btcusdt_2026_seqid_real_tickvault.jsonl")) {
		if !bytes.Contains(line, []byte(`"action"`)) {
			continue
		}
		if !scanBook(line, k, new(venues.BookUpdate)) {
			t.Fatalf("the scanner rejects a recorded message: %.200s, want it decoded", line)
		}
		u, err := decodeTwice(t, line, k)
		if err != nil {
			t.Fatal(err)
		}
		if u.Snapshot != (updates == 0) || !u.Snapshot && u.PrevSeq != last {
			t.Fatalf("update %d: %d follows %d, want %d", updates, u.LastSeq, u.PrevSeq, last)
		}
		last = u.LastSeq
		book.apply(u)
		updates++
		if len(book.bids) != 400 || len(book.asks) != 400 {
			t.Errorf("after update %d: %d bids, %d asks, want 400 each", updates, len(book.bids), len(book.asks))
		}
	}
	if updates != 7 {
		t.Errorf("%d messages, want 7", updates)
	}
	for _, line := range fixturetest.Lines(fixture(t, "ws_books_truncated_2025_real_roq.jsonl")) {
		if _, err := decodeTwice(t, line, instrumentOf(t, "NEAR-USDT", "1", "0.001", "0.00000001")); err != nil {
			t.Error(err)
		}
	}
}

// testBook applies updates in the simplest way.
type testBook struct{ bids, asks map[int64]int64 }

func newTestBook() *testBook {
	return &testBook{bids: make(map[int64]int64), asks: make(map[int64]int64)}
}

func (b *testBook) apply(u *venues.BookUpdate) {
	if u.Snapshot {
		clear(b.bids)
		clear(b.asks)
	}
	for side, levels := range map[*map[int64]int64][]venues.Level{&b.bids: u.Bids, &b.asks: u.Asks} {
		for _, l := range levels {
			if l.Qty == 0 {
				delete(*side, l.Price)
			} else {
				(*side)[l.Price] = l.Qty
			}
		}
	}
}

// checksum returns the venue's former checksum: CRC-32 over the best 25 levels, bid and
// ask in turn, in contracts.
func (b *testBook) checksum(k *instrument) int32 {
	bids, asks := slices.Sorted(maps.Keys(b.bids)), slices.Sorted(maps.Keys(b.asks))
	slices.Reverse(bids)
	var parts []string
	put := func(price, qty int64) {
		parts = append(parts, k.scale.Price(price).String(), k.scale.Qty(qty).Div(k.ContractSize).String())
	}
	for n := range 25 {
		if n < len(bids) {
			put(bids[n], b.bids[bids[n]])
		}
		if n < len(asks) {
			put(asks[n], b.asks[asks[n]])
		}
	}
	return int32(crc32.ChecksumIEEE([]byte(strings.Join(parts, ":"))))
}

// The recording of 2022 has checksums and no sequence numbers: the books made from the
// decoded updates must reproduce every checksum.
func TestRecordedChecksums(t *testing.T) {
	instruments := map[string]*instrument{
		"BTC-USD-220527": instrumentOf(t, "BTC-USD-220527", "100", "0.1", "1"),
		"UNI-USD-SWAP":   instrumentOf(t, "UNI-USD-SWAP", "10", "0.001", "1"),
		"BTC-USDT":       instrumentOf(t, "BTC-USDT", "1", "0.1", "0.00000001"),
	}
	books := make(map[string]*testBook)
	matched, trades := 0, 0
	for _, line := range fixturetest.Lines(fixture(t, "ws_public_recording_2022_books_trades_tickers.jsonl")) {
		var recorded struct {
			Msg json.RawMessage `json:"msg"`
		}
		if err := json.Unmarshal(line, &recorded); err != nil {
			t.Fatal(err)
		}
		var push struct {
			Arg  topicArg `json:"arg"`
			Data []struct {
				Checksum int32 `json:"checksum"`
			} `json:"data"`
		}
		if err := json.Unmarshal(recorded.Msg, &push); err != nil {
			t.Fatal(err)
		}
		k := instruments[push.Arg.InstID]
		switch {
		case len(push.Data) == 0:
		case push.Arg.Channel == channelTrades:
			var parser fastjson.Parser
			some, ids, err := decodeTrades(&parser, recorded.Msg, k)
			if err != nil || len(some) != len(ids) {
				t.Fatal(err)
			}
			trades += len(some)
		case push.Arg.Channel == channelBooks:
			message := bytes.Replace(recorded.Msg, []byte(`"checksum":`), []byte(`"seqId":2,"prevSeqId":1,"checksum":`), 1)
			if !scanBook(message, k, new(venues.BookUpdate)) {
				t.Fatalf("the scanner rejects a recorded message: %.300s, want it decoded", message)
			}
			u, err := decodeTwice(t, message, k)
			if err != nil {
				t.Fatal(err)
			}
			book := books[push.Arg.InstID]
			if book == nil {
				book = newTestBook()
				books[push.Arg.InstID] = book
			}
			book.apply(u)
			if got := book.checksum(k); got != push.Data[0].Checksum {
				t.Fatalf("checksum %d of %s, want %d after %d matches", got, push.Arg.InstID, push.Data[0].Checksum, matched)
			}
			matched++
		}
	}
	if matched != 290 || trades < 74 {
		t.Errorf("%d checksums, %d trades, want 290 checksums and at least 74 trades", matched, trades)
	}
}

func TestRESTBook(t *testing.T) {
	k := btcSwap(t)
	record := bookRecord{
		Asks: [][]string{{"63921.5", "790.41", "0", "42"}}, Bids: [][]string{{"63921.4", "1", "0", "1"}},
		TS: milliTime{time.UnixMilli(1)}, SeqID: new(int64(5)),
	}
	u, err := record.update(k, time.Now())
	if err != nil || !u.Snapshot || u.LastSeq != 5 || u.Asks[0].Qty != 79041 || u.Bids[0].Qty != 100 {
		t.Fatalf("u = %+v, err = %v, want a snapshot with seqId 5, 79041 on the ask and 100 on the bid", u, err)
	}
	u.Release()
	for name, spoil := range map[string]func(*bookRecord){
		"negative number": func(r *bookRecord) { r.SeqID = new(int64(-1)) },
		"no number":       func(r *bookRecord) { r.SeqID = nil },
		"no asks":         func(r *bookRecord) { r.Asks = nil },
		"short level":     func(r *bookRecord) { r.Asks = [][]string{{"1"}} },
		"price zero":      func(r *bookRecord) { r.Bids = [][]string{{"0", "1"}} },
		"price no number": func(r *bookRecord) { r.Bids = [][]string{{"x", "1"}} },
	} {
		bad := record
		spoil(&bad)
		if u, err := bad.update(k, time.Now()); err == nil {
			t.Errorf("%s: u = %+v, want an error", name, u)
		}
	}
}

func FuzzBook(f *testing.F) {
	f.Add(bookMessage("snapshot", `[["63921.5","790.41","0","42"]]`, `[]`, "10", "-1"))
	f.Add(bookMessage("update", `[]`, `[["63921","0","0","0"]]`, "15", "10"))
	f.Add(bookMessage("update", `[]`, `[]`, "3", "15"))
	f.Add([]byte(`{"arg":{"channel":"books","instId":"BTC-USDT-SWAP"},"data":[]}`))
	f.Fuzz(func(t *testing.T, message []byte) {
		u, err := decodeTwice(t, message, btcSwap(t))
		if err != nil {
			return
		}
		for _, l := range append(slices.Clone(u.Bids), u.Asks...) {
			if l.Price <= 0 || l.Qty < 0 {
				t.Fatalf("level %+v of %s, want a positive price and no negative quantity", l, message)
			}
		}
	})
}
