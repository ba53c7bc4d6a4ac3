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
			t.Errorf("message = %q, want valid UTF-8 of 1 to %d characters in at most 13 lines", text, messageUnitsMax)
		}
		row, err := tradeRow(e)
		if err != nil {
			return
		}
		if len(row) != len(headings) {
			t.Fatalf("cells = %d, want %d", len(row), len(headings))
		}
		for _, c := range row {
			if c.number && !json.Valid([]byte(strings.TrimLeft(strings.TrimPrefix(c.text, "-"), "0")+"0")) && !strings.Contains(c.text, ".") {
				t.Errorf("number cell = %q, want a decimal", c.text)
			}
			if !c.number && c.text != "" && !plainDecimal.MatchString(c.text) && strings.ContainsAny(c.text[:1], "=+-@\t\r\n") {
				t.Errorf("text cell = %q, want one that is no formula", c.text)
			}
		}
	})
}

func FuzzAccountKey(f *testing.F) {
	f.Add(`{"type":"service_account","client_email":"a@b","private_key":"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"}`)
	f.Fuzz(func(t *testing.T, key string) {
		if a, err := parseAccount(venues.Secret(key)); err == nil && a.email == "" {
			t.Errorf("parseAccount(%q) has no address, want an error", key)
		}
	})
}

// FuzzXLSX checks that malformed files lead to no panic.
func FuzzXLSX(f *testing.F) {
	x, err := newXLSX()
	if err != nil {
		f.Fatal(err)
	}
	var text bytes.Buffer
	if err := x.file.Write(&text); err != nil {
		f.Fatal(err)
	}
	f.Add(text.Bytes())
	f.Add(text.Bytes()[:len(text.Bytes())/2])
	f.Fuzz(func(_ *testing.T, data []byte) {
		if x, err := readXLSX(bytes.NewReader(data)); err == nil {
			x.close()
		}
	})
}

func TestFlippedBytesDoNotPanic(t *testing.T) {
	x, err := newXLSX()
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := x.file.Write(&text); err != nil {
		t.Fatal(err)
	}
	whole := text.Bytes()
	for at := 0; at < len(whole); at += 41 {
		flipped := bytes.Clone(whole)
		flipped[at] ^= 0x55
		if x, err := readXLSX(bytes.NewReader(flipped)); err == nil {
			x.close()
		}
	}
}
