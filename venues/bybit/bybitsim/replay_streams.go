package bybitsim

import (
	"encoding/json"
	"maps"
)

// setReplay takes the streams of the recorded symbols from a recording.
func (st *streams) setReplay(r *replay) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.replay = r
}

// isRecorded reports whether a topic carries recorded bytes. The lock is held.
func (st *streams) isRecorded(topic string) bool {
	return st.replay != nil && st.replay.topics[topic] != nil
}

// replayed updates the state of a recorded topic and publishes the message.
func (st *streams) replayed(r *replay, f frame) {
	st.mu.Lock()
	defer st.mu.Unlock()
	feed, topic := st.topics[f.topic], r.topics[f.topic]
	if feed != nil {
		st.sendInitial(feed)
	}
	switch {
	case isBook(f.topic):
		r.books[f.symbol()].apply(f)
	default:
		topic.merge(f)
	}
	if feed != nil {
		for cl := range feed.listeners {
			cl.session.Send(feed.name, f.raw)
		}
	}
}

// merge records the members of a ticker, and the last message of any other topic.
func (t *recordedTopic) merge(f frame) {
	t.last = f.raw
	var fields map[string]string
	if json.Unmarshal(f.data, &fields) != nil {
		return
	}
	if t.fields == nil || f.whole {
		t.fields = map[string]string{}
	}
	maps.Copy(t.fields, fields)
}

// sendInitial sends the state of a recorded topic to its unsynced listeners. The lock
// is held.
func (st *streams) sendInitial(feed *topicFeed) {
	if len(feed.unsynced) == 0 {
		return
	}
	now, topic := st.sim.Clock.Now(), st.replay.topics[feed.name]
	message := streamBody{Topic: feed.name, Type: typeSnapshot, TS: millis(now)}
	switch feed.kind {
	case bookTopic:
		message.CTS, message.Data = millis(now), st.replay.books[feed.symbol].data(feed.levels)
		st.send(feed, feed.unsynced, message)
	case tickerTopic:
		if topic.fields == nil {
			return
		}
		message.Data = topic.fields
		st.send(feed, feed.unsynced, message)
	case klineTopic:
		for cl := range feed.unsynced {
			if topic.last != nil {
				cl.session.Send(feed.name, topic.last)
			}
		}
	case tradeTopic, silentTopic:
	}
	clear(feed.unsynced)
}

// sendAllInitial calls sendInitial for all recorded topics.
func (st *streams) sendAllInitial() {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.replay == nil {
		return
	}
	for name, feed := range st.topics {
		if st.isRecorded(name) {
			st.sendInitial(feed)
		}
	}
}

// recordedBook returns the current state of the recorded book of a symbol.
func (st *streams) recordedBook(symbol string, limit int) (bookData, bool) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.replay == nil || st.replay.books[symbol] == nil {
		return bookData{}, false
	}
	return st.replay.books[symbol].data(limit), true
}
