package bybitsim

import (
	"encoding/json"
	"maps"

	"venuegate/venues/simcore"
)

// setReplay makes the streams of the recorded symbols come from a recording.
func (st *streams) setReplay(r *replay) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.replay = r
}

// isRecorded says whether a topic carries recorded bytes. The lock is held.
func (st *streams) isRecorded(topic string) bool {
	return st.replay != nil && st.replay.topics[topic] != nil
}

// replayed keeps the state of a recorded topic and passes the message on.
func (st *streams) replayed(r *replay, f frame) {
	st.mu.Lock()
	defer st.mu.Unlock()
	feed, topic := st.topics[f.topic], r.topics[f.topic]
	if feed != nil {
		st.introduce(feed)
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

// merge keeps the members of a ticker, and the last message of anything else.
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

// introduce gives new listeners of a recorded topic the state that it is in. The
// lock is held.
func (st *streams) introduce(feed *topicFeed) {
	if len(feed.fresh) == 0 {
		return
	}
	now, topic := st.sim.Clock.Now(), st.replay.topics[feed.name]
	message := streamBody{Topic: feed.name, Type: typeSnapshot, TS: millis(now)}
	switch feed.kind {
	case bookTopic:
		message.CTS, message.Data = millis(now), st.replay.books[feed.symbol].data(feed.levels)
		st.send(feed, feed.fresh, message)
	case tickerTopic:
		if topic.fields == nil {
			return
		}
		message.Data = topic.fields
		st.send(feed, feed.fresh, message)
	case klineTopic:
		for cl := range feed.fresh {
			if topic.last != nil {
				cl.session.Send(feed.name, topic.last)
			}
		}
	case tradeTopic, silentTopic:
	}
	clear(feed.fresh)
}

// introduceAll serves those who subscribed to a recorded topic since the last
// flush.
func (st *streams) introduceAll() {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.replay == nil {
		return
	}
	for name, feed := range st.topics {
		if st.isRecorded(name) {
			st.introduce(feed)
		}
	}
}

func (st *streams) recordedLevels(b *replayBook) (bids, asks []simcore.LevelChange) {
	st.mu.Lock()
	defer st.mu.Unlock()
	return b.Side(simcore.Buy), b.Side(simcore.Sell)
}

// recordedBook answers the recorded book of a symbol as it is now.
func (st *streams) recordedBook(symbol string, limit int) (bookData, bool) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.replay == nil || st.replay.books[symbol] == nil {
		return bookData{}, false
	}
	return st.replay.books[symbol].data(limit), true
}
