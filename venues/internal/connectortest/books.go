package connectortest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"venuegate/venues"
)

// ReleasingRecorder is a Recorder that releases book updates immediately.
type ReleasingRecorder struct{ Recorder }

// Book releases an update.
func (*ReleasingRecorder) Book(u *venues.BookUpdate) { u.Release() }

// BookDecoders are the two ways to decode a message about a book: a scanner, which may
// give up, and a complete parser.
type BookDecoders struct {
	Scan  func(message []byte, into *venues.BookUpdate) bool
	Parse func(message []byte, into *venues.BookUpdate) error
}

// failer is what tests of rapid and of the standard library have in common.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// Read decodes a message both ways. The parser must accept what the scanner accepts, with
// an equal result.
func (d BookDecoders) Read(t failer, message []byte) (u *venues.BookUpdate, scanned bool, err error) {
	t.Helper()
	fast, slow := new(venues.BookUpdate), new(venues.BookUpdate)
	scanned = d.Scan(message, fast)
	err = d.Parse(message, slow)
	if !scanned {
		return slow, false, err
	}
	if err != nil {
		t.Fatalf("the scanner accepts what the parser rejects (%v): %.300s", err, message)
	}
	SameBook(t, fast, slow)
	return fast, true, nil
}

// SameBook fails the test unless two updates are equal.
func SameBook(t failer, a, b *venues.BookUpdate) {
	t.Helper()
	if a.Snapshot != b.Snapshot || a.FirstSeq != b.FirstSeq || a.LastSeq != b.LastSeq || a.PrevSeq != b.PrevSeq || !a.VenueTime.Equal(b.VenueTime) ||
		!slices.Equal(a.Bids, b.Bids) || !slices.Equal(a.Asks, b.Asks) {
		t.Fatalf("book = %+v, want %+v", a, b)
	}
}

// BookRoundTrip decodes books of any levels and scale: the fixed-point numbers of a book
// must not change when they are printed and decoded, and the scanner must not give up.
// want is the rest of the message's content.
func BookRoundTrip(t *testing.T, want venues.BookUpdate, message func(bids, asks string) string, decoders func(venues.Scale) BookDecoders) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) {
		scale := venues.Scale{PriceDecimals: rapid.IntRange(0, 8).Draw(t, "price"), QtyDecimals: rapid.IntRange(0, 8).Draw(t, "qty")}
		level := rapid.Custom(func(t *rapid.T) venues.Level {
			return venues.Level{Price: rapid.Int64Range(1, 1e17).Draw(t, "p"), Qty: rapid.Int64Range(0, 1e17).Draw(t, "q")}
		})
		want := want
		want.Bids, want.Asks = rapid.SliceOf(level).Draw(t, "bids"), rapid.SliceOf(level).Draw(t, "asks")
		text := message(levelTexts(t, want.Bids, scale), levelTexts(t, want.Asks, scale))
		got, scanned, err := decoders(scale).Read(t, []byte(text))
		if err != nil || !scanned {
			t.Fatalf("%s: scanned %v, %v", text, scanned, err)
		}
		SameBook(t, got, &want)
	})
}

// levelTexts prints levels with random trailing zeros.
func levelTexts(t *rapid.T, levels []venues.Level, scale venues.Scale) string {
	rows := make([]string, len(levels))
	for n, l := range levels {
		padding := int32(rapid.IntRange(0, 3).Draw(t, "zeros"))
		rows[n] = fmt.Sprintf(`[%q,%q]`,
			scale.Price(l.Price).StringFixed(int32(scale.PriceDecimals)+padding), scale.Qty(l.Qty).StringFixed(int32(scale.QtyDecimals)+padding))
	}
	return "[" + strings.Join(rows, ",") + "]"
}
