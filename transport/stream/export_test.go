package stream

// Pause blocks every shard until resume is called. It returns when all are blocked.
func (h *Hub) Pause() (resume func()) {
	gate := make(chan struct{})
	for _, sh := range h.shards {
		blocked := make(chan struct{})
		sh.inbox.post(func() {
			close(blocked)
			<-gate
		})
		<-blocked
	}
	return func() { close(gate) }
}

// Limits of the hub that tests use.
const (
	InboxEventsMax = inboxEventsMax
	WriteStallMax  = writeStallMax
)

// Deliveries returns Stats().Deliveries without computing the rest.
func (h *Hub) Deliveries() uint64 { return h.counters.deliveries.Load() }
