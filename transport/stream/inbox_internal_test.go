package stream

import (
	"testing"

	"venuegate/venues"
)

// An inbox takes frames up to its limits. A frame beyond is lost, which is recorded.
func TestInboxIsBounded(t *testing.T) {
	for name, c := range map[string]struct {
		size, fit int
	}{
		"bytes":  {inboxBytesMax / 4, 4},
		"frames": {0, inboxEventsMax},
	} {
		b, kept, lost := newInbox(), &topic{}, &topic{}
		for range c.fit {
			b.deliver(kept, venues.Frame{Bytes: make([]byte, c.size)})
		}
		b.deliver(lost, venues.Frame{Bytes: make([]byte, c.size)})
		events, topics := b.take(nil)
		if len(events) != c.fit || len(topics) != 1 || topics[0] != lost {
			t.Errorf("%s: %d frames fit, %d topics lost some, want %d, 1", name, len(events), len(topics), c.fit)
		}
		b.deliver(kept, venues.Frame{Bytes: make([]byte, c.size)})
		if events, topics := b.take(events); len(events) != 1 || len(topics) != 0 {
			t.Errorf("%s: %d frames after the inbox was emptied, %d topics lost some, want 1, none", name, len(events), len(topics))
		}
	}
}
