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

// Hub holds the open connections of the stream. Its methods are safe for concurrent
// use.
type Hub struct {
	auth           Authenticator
	log            *zap.Logger
	options        Options
	upgrader       websocket.FastHTTPUpgrader
	admission      *admission
	shards         []*shard
	nextShardIndex atomic.Uint64
	counters       counters

	stop      sync.Once
	stopping  chan struct{}
	rechecked chan struct{} // closed when the recheck has ended
}

// New returns a running hub. Close stops it.
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
		counters: counters{closes: expectedCloses()},
		stopping: make(chan struct{}), rechecked: make(chan struct{}),
	}
	h.upgrader = h.newUpgrader()
	h.admission = newAdmission(&h.options)
	for range options.Shards {
		sh := newShard(deps.Feed, &h.options, deps.Log, &h.counters)
		h.shards = append(h.shards, sh)
		go sh.run()
	}
	go h.recheck()
	return h, nil
}

// nextShard returns the shards in turn, so that connections are spread evenly.
func (h *Hub) nextShard() *shard {
	return h.shards[h.nextShardIndex.Add(1)%uint64(len(h.shards))]
}

// Close rejects new connections, closes the open ones with 4012 and waits until they
// have ended, which takes at most a second unless the feed or the authenticator
// blocks. Then it stops the shards. If ctx ends first, the rest keeps running, and the
// error states how many connections are open; Close may then be called again.
func (h *Hub) Close(ctx context.Context) error {
	for _, s := range h.admission.close() {
		s.requestClose(api.StreamServerRestart, restartedReason)
	}
	empty := make(chan struct{})
	go func() {
		h.admission.open.Wait()
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

// RevokeKey closes every connection of an API key that was revoked or changed with 4001
// immediately. Without it, the recheck closes them within 30 s.
func (h *Hub) RevokeKey(keyID string) {
	for _, s := range h.admission.keyChanged(keyID) {
		s.requestClose(api.StreamUnauthorized, revokedReason)
	}
}

// requestClose closes the session from any goroutine.
func (s *session) requestClose(code api.StreamCode, reason string) {
	s.shard.inbox.post(func() { s.startClose(int(code), reason, flushQueued) })
}
