package api_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"venuegate/transport/api"
)

func cursors(t testing.TB, fill byte) *api.Cursors {
	t.Helper()
	c, err := api.NewCursors(bytes.Repeat([]byte{fill}, api.CursorSecretBytesMin))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCursorOpensOnlyWithItsFilters(t *testing.T) {
	codec := cursors(t, 1)
	cursor := api.Cursor{
		At: time.Unix(1_700_000_000, 123_456_789).UTC(), ID: "ord_1",
		From: time.Unix(1_600_000_000, 0).UTC(), To: time.Unix(1_700_000_001, 0).UTC(),
	}
	text := codec.Seal(cursor, "fills", "cus_1", "BTCUSDT")
	if got, err := codec.Open(text, "fills", "cus_1", "BTCUSDT"); err != nil || got != cursor {
		t.Fatalf("cursor = %+v, error %v, want %+v", got, err, cursor)
	}
	for _, filters := range [][]string{
		nil,
		{"fills", "cus_1"},
		{"fills", "cus_2", "BTCUSDT"},
		{"orders", "cus_1", "BTCUSDT"},
		{"fills", "cus_1", "BTCUSDT", ""},
		{"fills", "cus_", "1BTCUSDT"},
		{"fillscus_1BTCUSDT"},
	} {
		_, err := codec.Open(text, filters...)
		wantFieldErrors(t, err, "cursor malformed")
	}
	_, err := cursors(t, 2).Open(text, "fills", "cus_1", "BTCUSDT")
	wantFieldErrors(t, err, "cursor malformed")
}

func TestAlteredCursorsAreRejected(t *testing.T) {
	codec := cursors(t, 1)
	good := codec.Seal(api.Cursor{ID: "a"})
	for _, text := range []string{
		"", "x", "null", good[:len(good)-1], good + "A", good + "=", good + "\n", "\n" + good, good[:9] + "\n" + good[9:],
		strings.Repeat("A", 513), strings.Repeat("A", 60), strings.ToLower(good), good + good,
	} {
		_, err := codec.Open(text)
		wantFieldErrors(t, err, "cursor malformed")
	}
	for i := range len(good) {
		altered := []byte(good)
		altered[i] ^= 1
		if _, err := codec.Open(string(altered)); err == nil {
			t.Errorf("cursor with character %d altered: no error, want one", i)
		}
	}
}

func TestShortCursorSecretIsRejected(t *testing.T) {
	if _, err := api.NewCursors(make([]byte, 31)); err == nil {
		t.Error("secret of 31 bytes: no error, want ErrCursorSecret")
	}
}

func TestCursorRoundTrip(t *testing.T) {
	codec := cursors(t, 3)
	rapid.Check(t, func(t *rapid.T) {
		instant := rapid.Custom(func(t *rapid.T) time.Time {
			n := rapid.Int64().Draw(t, "nanoseconds")
			if n == 0 {
				return time.Time{}
			}
			return time.Unix(0, n).UTC()
		})
		cursor := api.Cursor{
			At: instant.Draw(t, "at"), From: instant.Draw(t, "from"), To: instant.Draw(t, "to"),
			ID: rapid.StringN(0, 64, 128).Draw(t, "id"),
		}
		filters := rapid.SliceOf(rapid.String()).Draw(t, "filters")
		if got, err := codec.Open(codec.Seal(cursor, filters...), filters...); err != nil || got != cursor {
			t.Fatalf("cursor = %+v, error %v, want %+v", got, err, cursor)
		}
	})
}

// FuzzCursor checks that no text makes Open panic, and that only texts made by Seal
// are opened.
func FuzzCursor(f *testing.F) {
	codec := cursors(f, 1)
	f.Add(codec.Seal(api.Cursor{ID: "ord_1", At: time.Unix(1, 2)}), "a")
	f.Add("", "")
	f.Add(strings.Repeat("_", 55), "x")
	f.Fuzz(func(t *testing.T, text, filter string) {
		cursor, err := codec.Open(text, filter)
		if err != nil {
			fieldErrors(t, err)
			return
		}
		if again := codec.Seal(cursor, filter); again != text {
			t.Fatalf("opened %q, want only %q, as Seal writes it", text, again)
		}
	})
}
