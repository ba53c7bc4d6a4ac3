package recording_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"venuegate/venues"
	"venuegate/venues/simcore"
	"venuegate/venues/simcore/recording"
)

func write(t *testing.T, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "recording")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func zipped(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func word(line []byte) (string, bool) {
	text := strings.TrimSpace(string(line))
	return text, text != "" && text != "nonsense"
}

func TestRecordingsAreReadPlainAndZipped(t *testing.T) {
	const text = "a\nnonsense\n\nb\nc"
	whole := zipped(t, text)
	for name, c := range map[string]struct {
		content []byte
		want    []string
	}{
		"plain":   {[]byte(text), []string{"a", "b", "c"}},
		"zipped":  {whole, []string{"a", "b", "c"}},
		"cut off": {whole[:len(whole)-8], []string{"a", "b", "c"}},
		"empty":   {nil, nil},
	} {
		var got []string
		err := recording.Each(write(t, c.content), word, func(w string) bool {
			got = append(got, w)
			return true
		})
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: frames = %v, %v, want %v", name, got, err, c.want)
		}
	}
	n := 0
	if err := recording.Each(write(t, []byte(text)), word, func(string) bool { n++; return false }); err != nil || n != 1 {
		t.Errorf("%d frames after visit returned false, %v, want 1", n, err)
	}
}

func TestUnreadableRecordingsReturnErrors(t *testing.T) {
	all := func(string) bool { return true }
	if err := recording.Each(filepath.Join(t.TempDir(), "absent"), word, all); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error of an absent file = %v, want %v", err, os.ErrNotExist)
	}
	if err := recording.Each(write(t, []byte{0x1f, 0x8b, 0}), word, all); err == nil {
		t.Error("a malformed archive is read, want an error")
	}
	if err := recording.Each(write(t, bytes.Repeat([]byte("x"), 5<<20)), word, all); err == nil {
		t.Error("a line above the limit is read, want an error")
	}
	r, err := recording.Open(write(t, nil), word)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("error of an empty recording = %v, want EOF", err)
	}
}

func TestBookMirrorsChanges(t *testing.T) {
	x, err := simcore.New(simcore.Options{Quiet: true, Instruments: []simcore.Instrument{{
		Symbol: "X-SWAP", Canonical: "XUSDT", Base: "X", Quote: "USDT", StartPrice: venues.MustDecimal("100"),
		TickSize: venues.MustDecimal("0.1"), StepSize: venues.MustDecimal("0.01"), QtyMax: venues.MustDecimal("1000"),
		Brackets: []simcore.Bracket{{LeverageMax: 10, NotionalCap: venues.MustDecimal("50000"), MaintenanceRate: venues.MustDecimal("0.01")}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	b := recording.NewBook(x, "X-SWAP")
	if !b.Best(simcore.Buy).IsZero() || b.Mirror() != nil {
		t.Error("an empty book has a best price or fails to mirror, want neither")
	}
	b.Put(b.Changes(simcore.Buy, [][2]string{{"90", "1"}, {"91.1", "2"}, {"91.15", "1"}, {"92", "odd"}, {"90", "0"}}))
	b.Put(b.Changes(simcore.Sell, [][2]string{{"93", "3"}, {"92.5", "0.01"}}))
	text := func(levels []simcore.Level) (s string) {
		for _, l := range levels {
			s += l.Price.String() + "x" + l.Qty.String() + " "
		}
		return s
	}
	if bids, asks := text(b.Top(simcore.Buy, 9)), text(b.Top(simcore.Sell, 9)); bids != "91.1x2 " || asks != "92.5x0.01 93x3 " {
		t.Errorf("book = %s| %s, want 91.1x2 | 92.5x0.01 93x3", bids, asks)
	}
	if err := b.Mirror(); err != nil {
		t.Fatal(err)
	}
	view, _ := x.Book("X-SWAP", 10)
	if bids, asks := text(view.Bids), text(view.Asks); bids != "91.1x2 " || asks != "92.5x0.01 93x3 " {
		t.Errorf("book of the exchange = %s| %s, want 91.1x2 | 92.5x0.01 93x3", bids, asks)
	}
	b.Clear()
	if len(b.Side(simcore.Buy)) != 0 {
		t.Error("the book has bids after Clear, want none")
	}
	absent := recording.NewBook(x, "absent")
	absent.Put([]simcore.LevelChange{{Side: simcore.Buy, Ticks: 1, Lots: 1}, {Side: simcore.Sell, Ticks: 2, Lots: 1}})
	if absent.Mirror() == nil || absent.Start() == nil {
		t.Error("a book of a symbol that is not listed is mirrored, want an error")
	}
}

func TestParseSeconds(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0": 0, "12": 12 * time.Second, "12.5": 12*time.Second + 500*time.Millisecond, "1.0000000019": time.Second + 1,
	} {
		if at, ok := recording.ParseSeconds(text); !ok || at != want {
			t.Errorf("%q = %s, %t, want %s", text, at, ok, want)
		}
	}
	for _, text := range []string{"", "x", "-1", "1.x", "9999999999999"} {
		if at, ok := recording.ParseSeconds(text); ok {
			t.Errorf("%q = %s, want it rejected", text, at)
		}
	}
}
