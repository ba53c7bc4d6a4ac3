package actors

import (
	"fmt"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"
	"go.uber.org/zap"
)

// deadLetters counts messages that no actor received.
type deadLetters struct {
	total  atomic.Uint64
	mu     sync.Mutex
	byType map[string]uint64
	recent recent
}

// observeDeadLetter receives the messages that protoactor could not deliver.
func (s *System) observeDeadLetter(event any) {
	letter, ok := event.(*actor.DeadLetterEvent)
	if !ok {
		return
	}
	switch letter.Message.(type) {
	case actor.SystemMessage, actor.AutoReceiveMessage:
		return
	}
	path := ""
	if letter.PID != nil {
		path = letter.PID.Id
	}
	s.undeliverable(path, letter.Message)
}

// undeliverable rejects and counts a message to an actor that has ended.
func (s *System) undeliverable(path string, msg any) {
	if _, ok := msg.(ownMessage); ok {
		return // expected to be late
	}
	reject(msg, fmt.Errorf("%w: %s", ErrStopped, path))
	s.letters.total.Add(1)
	name := fmt.Sprintf("%T", msg)
	s.letters.recent.add(path, name)
	if count := s.letters.count(name); bits.OnesCount64(count) == 1 {
		// At 1, 2, 4, 8...: visible, and too few to fill a disk.
		s.logger.Warn("dead letter", zap.String("actor", path), zap.String("message_type", name), zap.Uint64("count", count))
	}
}

func (d *deadLetters) count(name string) uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.byType == nil {
		d.byType = make(map[string]uint64)
	}
	d.byType[name]++
	return d.byType[name]
}
