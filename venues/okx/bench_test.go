package okx

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fastjson"

	"venuegate/venues"
	"venuegate/venues/internal/connectortest"
	"venuegate/venues/internal/feed"
)

// usualUpdate returns an update with a number of levels a side.
func usualUpdate(levels int) []byte {
	rows := make([]string, levels)
	for n := range rows {
		rows[n] = fmt.Sprintf(`["%d.%d","%d.%02d","0","%d"]`, 63900+n, n%10, n*7, n%100, n+1)
	}
	side := "[" + strings.Join(rows, ",") + "]"
	return bookMessage("update", side, side, "15", "10")
}

func BenchmarkBook(b *testing.B) {
	k := btcSwap(b)
	message := usualUpdate(20)
	b.Run("scan", func(b *testing.B) {
		u := new(venues.BookUpdate)
		b.ReportAllocs()
		b.SetBytes(int64(len(message)))
		for b.Loop() {
			*u = venues.BookUpdate{Bids: u.Bids[:0], Asks: u.Asks[:0]}
			if !scanBook(message, k, u) {
				b.Fatal("the scanner rejects the message, want it decoded")
			}
		}
	})
	b.Run("parse", func(b *testing.B) {
		var parser fastjson.Parser
		u := new(venues.BookUpdate)
		b.ReportAllocs()
		b.SetBytes(int64(len(message)))
		for b.Loop() {
			*u = venues.BookUpdate{Bids: u.Bids[:0], Asks: u.Asks[:0]}
			if err := decodeBook(&parser, message, k, u); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// bookReplay returns a feed whose book of BTCUSDT has begun.
func bookReplay(t testing.TB) *feed.Replay {
	t.Helper()
	c := New(Sim("http://127.0.0.1:1", "ws://127.0.0.1:1"))
	c.instruments.Store(newInstrumentList([]*instrument{btcSwap(t)}, nil, time.Now()))
	s := feed.NewReplay(c.feedOptions(&connectortest.ReleasingRecorder{}), bookOf("BTCUSDT"))
	s.Message([]byte(snapshotOf("10")))
	return s
}

func TestBookMessagesAllocateNothing(t *testing.T) {
	if connectortest.RaceDetector {
		t.Skip("the race detector makes sync.Pool drop objects")
	}
	s, message := bookReplay(t), usualUpdate(20)
	if n := testing.AllocsPerRun(1000, func() { s.Message(message) }); n != 0 {
		t.Errorf("%v allocations per book message, want 0", n)
	}
}

// BenchmarkFeed measures a book message from the connection to the sink.
func BenchmarkFeed(b *testing.B) {
	s, message := bookReplay(b), usualUpdate(20)
	b.ReportAllocs()
	for b.Loop() {
		s.Message(message)
	}
}
