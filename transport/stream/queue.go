package stream

// item is one frame in the queue of a socket. The payload is shared by all sessions
// that receive it and is never changed.
type item struct {
	// topic is nil for frames that belong to no topic: replies, control frames.
	topic   *topic
	payload []byte
	head    byte
}

// market reports whether the item is market data, which may be conflated.
func (i *item) market() bool { return i.topic != nil && !i.topic.private }

// sizeBytes returns the maximum size of the frame on the wire.
func (i *item) sizeBytes() int { return frameHeadMax + len(i.payload) }

// same reports whether two items share the same frame.
func (i *item) same(other *item) bool {
	if len(i.payload) != len(other.payload) || i.head != other.head {
		return false
	}
	return len(i.payload) == 0 || &i.payload[0] == &other.payload[0]
}

// queue holds the frames that wait for one socket, in order. Market data and other
// frames are counted separately, so that neither can crowd out the other. It is owned
// by the shard.
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

// front returns how many items from the front fit into one write, at least one.
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
		q.subtract(&q.items[i])
	}
	q.truncate(append(q.items[:0], q.items[n:]...))
}

// drop removes every item of a topic and returns how many there were.
func (q *queue) drop(t *topic) int {
	kept := q.items[:0]
	for i := range q.items {
		if q.items[i].topic == t {
			q.subtract(&q.items[i])
			continue
		}
		kept = append(kept, q.items[i])
	}
	dropped := len(q.items) - len(kept)
	q.truncate(kept)
	return dropped
}

func (q *queue) clear() {
	q.truncate(q.items[:0])
	q.marketCount, q.marketBytes, q.otherBytes = 0, 0, 0
}

// truncate reduces the queue to kept, a prefix of the same array, and clears the rest
// so that it holds no payloads.
func (q *queue) truncate(kept []item) {
	clear(q.items[len(kept):])
	q.items = kept
}

// subtract removes an item from the counts.
func (q *queue) subtract(i *item) {
	if i.market() {
		q.marketCount--
		q.marketBytes -= i.sizeBytes()
	} else {
		q.otherBytes -= i.sizeBytes()
	}
}
