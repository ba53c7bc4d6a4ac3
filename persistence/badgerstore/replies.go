package badgerstore

import "venuegate/persistence"

// reply is the result of a request, for its caller.
type reply struct {
	done func(error)
	err  error
}

// reply notifies the callers of a group that is written. It syncs the log, unless all of
// them allow a delay: then the next group does, or syncDue.
func (w *writer) reply(group []request, results []error) {
	delayed := w.written != nil
	for i, r := range group {
		w.replies = append(w.replies, reply{r.done, results[i]})
		delayed = delayed && r.written != nil
		if r.written != nil && results[i] == nil {
			if w.written != nil {
				w.views.hold() // A read that begins after it waits, and sees the batch.
			}
			r.written()
		}
	}
	switch {
	case !delayed || len(w.replies) >= repliesMax || w.isSyncDue():
		w.settle()
	case len(w.replies) == len(group):
		w.syncDue.Reset(persistence.SyncDelayMax)
	}
}

// isSyncDue reports whether the delay of the oldest reply is over.
func (w *writer) isSyncDue() bool {
	select {
	case <-w.syncDue.C:
		return true
	default:
		return false
	}
}

// settle makes all written groups durable, and calls the done of their requests.
func (w *writer) settle() {
	if err := w.sync(); err != nil {
		w.fail(nil, err)
		return
	}
	for _, r := range w.replies {
		r.done(r.err)
	}
	w.forgetReplies()
}

func (w *writer) forgetReplies() {
	clear(w.replies)
	w.replies = w.replies[:0]
	w.syncDue.Stop()
}
