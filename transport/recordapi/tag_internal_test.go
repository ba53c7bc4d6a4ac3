package recordapi

import (
	"bytes"
	"testing"
)

func TestHasTag(t *testing.T) {
	const tag = `"a"`
	for header, want := range map[string]bool{
		"": false, `"a"`: true, `"b"`: false, `"b", "a"`: true, `W/"a"`: true, `"b" , W/"a"`: true, "*": true, `a`: false, `"aa"`: false,
	} {
		if got := hasTag(header, tag); got != want {
			t.Errorf("hasTag(%s) = %t, want %t", header, got, want)
		}
	}
}

func TestTagsDiffer(t *testing.T) {
	if a, b := tagOf([]byte("{}")), tagOf([]byte("{} ")); a == b || len(a) != 24 {
		t.Errorf("tags = %s and %s, want different ones of 22 characters in quotes", a, b)
	}
}

// A page of 1000 journal rows has about 300 KB.
func BenchmarkTag(b *testing.B) {
	body := bytes.Repeat([]byte("x"), 300<<10)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		tagOf(body)
	}
}
