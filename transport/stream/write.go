package stream

import (
	"os"
	"sync/atomic"

	"go.uber.org/zap"

	"venuegate/transport/api"
)

// The methods in this file are the writing side of a session. They run on the
// goroutine of its shard, which owns writeState.

// writeState is the part of a session that the shard owns.
type writeState struct {
	queue       queue
	subscribers map[*topic]*subscriber
	// lagging lists the lagging subscribers, each at most once.
	lagging []*subscriber
	// dirty is set while the session is in the shard's list of sessions to flush.
	dirty bool
	// writing is set while a background write is in progress.
	writing bool
	// tooSlow: the connection is to be closed with 4009 at the end of the round.
	tooSlow bool
	// closing: the close code is decided, and no frame is queued after the close frame.
	closing bool
	// detached: the session has ended, and its connection must not be used.
	detached bool
	// reportedBytes is the share of this session in the gauge of queued bytes. Only the shard
	// writes it and subscribed, the number of its topics; statistics read both.
	reportedBytes atomic.Int64
	subscribed    atomic.Int32
}

// queuePolicy determines whether frames that are queued before a close are sent.
type queuePolicy bool

const (
	flushQueued   queuePolicy = false
	discardQueued queuePolicy = true
)

// full reports whether an item does not fit into the queue. Only the queue of a socket
// with a background write can be full: the others are written before the next round.
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

// push queues an item, which is written at the end of the round.
func (s *session) push(it item) {
	if s.closing || s.detached {
		return
	}
	s.queue.push(it)
	s.markDirty()
	if !s.writing && s.queue.len() >= roundFramesMax {
		s.shard.roundFull = true
	}
}

// markDirty adds the session to those that are flushed at the end of the round.
func (s *session) markDirty() {
	if !s.dirty {
		s.dirty = true
		s.shard.dirty = append(s.shard.dirty, s)
	}
}

// enqueue queues a frame that belongs to no topic.
func (s *session) enqueue(head byte, payload []byte) {
	it := item{payload: payload, head: head}
	if s.full(&it) {
		s.closeSlow()
		return
	}
	s.push(it)
}

// closeSlow closes the connection with 4009 at the end of the round, because a frame
// that may not be dropped does not fit.
func (s *session) closeSlow() {
	if !s.tooSlow {
		s.tooSlow = true
		s.markDirty()
	}
}

// start adds the session to its shard and sends the welcome.
func (s *session) start() {
	s.shard.sessions[s] = struct{}{}
	s.enqueue(headText, api.AppendWelcome(nil, s.id, s.opened))
}

// addTopics sends the reply and then makes the session a subscriber of the topics.
func (s *session) addTopics(topics []*topic, reply []byte) {
	s.enqueue(headText, reply)
	if s.closing || s.detached {
		return
	}
	for _, t := range topics {
		s.subscribers[t] = t.add(s)
	}
	s.shard.counters.subscriptions.Add(int64(len(topics)))
	s.subscribed.Store(int32(len(s.subscribers)))
}

// removeTopics ends the subscriptions and then sends the reply.
func (s *session) removeTopics(topics []*topic, reply []byte) {
	for _, t := range topics {
		s.unsubscribe(t)
	}
	s.enqueue(headText, reply)
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
	s.subscribed.Store(int32(len(s.subscribers)))
}

// startClose ends all subscriptions and queues a close frame as the last frame. Code
// closeNone means a close frame without a payload. Calls after the first are ignored.
func (s *session) startClose(code int, reason string, queued queuePolicy) {
	if s.closing || s.detached {
		return
	}
	s.leaveTopics()
	if queued == discardQueued {
		s.queue.clear()
	}
	s.push(item{payload: closePayload(code, reason), head: headClose})
	s.recordClose(code)
	if s.writing {
		s.socket.shortenDeadline(closeFlushMax)
	}
}

// writeFailed ends the session after a write error.
func (s *session) writeFailed(cause error) {
	s.writing = false
	s.queue.clear()
	s.reportQueued()
	if !s.closing {
		code := closeAbnormal
		if os.IsTimeout(cause) { // the client does not read
			code = int(api.StreamSlowConsumer)
		}
		s.leaveTopics()
		s.recordClose(code)
	}
	s.signalFlushed()
}

// recordClose counts the close code and makes the reader stop.
func (s *session) recordClose(code int) {
	s.closing = true
	s.shard.counters.closed(code)
	s.stopReading()
}

func (s *session) leaveTopics() {
	for t := range s.subscribers {
		s.unsubscribe(t)
	}
}

// detach releases the connection: the shard does not use it afterwards.
func (s *session) detach() {
	defer close(s.gone)
	delete(s.shard.sessions, s)
	if !s.closing {
		s.leaveTopics()
		s.recordClose(closeAbnormal)
	}
	s.queue.clear()
	s.detached = true
	s.reportQueued()
}

// flush writes the queue until the socket accepts no more.
func (s *session) flush() {
	s.dirty = false
	if s.detached {
		return
	}
	if s.tooSlow {
		s.startClose(int(api.StreamSlowConsumer), api.StreamSlowConsumer.String(), discardQueued)
	}
	for !s.writing && s.queue.len() > 0 {
		if err := s.write(); err != nil {
			s.writeFailed(err)
			return
		}
	}
	s.reportQueued()
	switch idle := !s.writing && s.queue.len() == 0; {
	case idle && s.closing:
		s.signalFlushed()
	case idle:
		s.catchUp()
	}
}

// write makes one write from the front of the queue.
func (s *session) write() error {
	n := s.queue.front(writeBytesMax)
	batch := s.shard.concatenate(s.queue.items[:n])
	written, err := s.socket.tryWrite(batch)
	if err != nil {
		return err
	}
	counts := &s.shard.round
	counts.deliveries += uint64(n)
	counts.writes++
	counts.writtenBytes += uint64(len(batch))
	s.queue.pop(n)
	if written == len(batch) {
		return nil
	}
	s.writing = true
	counts.slowWrites++
	s.socket.writeInBackground(copyBuffer(batch[written:]), func(err error) {
		s.shard.inbox.post(func() { s.writeDone(err) })
	})
	if s.closing {
		s.socket.shortenDeadline(closeFlushMax)
	}
	return nil
}

// writeDone is called when a background write has ended.
func (s *session) writeDone(err error) {
	if s.detached {
		return
	}
	s.writing = false
	if err != nil {
		s.shard.log.Debug("stream write failed", zap.String("conn_id", s.id), zap.Error(err))
		s.writeFailed(err)
		return
	}
	s.socket.clearDeadline()
	s.markDirty()
	o := s.shard.options
	if s.queue.marketBytes <= o.MarketQueueBytesMax/4 && s.queue.marketCount <= o.MarketQueueFramesMax/4 {
		s.catchUp()
	}
}

// catchUp resumes the lagging topics, because the socket accepts data again.
func (s *session) catchUp() {
	if s.closing || len(s.lagging) == 0 {
		return
	}
	lagging := s.lagging
	s.lagging = nil
	for _, sub := range lagging {
		sub.topic.catchUp(sub)
	}
}

// signalFlushed signals the reader that nothing more will be written.
func (s *session) signalFlushed() {
	select {
	case <-s.flushed:
	default:
		close(s.flushed)
	}
}

// reportQueued updates the gauge of queued bytes.
func (s *session) reportQueued() {
	if now, before := int64(s.queue.bytes()), s.reportedBytes.Load(); now != before {
		s.shard.counters.queuedBytes.Add(now - before)
		s.reportedBytes.Store(now)
	}
}
