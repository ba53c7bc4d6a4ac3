package payload_test

import (
	"encoding/json"
	"testing"

	"venuegate/venues/internal/payload"
)

func TestNumbers(t *testing.T) {
	for text, want := range map[string]string{
		`{"n":"1.50"}`: "1.5", `{"n":-7}`: "-7", `{"n":"0.00"}`: "0", `{"n":0.25}`: "0.25",
		`{"n":""}`: "", `{"n":null}`: "", `{"n":"null"}`: "", `{}`: "",
	} {
		var got struct {
			N payload.Number `json:"n"`
		}
		if err := json.Unmarshal([]byte(text), &got); err != nil || got.N.Valid != (want != "") {
			t.Errorf("%s decodes to %v, %v, want an unknown number", text, got.N, err)
		}
		if got.N.Valid && got.N.Decimal.String() != want {
			t.Errorf("%s decodes to %s, want %s", text, got.N.Decimal, want)
		}
		if positive := got.N.Positive(); positive.Valid != got.N.Decimal.IsPositive() {
			t.Errorf("Positive of %s = %v, want it only above zero", text, positive)
		}
	}
	for _, text := range []string{`"1e5"`, `1e5`, `"x"`, `true`, `[]`, `{}`, `" 1"`, `"\u0031"`, `"1""`} {
		var n payload.Number
		if err := json.Unmarshal([]byte(text), &n); err == nil {
			t.Errorf("%s decodes to %v, want an error", text, n)
		}
	}
}
