package payload_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"venuegate/venues/internal/payload"
)

// odd has the members in which JSON decoders differ.
type odd struct {
	Text   string            `json:"text"`
	Number int64             `json:"number"`
	Quoted int64             `json:"quoted,string"`
	Flag   *bool             `json:"flag"`
	Raw    json.RawMessage   `json:"raw"`
	List   []odd             `json:"list"`
	Fixed  [2]string         `json:"fixed"`
	Map    map[string]string `json:"map"`
}

func FuzzDecodeEqualsTheStandardLibrary(f *testing.F) {
	for _, seed := range []string{
		`{"text":"a","TEXT":"b","text":"c"}`, `{"text":null,"number":-1,"quoted":"7","flag":null}`, `{"fixed":["a"]}`,
		`{"fixed":["a","b","c"],"raw": { "x" : 1 } }`, `{"list":[{"text":"\ud800"},{}],"map":{"b":"1","a":"\u0000"}}`,
		"{\"text\":\"\xff\"}", `{"number":1.0}`, `{"number":9223372036854775808}`, `null`, `[]`, `{} {}`, `{"text":1}`, ` {"quoted":7}`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var got, want odd
		err, wanted := payload.Decode(data, &got), json.Unmarshal(data, &want)
		if (err == nil) != (wanted == nil) {
			t.Fatalf("Decode(%q): error %v, encoding/json has %v", data, err, wanted)
		}
		if err == nil && !reflect.DeepEqual(got, want) {
			t.Fatalf("Decode(%q) = %+v, want %+v", data, got, want)
		}
	})
}
