package private

import (
	"sync"

	"venuegate/venues"
)

// Streams counts the private connections of one venue. It is safe for concurrent use.
type Streams struct {
	report func(wanted, connected int)

	mu                sync.Mutex
	wanted, connected int
}

// NewStreams returns a counter that calls report after each change, one call at a time.
// report must not block.
func NewStreams(report func(wanted, connected int)) *Streams { return &Streams{report: report} }

// count counts a connection until its end, and returns the sink that notes its state and
// passes everything on.
func (s *Streams) count(events venues.PrivateSink) *countedSink {
	c := &countedSink{PrivateSink: events, streams: s}
	s.add(1, 0)
	return c
}

func (s *Streams) add(wanted, connected int) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wanted += wanted
	s.connected += connected
	s.report(s.wanted, s.connected)
}

// countedSink is the sink of one connection.
type countedSink struct {
	venues.PrivateSink
	streams   *Streams
	connected bool
}

// Connected implements venues.PrivateSink.
func (c *countedSink) Connected() {
	c.set(true)
	c.PrivateSink.Connected()
}

// Lost implements venues.PrivateSink.
func (c *countedSink) Lost(cause error) {
	c.set(false)
	c.PrivateSink.Lost(cause)
}

func (c *countedSink) set(connected bool) {
	switch {
	case connected && !c.connected:
		c.streams.add(0, 1)
	case !connected && c.connected:
		c.streams.add(0, -1)
	}
	c.connected = connected
}

// end ends the count. The feed is closed and calls the sink no more.
func (c *countedSink) end() {
	c.set(false)
	c.streams.add(-1, 0)
}
