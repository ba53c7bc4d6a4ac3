package stream

import (
	"net"
	"testing"

	"go.uber.org/zap"

	"venuegate/transport/api"
)

// newTestSession returns a session of a shard that does not run.
func newTestSession(t *testing.T) *session {
	t.Helper()
	client, server := net.Pipe()
	t.Cleanup(func() {
		_ = client.Close()
		_ = server.Close()
	})
	counts := &counters{closes: map[int]uint64{}}
	return &session{
		shard: newShard(nil, &Options{}, zap.NewNop(), counts), conn: server, socket: newSocket(server, 0),
		readStopped: make(chan struct{}), flushed: make(chan struct{}), gone: make(chan struct{}),
		writeState: writeState{subscribers: make(map[*topic]*subscriber)},
	}
}

// Only fasthttp's wrapper is removed, whatever the type of another connection.
func TestOtherConnectionsAreNotUnwrapped(t *testing.T) {
	client, server := net.Pipe()
	defer client.Close()
	defer server.Close()
	type wrapper struct{ net.Conn }
	for _, conn := range []net.Conn{server, wrapper{server}, &wrapper{server}} {
		if got := unwrap(conn); got != conn {
			t.Errorf("%T is unwrapped to %T, want it unchanged", conn, got)
		}
	}
}

func (s *session) queuedHeads() string {
	heads := make([]byte, 0, s.queue.len())
	for _, it := range s.queue.items {
		heads = append(heads, it.head)
	}
	return string(heads)
}

// A close frame is the last one: replies and control frames that come later are dropped, and
// so is a second close.
func TestNoFrameFollowsAClose(t *testing.T) {
	for policy, want := range map[queuePolicy]string{
		flushQueued:   string([]byte{headText, headClose}),
		discardQueued: string([]byte{headClose}),
	} {
		s := newTestSession(t)
		s.enqueue(headText, []byte("before"))
		s.startClose(int(api.StreamSlowConsumer), "", policy)
		s.enqueue(headPong, nil)
		s.addTopics([]*topic{{}}, []byte("reply"))
		s.startClose(closeInternal, "", policy)
		if got := s.queuedHeads(); got != want {
			t.Errorf("discard %t: heads of the queued frames = %x, want %x", policy, got, want)
		}
		if len(s.subscribers) != 0 || s.shard.counters.closes[closeInternal] != 0 {
			t.Errorf("discard %t: %d topics, closes %v, want no topic and one close", policy, len(s.subscribers), s.shard.counters.closes)
		}
		s.detach()
		s.enqueue(headPong, nil)
		if got := s.queuedHeads(); got != "" {
			t.Errorf("discard %t: heads of the frames after the end = %x, want none", policy, got)
		}
	}
}
