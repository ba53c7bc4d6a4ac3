package stream

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/fasthttp/websocket"
	"go.uber.org/zap"

	"venuegate/transport/api"
)

// Hub holds the connections of the stream. Its methods are safe for concurrent
// use.
type Hub struct {
	auth     Authenticator
	log      *zap.Logger
	options  Options
	upgrader websocket.FastHTTPUpgrader
	door     *door
	shards   []*shard
	turn     atomic.Uint64
	counters counters

	stop      sync.Once
	stopping  chan struct{}
	rechecked chan struct{} // closed when the recheck has ended
}

// New starts a hub. Close ends it.
func New(deps Deps, options Options) (*Hub, error) {
	if deps.Feed == nil || deps.Auth == nil || deps.Log == nil {
		return nil, errors.New("stream: Feed, Auth and Log are required")
	}
	options, err := options.withDefaults()
	if err != nil {
		return nil, err
	}
	h := &Hub{
		auth: deps.Auth, log: deps.Log, options: options,
		counters: counters{closes: make(map[int]uint64)},
		stopping: make(chan struct{}), rechecked: make(chan struct{}),
	}
	h.upgrader = h.newUpgrader()
	h.door = newDoor(&h.options)
	for range options.Shards {
		sh := newShard(deps.Feed, &h.options, deps.Log, &h.counters)
		h.shards = append(h.shards, sh)
		go sh.run()
	}
	go h.recheck()
	return h, nil
}

// nextShard spreads the connections evenly.
func (h *Hub) nextShard() *shard {
	return h.shards[h.turn.Add(1)%uint64(len(h.shards))]
}

// Close refuses new connections, closes the others with 4012 and waits until
// they are gone, which takes no longer than a second unless the feed or the
// authenticator holds one up. Then it stops the
// shards. If ctx ends before, what is left keeps running, and the error says how
// much that is; Close may then be called again.
func (h *Hub) Close(ctx context.Context) error {
	for _, s := range h.door.close() {
		s.dismiss(api.StreamServerRestart, restartedReason)
	}
	empty := make(chan struct{})
	go func() {
		h.door.inside.Wait()
		close(empty)
	}()
	select {
	case <-empty:
	case <-ctx.Done():
		return fmt.Errorf("stream: %d connections still open: %w", h.Stats().Connections, ctx.Err())
	}
	h.stop.Do(func() {
		close(h.stopping)
		<-h.rechecked
		for _, sh := range h.shards {
			sh.stop()
		}
	})
	return nil
}

// RevokeKey closes every connection of an API key with 4001, at once. Without
// it they are found by the recheck, within 30 s.
func (h *Hub) RevokeKey(keyID string) {
	for s, identity := range h.door.identified() {
		if identity.KeyID == keyID {
			s.dismiss(api.StreamUnauthorized, revokedReason)
		}
	}
}

// dismiss closes a session from outside.
func (s *session) dismiss(code api.StreamCode, reason string) {
	s.shard.inbox.do(func() { s.end(int(code), reason, flushQueued) })
}
