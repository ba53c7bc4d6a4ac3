package binancesim

import (
	"encoding/json"
	"time"

	"venuegate/venues/simcore"
)

// setReplay takes the streams of the recorded symbols from a recording.
func (st *streams) setReplay(r *replay) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.replay = r
	for symbol, book := range r.books {
		st.markets[symbol].replayed = true
		st.markets[symbol].lastUpdate = book.lastID
	}
}

// isRecorded reports whether a stream carries recorded bytes. The lock is held.
func (st *streams) isRecorded(name string) bool {
	return st.replay != nil && st.replay.recorded[name]
}

// replayed publishes a recorded message and updates the recorded book.
func (st *streams) replayed(r *replay, symbol string, f frame) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if f.stream == r.diffs[symbol] {
		var event depthBodyEvent
		if json.Unmarshal(f.data, &event) == nil {
			st.replayDepth(r, symbol, event)
		}
	}
	if st.listeners.Has(f.stream) {
		st.publishRaw(f.stream, f.data)
	}
}

// replayDepth applies a recorded change of the book and adds it to the feeds of the
// derived speeds.
func (st *streams) replayDepth(r *replay, symbol string, event depthBodyEvent) {
	m, book := st.markets[symbol], r.books[symbol]
	changes := book.apply(event)
	m.lastUpdate = book.lastID
	for name, feed := range m.depths {
		if !r.recorded[name] {
			feed.addRecorded(event, changes)
		}
	}
}

func (f *depthFeed) addRecorded(event depthBodyEvent, changes []simcore.LevelChange) {
	if !f.pending {
		f.firstID, f.prevID = event.FirstID, event.PrevID
	}
	f.pending, f.lastID, f.at = true, event.LastID, time.UnixMilli(event.T)
	for _, change := range changes {
		f.changes[levelKey{change.Side, change.Ticks}] = change
	}
}

// replayedDepth returns the current state of the recorded book.
func (s *Sim) replayedDepth(symbol string, limit int) (depthBody, bool) {
	st := s.streams
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.replay == nil || st.replay.books[symbol] == nil {
		return depthBody{}, false
	}
	book, now := st.replay.books[symbol], s.Clock.Now().UnixMilli()
	return depthBody{
		LastUpdateID: book.lastID, E: now, T: now,
		Bids: book.rows(simcore.Buy, limit), Asks: book.rows(simcore.Sell, limit),
	}, true
}
