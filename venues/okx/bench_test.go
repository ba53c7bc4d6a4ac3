package okx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"venuegate/venues"
)

// usualUpdate is an update with so many levels a side.
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
				b.Fatal("refused")
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
