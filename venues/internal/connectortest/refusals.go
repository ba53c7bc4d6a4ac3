package connectortest

import (
	"strings"
	"testing"
)

// Refusals holds decoders, by a message that each understands, against messages
// that they must not: changed as in each change whose first text occurs in the
// message, cut short anywhere, and none of theirs at all. The first text of each
// change must occur in one of the messages.
func Refusals(t *testing.T, decoders map[string]func([]byte) error, changes [][2]string) {
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
				t.Errorf("understood %s", changed)
			}
		}
		for n := range message {
			if decode([]byte(message[:n])) == nil {
				t.Errorf("understood %s", message[:n])
			}
		}
		for _, other := range []string{"null", "[]", "<html>", `"text"`, "{}", "7", "[" + message + "]", message + message} {
			if decode([]byte(other)) == nil {
				t.Errorf("understood %s", other)
			}
		}
	}
	for _, change := range changes {
		if !occurs[change] {
			t.Errorf("%s is in no message", change[0])
		}
	}
}
