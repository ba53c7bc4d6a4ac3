package api

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// A plain body has the fields, values and hash that the decoder finds in it.
func FuzzParsePlain(f *testing.F) {
	for _, text := range []string{
		`{"exchange":"okx","symbol":"BTC/USDT:USDT","side":"buy","qty":"0.5","reduceOnly":false,"price":null}`,
		" {\t\"side\" :\r\n\"~ <&>\" , \"postOnly\" : true }\n", `{"side":""}`,
		`{"side":"buy","side":"buy"}`, `{"side":"a\"b"}`, `{"side":"é"}`, "{\"side\":\"\x7f\"}", `{"qty":1}`, `{"qty":truex}`, `{"qty":["1"]}`,
		`{"other":"1"}`, `{"side":"buy"}x`, `{"side":"buy",}`, `{"side":"buy`, `{"side"}`, `{side:"buy"}`, `{"side":}`, `{`, `{}`, `""`, ``, "\v{\"side\":\"buy\"}",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		names := placeOrderFields.names
		fields := parsePlain(text, names)
		if fields == nil {
			return
		}
		var want map[string]any
		if err := json.Unmarshal([]byte(text), &want); err != nil || len(want) != len(fields) {
			t.Fatalf("parsePlain(%q) = %v, want %v, error %v", text, fields, want, err)
		}
		for _, p := range fields {
			got := map[string]any{"true": true, "false": false, "null": nil}[p.raw]
			if p.kind() == jsontext.KindString {
				got = p.text()
			}
			if value, given := want[names[p.field]]; !given || got != value {
				t.Errorf("parsePlain(%q): %s = %v, want %v", text, names[p.field], got, value)
			}
		}
		hash, err := BodyHash([]byte(text))
		if got := hashPlain(fields, names); err != nil || !bytes.Equal(got, hash) {
			t.Errorf("hashPlain(%q) = %x, want %x, error %v", text, got, hash, err)
		}
	})
}

// What most clients send is plain: the cost of an order depends on it.
func TestUsualBodiesArePlain(t *testing.T) {
	for text, plain := range map[string]bool{
		`{"exchange":"okx","symbol":"BTCUSDT","side":"buy","type":"market","qty":"0.5","requestId":"r-1","comment":"a b"}`: true,
		"{\n  \"exchange\": \"okx\",\n  \"reduceOnly\": true,\n  \"postOnly\": false,\n  \"price\": null\n}\n":             true,
		`{"exchange":"okx","exchange":"okx"}`: false,
		`{"exchange":"okx","other":"1"}`:      false,
		`{"exchange":"ok\u0078"}`:             false,
		`{"qty":1}`:                           false,
	} {
		if got := parsePlain(text, placeOrderFields.names) != nil; got != plain {
			t.Errorf("plain(%s) = %v, want %v", text, got, plain)
		}
	}
}
