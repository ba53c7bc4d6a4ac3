package stream

// Hold keeps every shard busy until release is called. It returns when they are.
func (h *Hub) Hold() (release func()) {
	gate := make(chan struct{})
	for _, sh := range h.shards {
		busy := make(chan struct{})
		sh.inbox.do(func() {
			close(busy)
			<-gate
		})
		<-busy
	}
	return func() { close(gate) }
}

// Limits of the hub that tests lean on.
const (
	InboxEventsMax = inboxEventsMax
	WriteStallMax  = writeStallMax
)

// Deliveries is Stats().Deliveries without the rest.
func (h *Hub) Deliveries() uint64 { return h.counters.deliveries.Load() }
