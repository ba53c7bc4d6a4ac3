package notify

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"venuegate/persistence"
	"venuegate/venues"
)

func FuzzEvent(f *testing.F) {
	for _, kind := range []string{"order.filled", "position.closed", "alert.fired", "x"} {
		f.Add(kind, []byte(`{"symbol":"BTCUSDT","qty":"0.5","comment":"=1+1","condition":{"op":"above"}}`))
		f.Add(kind, []byte(`[`))
	}
	f.Fuzz(func(t *testing.T, kind string, data []byte) {
		e := persistence.Event{ID: "evt_1", Type: persistence.EventType(kind), Data: data}
		text := message(e)
		if !utf8.ValidString(text) || strings.TrimSpace(text) == "" || len([]rune(text)) > messageUnitsMax || strings.Count(text, "\n") > 12 {
			t.Errorf("%q", text)
		}
		row, err := tradeRow(e)
		if err != nil {
			return
		}
		if len(row) != len(headings) {
			t.Fatalf("%d cells", len(row))
		}
		for _, c := range row {
			if c.number && !json.Valid([]byte(strings.TrimLeft(strings.TrimPrefix(c.text, "-"), "0")+"0")) && !strings.Contains(c.text, ".") {
				t.Errorf("number %q", c.text)
			}
			if !c.number && c.text != "" && strings.ContainsAny(c.text[:1], "=+-@\t\r\n") {
				t.Errorf("text %q", c.text)
			}
		}
	})
}

func FuzzAccountKey(f *testing.F) {
	f.Add(`{"type":"service_account","client_email":"a@b","private_key":"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"}`)
	f.Fuzz(func(t *testing.T, key string) {
		if a, err := parseAccount(venues.Secret(key)); err == nil && a.email == "" {
			t.Error("an account without an address")
		}
	})
}

// FuzzBook: files that are not well formed are refused, without a panic.
func FuzzBook(f *testing.F) {
	b, err := newBook()
	if err != nil {
		f.Fatal(err)
	}
	var text bytes.Buffer
	if err := b.writeTo(&text); err != nil {
		f.Fatal(err)
	}
	f.Add(text.Bytes())
	f.Add(text.Bytes()[:len(text.Bytes())/2])
	f.Fuzz(func(_ *testing.T, data []byte) {
		if b, err := readBook(bytes.NewReader(data)); err == nil {
			b.close()
		}
	})
}

func TestFlippedBytesInABook(t *testing.T) {
	b, err := newBook()
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := b.writeTo(&text); err != nil {
		t.Fatal(err)
	}
	whole := text.Bytes()
	for at := 0; at < len(whole); at += 41 {
		flipped := bytes.Clone(whole)
		flipped[at] ^= 0x55
		if b, err := readBook(bytes.NewReader(flipped)); err == nil {
			b.close()
		}
	}
}
