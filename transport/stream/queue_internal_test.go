package stream

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The counts of the queue agree with a plain list after any sequence of operations.
func TestQueueCountsItsItems(t *testing.T) {
	topics := []*topic{nil, {private: true}, {}, {}}
	rapid.Check(t, func(t *rapid.T) {
		var q queue
		var model []item
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				i := item{
					topic:   rapid.SampledFrom(topics).Draw(t, "topic"),
					payload: []byte(strings.Repeat("x", rapid.IntRange(0, 300).Draw(t, "size"))),
				}
				q.push(i)
				model = append(model, i)
			},
			"pop": func(t *rapid.T) {
				n := rapid.IntRange(0, len(model)).Draw(t, "n")
				q.pop(n)
				model = model[n:]
			},
			"drop": func(t *rapid.T) {
				dropTopic := rapid.SampledFrom(topics).Draw(t, "topic")
				var kept []item
				for _, i := range model {
					if i.topic != dropTopic {
						kept = append(kept, i)
					}
				}
				if dropped := q.drop(dropTopic); dropped != len(model)-len(kept) {
					t.Fatalf("dropped %d, want %d", dropped, len(model)-len(kept))
				}
				model = kept
			},
			"": func(t *rapid.T) { checkQueue(t, &q, model) },
		})
	})
}

func checkQueue(t *rapid.T, q *queue, model []item) {
	if q.len() != len(model) || !sameItems(q.items, model) {
		t.Fatalf("queue has %d items, want %d", q.len(), len(model))
	}
	marketCount, marketBytes, otherBytes := 0, 0, 0
	for i := range model {
		if model[i].topic != nil && !model[i].topic.private {
			marketCount++
			marketBytes += frameHeadMax + len(model[i].payload)
		} else {
			otherBytes += frameHeadMax + len(model[i].payload)
		}
	}
	if q.marketCount != marketCount || q.marketBytes != marketBytes || q.otherBytes != otherBytes {
		t.Fatalf("market count %d, market bytes %d, other bytes %d; want %d, %d, %d", q.marketCount, q.marketBytes, q.otherBytes, marketCount, marketBytes, otherBytes)
	}
	for _, rest := range q.items[len(q.items):cap(q.items)] {
		if rest.payload != nil || rest.topic != nil {
			t.Fatalf("removed item = %+v, want it cleared", rest)
		}
	}
}

func TestQueueFront(t *testing.T) {
	var q queue
	for range 5 {
		q.push(item{payload: make([]byte, 100-frameHeadMax)})
	}
	for most, want := range map[int]int{1: 1, 100: 1, 199: 1, 200: 2, 499: 4, 500: 5, 1000: 5} {
		if got := q.front(most); got != want {
			t.Errorf("front(%d) = %d, want %d", most, got, want)
		}
	}
}

func TestFrameHeaders(t *testing.T) {
	for size, head := range map[int]string{
		0:     "\x81\x00",
		125:   "\x81\x7d",
		126:   "\x81\x7e\x00\x7e",
		65535: "\x81\x7e\xff\xff",
		65536: "\x81\x7f\x00\x00\x00\x00\x00\x01\x00\x00",
	} {
		payload := strings.Repeat("x", size)
		if got := appendFrame([]byte("before"), headText, []byte(payload)); string(got) != "before"+head+payload {
			t.Errorf("frame of %d bytes begins with %q, want %q", size, got[:min(len(got), 20)], "before"+head)
		}
	}
	if got := closePayload(4009, strings.Repeat("x", 200)); len(got) != controlPayloadMax || got[0] != 0x0f || got[1] != 0xa9 {
		t.Errorf("close payload = %q, want code 4009 and %d bytes", got, controlPayloadMax)
	}
	if closePayload(closeNone, "") != nil {
		t.Errorf("payload of a close frame without a code = %q, want none", closePayload(closeNone, ""))
	}
}

func TestDeflateSetsTheHeader(t *testing.T) {
	sh := &shard{}
	long := item{payload: []byte(strings.Repeat("abc", 1000)), head: headText}
	if got := sh.deflate(long); got.head != headDeflated || len(got.payload) >= len(long.payload) {
		t.Errorf("head = %x, %d bytes, want %x and less than %d", got.head, len(got.payload), headDeflated, len(long.payload))
	}
	short := item{payload: []byte("abc"), head: headText}
	if got := sh.deflate(short); got.head != headText || string(got.payload) != "abc" {
		t.Errorf("head = %x, payload %q, want %x and abc", got.head, got.payload, headText)
	}
}
