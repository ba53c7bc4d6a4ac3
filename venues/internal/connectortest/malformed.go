package connectortest

import (
	"strings"
	"testing"
)

// RejectMalformed checks that decoders reject malformed messages. decoders maps a valid
// message to its decoder. Each message is changed by each replacement of changes whose
// first text occurs in it, truncated at every length, and replaced by unrelated JSON. The
// first text of each change must occur in one of the messages.
func RejectMalformed(t *testing.T, decoders map[string]func([]byte) error, changes [][2]string) {
	t.Helper()
	occurs := make(map[[2]string]bool)
	for message, decode := range decoders {
		if err := decode([]byte(message)); err != nil {
			t.Fatalf("%s: %v", message, err)
		}
		for _, change := range changes {
			changed := strings.Replace(message, change[0], change[1], 1)
			if changed == message {
				continue
			}
			occurs[change] = true
			if decode([]byte(changed)) == nil {
				t.Errorf("no error for %s", changed)
			}
		}
		for n := range message {
			if decode([]byte(message[:n])) == nil {
				t.Errorf("no error for %s", message[:n])
			}
		}
		for _, other := range []string{"null", "[]", "<html>", `"text"`, "{}", "7", "[" + message + "]", message + message} {
			if decode([]byte(other)) == nil {
				t.Errorf("no error for %s", other)
			}
		}
	}
	for _, change := range changes {
		if !occurs[change] {
			t.Errorf("%s occurs in no message", change[0])
		}
	}
}
