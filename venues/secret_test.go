package venues_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"venuegate/venues"
)

func TestSecretsAreNeverPrinted(t *testing.T) {
	c := venues.Credentials{APIKey: "canary", APISecret: "canary", Passphrase: "canary"}
	encoded, err := json.Marshal(c) //nolint:gosec // that it hides them is the test
	if err != nil {
		t.Fatal(err)
	}
	printed := []string{string(encoded)}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		printed = append(printed, fmt.Sprintf(verb, c), fmt.Sprintf(verb, c.APIKey))
	}
	for _, text := range printed {
		if strings.Contains(text, "canary") || strings.Contains(text, "63616e617279") {
			t.Errorf("secret printed: %s", text)
		}
	}
	if c.APIKey.Reveal() != "canary" {
		t.Errorf("Reveal = %q, want the value", c.APIKey.Reveal())
	}
}

func TestTimesAreMillisecondsInUTC(t *testing.T) {
	at := venues.At(time.Date(2026, 11, 20, 11, 19, 0, 123456789, time.FixedZone("", 7200)))
	data, err := json.Marshal([]venues.Time{at, {}})
	if err != nil || string(data) != `["2026-11-20T09:19:00.123Z",null]` {
		t.Fatalf("encoded %s, %v, want milliseconds in UTC and null", data, err)
	}
	var back []venues.Time
	if err := json.Unmarshal(data, &back); err != nil || !back[1].IsZero() || back[0].UnixMilli() != at.UnixMilli() {
		t.Fatalf("decoded %v, %v, want %v and the zero time", back, err, at)
	}
}

func TestErrorDetailsAreNotShared(t *testing.T) {
	first := venues.Errorf(venues.CodeNotFound, "no").With("a", 1)
	second := first.With("b", 2)
	if len(first.Details) != 1 || len(second.Details) != 2 {
		t.Fatalf("details %v and %v, want one and two", first.Details, second.Details)
	}
	if venues.CodeOf(fmt.Errorf("wrapped: %w", second)) != venues.CodeNotFound || venues.CodeOf(fmt.Errorf("x")) != venues.CodeInternal {
		t.Fatal("CodeOf does not find the code of a wrapped error or invents one")
	}
}
