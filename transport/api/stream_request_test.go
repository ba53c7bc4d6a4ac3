package api_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"venuegate/transport/api"
)

func TestDecodeStreamRequest(t *testing.T) {
	for _, tt := range []struct {
		message string
		want    api.StreamRequest
	}{
		{`{"op":"ping"}`, api.StreamRequest{Op: api.OpPing}},
		{`{"op":"ping","id":-7}`, api.StreamRequest{Op: api.OpPing, ID: "-7"}},
		{`{"op":"ping","id":9223372036854775807}`, api.StreamRequest{Op: api.OpPing, ID: "9223372036854775807"}},
		{`{"id":"a\u00e9\"","op":"ping"}`, api.StreamRequest{Op: api.OpPing, ID: `"aé\""`}},
		{`{"op":"ping","id":""}`, api.StreamRequest{Op: api.OpPing, ID: `""`}},
		{`{"op":"ping","id":null,"later":{"x":[1,{}]}}`, api.StreamRequest{Op: api.OpPing}},
		{` {"op":"auth","token":"vgk_1"} `, api.StreamRequest{Op: api.OpAuth, Token: "vgk_1"}},
		{
			`{"op":"subscribe","channels":["orders","book:okx:BTC/USDT:USDT:5"],"id":1}`,
			api.StreamRequest{Op: api.OpSubscribe, ID: "1", Topics: []string{"orders", "book:okx:BTC/USDT:USDT:5"}},
		},
		{`{"op":"unsubscribe","channels":[]}`, api.StreamRequest{Op: api.OpUnsubscribe, Topics: []string{}}},
	} {
		got, err := api.DecodeStreamRequest([]byte(tt.message))
		if err != nil {
			t.Errorf("%s: error %v, want none", tt.message, err)
			continue
		}
		if got.Op != tt.want.Op || got.ID != tt.want.ID || got.Token.Reveal() != tt.want.Token.Reveal() || !slices.Equal(got.Topics, tt.want.Topics) {
			t.Errorf("%s: request = %+v, want %+v", tt.message, got, tt.want)
		}
	}
}

func TestDecodeStreamRequestRejects(t *testing.T) {
	for _, tt := range []struct{ message, want string }{
		{``, "body missing"},
		{`ping`, "body malformed"},
		{`[]`, "body wrong_type"},
		{`{}`, "op missing"},
		{`{"op":null}`, "op missing"},
		{`{"op":"Ping"}`, "op unknown_value"},
		{`{"op":"welcome"}`, "op unknown_value"},
		{`{"op":7}`, "op wrong_type"},
		{`{"OP":"ping"}`, "OP wrong_case"},
		{`{"op":"ping","op":"ping"}`, "op duplicate"},
		{`{"op":"ping"}{}`, "body malformed"},
		{"{\"op\":\"ping\",\"id\":\"\xff\"}", "body malformed"},
		{`{"op":"ping","x":` + strings.Repeat("[", 20) + strings.Repeat("]", 20) + `}`, "body too_deep"},
		{`{"op":"ping","id":1.5}`, "id wrong_type"},
		{`{"op":"ping","id":1e3}`, "id wrong_type"},
		{`{"op":"ping","id":-0}`, "id wrong_type"},
		{`{"op":"ping","id":9223372036854775808}`, "id wrong_type"},
		{`{"op":"ping","id":[]}`, "id wrong_type"},
		{`{"op":"ping","id":"` + strings.Repeat("x", 65) + `"}`, "id wrong_type"},
		{`{"op":"auth"}`, "token missing"},
		{`{"op":"auth","token":7}`, "token wrong_type"},
		{`{"op":"auth","token":"` + strings.Repeat("x", 513) + `"}`, "token too_long"},
		{`{"op":"subscribe"}`, "channels missing"},
		{`{"op":"subscribe","channels":"orders"}`, "channels wrong_type"},
		{`{"op":"subscribe","channels":["orders",7]}`, "channels wrong_type"},
		{`{"op":"subscribe","channels":["orders",null]}`, "channels wrong_type"},
		{`{"op":"subscribe","channels":["orders"`, "body malformed"},
		{`{"op":"subscribe","channels":["orders",]}`, "body malformed"},
	} {
		_, err := api.DecodeStreamRequest([]byte(tt.message))
		if err == nil {
			t.Errorf("%s was accepted, want %s", tt.message, tt.want)
			continue
		}
		if got := fieldErrors(t, err); !slices.ContainsFunc(got, func(f string) bool { return strings.HasPrefix(f, tt.want) }) {
			t.Errorf("%s: field errors = %v, want %s", tt.message, got, tt.want)
		}
	}
}

func TestRejectedStreamRequestKeepsItsID(t *testing.T) {
	r, err := api.DecodeStreamRequest([]byte(`{"id":5,"op":"dance"}`))
	if err == nil || r.ID != "5" {
		t.Fatalf("id = %q, error %v, want id 5 and an error", r.ID, err)
	}
}

func TestStreamRequestErrorHidesTheToken(t *testing.T) {
	_, err := api.DecodeStreamRequest([]byte(`{"op":"auth","token":["canary"]}`))
	if err == nil || strings.Contains(err.Error(), "canary") {
		t.Fatalf("error = %v, want one without the token", err)
	}
}

// FuzzStreamRequest checks that no message makes the decoder panic, and that it reads
// the same values as another JSON parser.
func FuzzStreamRequest(f *testing.F) {
	for _, seed := range []string{
		`{"op":"auth","token":"t"}`, `{"op":"subscribe","channels":["orders"],"id":"x"}`, `{"op":"unsubscribe","channels":[]}`,
		`{"op":"ping","id":12}`, `{"op":"ping","a":[[[]]]}`, `{`, `{"channels":[`, `{"id":-`, "\xff",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, message []byte) {
		r, err := api.DecodeStreamRequest(message)
		if err != nil {
			return
		}
		var naive struct {
			Op       string         `json:"op"`
			ID       jsontext.Value `json:"id"`
			Token    string         `json:"token"`
			Channels []string       `json:"channels"`
		}
		if err := json.Unmarshal(message, &naive); err != nil {
			t.Fatalf("%q was accepted, want the error of encoding/json: %v", message, err)
		}
		if string(r.Op) != naive.Op || r.Token.Reveal() != naive.Token || !slices.Equal(r.Topics, naive.Channels) {
			t.Fatalf("%q: request = %+v, want %+v", message, r, naive)
		}
		if reply := api.AppendPong(nil, r.ID, timestamp); !jsontext.Value(reply).IsValid() {
			t.Fatalf("%q: reply = %s, want JSON", message, reply)
		}
	})
}
