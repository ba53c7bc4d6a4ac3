package stream

// item is one frame on its way to a socket. The payload is shared by every
// session that gets it and never changed.
type item struct {
	// topic is nil for what belongs to no channel: answers, control frames.
	topic   *topic
	payload []byte
	head    byte
}

// market says whether the item may be conflated.
func (i *item) market() bool { return i.topic != nil && !i.topic.private }

// sizeBytes is what the frame takes on the wire, at most.
func (i *item) sizeBytes() int { return frameHeadMax + len(i.payload) }

// same says whether two items are one and the same frame.
func (i *item) same(other *item) bool {
	if len(i.payload) != len(other.payload) || i.head != other.head {
		return false
	}
	return len(i.payload) == 0 || &i.payload[0] == &other.payload[0]
}

// queue holds what waits for one socket, in order. Market data and the rest are
// counted apart, so that neither can crowd out the other. It is owned by the
// shard.
type queue struct {
	items       []item
	marketCount int
	marketBytes int
	otherBytes  int
}

func (q *queue) len() int { return len(q.items) }

func (q *queue) bytes() int { return q.marketBytes + q.otherBytes }

func (q *queue) push(i item) {
	if i.market() {
		q.marketCount++
		q.marketBytes += i.sizeBytes()
	} else {
		q.otherBytes += i.sizeBytes()
	}
	q.items = append(q.items, i)
}

// front is how many items from the front fit into one write: at least one.
func (q *queue) front(bytesMax int) int {
	total := 0
	for i := range q.items {
		total += q.items[i].sizeBytes()
		if total > bytesMax && i > 0 {
			return i
		}
	}
	return len(q.items)
}

// pop removes n items from the front.
func (q *queue) pop(n int) {
	if n == len(q.items) {
		q.clear()
		return
	}
	for i := range q.items[:n] {
		q.forget(&q.items[i])
	}
	q.keep(append(q.items[:0], q.items[n:]...))
}

// drop removes every item of a topic and returns how many there were.
func (q *queue) drop(t *topic) int {
	kept := q.items[:0]
	for i := range q.items {
		if q.items[i].topic == t {
			q.forget(&q.items[i])
			continue
		}
		kept = append(kept, q.items[i])
	}
	dropped := len(q.items) - len(kept)
	q.keep(kept)
	return dropped
}

func (q *queue) clear() {
	q.keep(q.items[:0])
	q.marketCount, q.marketBytes, q.otherBytes = 0, 0, 0
}

// keep makes kept, a front part of the same array, the whole queue; the rest
// must not hold on to payloads.
func (q *queue) keep(kept []item) {
	clear(q.items[len(kept):])
	q.items = kept
}

func (q *queue) forget(i *item) {
	if i.market() {
		q.marketCount--
		q.marketBytes -= i.sizeBytes()
	} else {
		q.otherBytes -= i.sizeBytes()
	}
}
