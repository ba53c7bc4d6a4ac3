package stream

import (
	"go.uber.org/zap"

	"venuegate/transport/api"
)

// The methods in this file are the writing side of a session. They run on the
// goroutine of its shard, which alone owns the state in outgoing.

// outgoing is the part of a session that the shard owns.
type outgoing struct {
	queue       queue
	subscribers map[*topic]*subscriber
	// lagging lists subscribers that lag; each at most once.
	lagging []*subscriber
	// dirty says that the session stands in the shard's list of sessions to
	// flush; writing, that a background write is under way.
	dirty   bool
	writing bool
	// condemned: to be closed with 4009 after this event. ending: how the
	// connection ends is decided, and the last frame queued. detached: the
	// session is gone and its connection must not be touched.
	condemned bool
	ending    bool
	detached  bool
	// toldBytes is what was last added to the gauge of queued bytes.
	toldBytes int64
}

// fate says what becomes of frames that are queued when a connection ends.
type fate bool

const (
	flushQueued   fate = false
	discardQueued fate = true
)

// full says whether there is no place for an item. Only a socket that is behind
// can be full: the others are written before the next round.
func (s *session) full(it *item) bool {
	if !s.writing || s.queue.len() == 0 {
		return false
	}
	o := s.shard.options
	if it.market() {
		return s.queue.marketBytes+it.sizeBytes() > o.MarketQueueBytesMax || s.queue.marketCount >= o.MarketQueueFramesMax
	}
	return s.queue.otherBytes+it.sizeBytes() > o.QueueBytesMax
}

// push queues an item; it goes out at the end of the round.
func (s *session) push(it item) {
	if s.ending || s.detached {
		return
	}
	s.queue.push(it)
	s.touch()
	if !s.writing && s.queue.len() >= roundFramesMax {
		s.shard.ripe = true
	}
}

// touch has the session looked at in the end of the round.
func (s *session) touch() {
	if !s.dirty {
		s.dirty = true
		s.shard.dirty = append(s.shard.dirty, s)
	}
}

// answer queues what belongs to no channel.
func (s *session) answer(head byte, payload []byte) {
	it := item{payload: payload, head: head}
	if s.full(&it) {
		s.condemn()
		return
	}
	s.push(it)
}

// condemn has the connection closed with 4009 at the end of the round: there is
// no place for something that may not be dropped.
func (s *session) condemn() {
	if !s.condemned {
		s.condemned = true
		s.touch()
	}
}

// attach begins the writing.
func (s *session) attach() {
	s.shard.sessions[s] = struct{}{}
	s.answer(headText, api.AppendWelcome(nil, s.id, s.opened))
}

// join makes the session a subscriber of topics, after the acknowledgement.
func (s *session) join(topics []*topic, acknowledgement []byte) {
	s.answer(headText, acknowledgement)
	if s.ending || s.detached {
		return
	}
	for _, t := range topics {
		s.subscribers[t] = t.add(s)
	}
	s.shard.counters.subscriptions.Add(int64(len(topics)))
}

// part ends subscriptions and acknowledges it.
func (s *session) part(topics []*topic, acknowledgement []byte) {
	for _, t := range topics {
		s.unsubscribe(t)
	}
	s.answer(headText, acknowledgement)
}

func (s *session) unsubscribe(t *topic) {
	sub, ok := s.subscribers[t]
	if !ok {
		return
	}
	t.remove(sub)
	delete(s.subscribers, t)
	for i, lagging := range s.lagging {
		if lagging == sub {
			s.lagging = append(s.lagging[:i], s.lagging[i+1:]...)
			break
		}
	}
	s.shard.counters.subscriptions.Add(-1)
}

// end decides how the connection ends: no channel sends any more, and a close
// frame is the last that goes out. Code zero stands for a close frame without
// content. Only the first end counts.
func (s *session) end(code int, reason string, queued fate) {
	if s.ending || s.detached {
		return
	}
	s.leaveTopics()
	if queued == discardQueued {
		s.queue.clear()
	}
	s.push(item{payload: closePayload(code, reason), head: headClose})
	s.finish(code)
	if s.writing {
		s.socket.hurry(closeFlushMax)
	}
}

// abort ends the connection when nothing can be written to it any more.
func (s *session) abort(cause error) {
	s.writing = false
	s.queue.clear()
	s.tellQueued()
	if !s.ending {
		code := closeAbnormal
		if isStall(cause) {
			code = int(api.StreamSlowConsumer)
		}
		s.leaveTopics()
		s.finish(code)
	}
	s.settleFlushed()
}

func (s *session) finish(code int) {
	s.ending = true
	s.shard.counters.closed(code)
	s.stopReading()
}

func (s *session) leaveTopics() {
	for t := range s.subscribers {
		s.unsubscribe(t)
	}
}

// detach lets go of the connection for good.
func (s *session) detach() {
	defer close(s.gone)
	delete(s.shard.sessions, s)
	if !s.ending {
		s.leaveTopics()
		s.finish(closeAbnormal)
	}
	s.queue.clear()
	s.detached = true
	s.tellQueued()
}

// flush writes what is queued, as far as the socket takes it.
func (s *session) flush() {
	s.dirty = false
	if s.detached {
		return
	}
	if s.condemned {
		s.end(int(api.StreamSlowConsumer), api.StreamSlowConsumer.String(), discardQueued)
	}
	for !s.writing && s.queue.len() > 0 {
		if err := s.write(); err != nil {
			s.abort(err)
			return
		}
	}
	s.tellQueued()
	switch idle := !s.writing && s.queue.len() == 0; {
	case idle && s.ending:
		s.settleFlushed()
	case idle:
		s.catchUp()
	}
}

// write makes one write of what is queued first.
func (s *session) write() error {
	n := s.queue.front(writeBytesMax)
	batch := s.shard.concatenate(s.queue.items[:n])
	written, err := s.socket.tryWrite(batch)
	if err != nil {
		return err
	}
	counts := &s.shard.counts
	counts.deliveries += uint64(n)
	counts.writes++
	counts.writtenBytes += uint64(len(batch))
	s.queue.pop(n)
	if written == len(batch) {
		return nil
	}
	s.writing = true
	counts.slowWrites++
	s.socket.writeSlowly(copyBuffer(batch[written:]), func(err error) {
		s.shard.inbox.do(func() { s.drained(err) })
	})
	if s.ending {
		s.socket.hurry(closeFlushMax)
	}
	return nil
}

// drained is called when a background write is done.
func (s *session) drained(err error) {
	if s.detached {
		return
	}
	s.writing = false
	if err != nil {
		s.shard.log.Debug("stream write failed", zap.String("conn_id", s.id), zap.Error(err))
		s.abort(err)
		return
	}
	s.socket.settle()
	s.touch()
	o := s.shard.options
	if s.queue.marketBytes <= o.MarketQueueBytesMax/4 && s.queue.marketCount <= o.MarketQueueFramesMax/4 {
		s.catchUp()
	}
}

// catchUp brings the lagging channels back: the socket takes data again.
func (s *session) catchUp() {
	if s.ending || len(s.lagging) == 0 {
		return
	}
	lagging := s.lagging
	s.lagging = nil
	for _, sub := range lagging {
		sub.topic.catchUp(sub)
	}
}

// settleFlushed tells the reader that nothing more will be written.
func (s *session) settleFlushed() {
	select {
	case <-s.flushed:
	default:
		close(s.flushed)
	}
}

// tellQueued keeps the gauge of queued bytes.
func (s *session) tellQueued() {
	if now := int64(s.queue.bytes()); now != s.toldBytes {
		s.shard.counters.queuedBytes.Add(now - s.toldBytes)
		s.toldBytes = now
	}
}
