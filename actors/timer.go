package actors

import (
	"container/heap"
	"time"
)

// Timers deliver messages to an actor later. They belong to one incarnation and end with
// it; the message of a timer that was cancelled or replaced is never received, even if it
// was already due. Timers are used on the actor's goroutine.
type Timers struct {
	shell    *shell
	queue    timerQueue
	byKey    map[timerKey]*timer
	sequence uint64
	clock    *time.Timer
	armed    time.Time // zero when the clock does not run
}

// timerKey keeps the kit's own timers apart from the behaviour's.
type timerKey struct {
	kit  string
	name string
}

type timer struct {
	key           timerKey
	due           time.Time
	sequence      uint64 // settles equal times, in the order in which they were set
	message       any
	every, jitter time.Duration
	index         int
}

// timersDue wakes the actor, which then receives what is due.
type timersDue struct {
	kitMessage
	shell *shell
}

func (m *timersDue) handle(s *shell) {
	if m.shell == s {
		s.timers.due()
	}
}

// After delivers msg once, after d. A timer with the same key is replaced.
func (t *Timers) After(key string, d time.Duration, msg any) {
	t.set(&timer{key: timerKey{name: key}, message: msg}, d)
}

// setForKit sets a timer of the kit itself.
func (t *Timers) setForKit(kit, name string, d time.Duration, msg any) {
	t.set(&timer{key: timerKey{kit, name}, message: msg}, d)
}

// Every delivers msg repeatedly, each time after d and a random part of jitter. A timer
// with the same key is replaced. A busy actor receives it late, never several in a row.
// d must be positive.
func (t *Timers) Every(key string, d, jitter time.Duration, msg any) {
	if d <= 0 {
		panic("actors: Every needs a positive duration")
	}
	next := &timer{key: timerKey{name: key}, message: msg, every: d, jitter: jitter}
	t.set(next, t.pause(next))
}

// Cancel removes the timer with the key, if there is one.
func (t *Timers) Cancel(key string) { t.cancel(timerKey{name: key}) }

// cancelAll is called at the end of an incarnation. In an orderly stop it is called when
// no child, and so no timer of the kit, is left; Stopping may set timers again.
func (t *Timers) cancelAll() {
	t.queue, t.byKey = nil, nil
	t.arm()
}

func (t *Timers) pause(x *timer) time.Duration {
	if x.jitter <= 0 {
		return x.every
	}
	return x.every + t.shell.cell.system.jitter(x.jitter)
}

func (t *Timers) set(x *timer, d time.Duration) {
	if t.shell.phase == phaseEnded {
		return
	}
	t.remove(x.key)
	t.insert(x, time.Now().Add(d))
	t.arm()
}

func (t *Timers) insert(x *timer, due time.Time) {
	t.sequence++
	x.due, x.sequence = due, t.sequence
	if t.byKey == nil {
		t.byKey = make(map[timerKey]*timer)
	}
	t.byKey[x.key] = x
	heap.Push(&t.queue, x)
}

func (t *Timers) cancel(key timerKey) {
	t.remove(key)
	t.arm()
}

func (t *Timers) remove(key timerKey) {
	if x, ok := t.byKey[key]; ok {
		heap.Remove(&t.queue, x.index)
		delete(t.byKey, key)
	}
}

// arm sets the one clock of the actor to the earliest timer.
func (t *Timers) arm() {
	if len(t.queue) == 0 {
		if t.clock != nil {
			t.clock.Stop()
		}
		t.armed = time.Time{}
		return
	}
	next := t.queue[0].due
	if next.Equal(t.armed) {
		return
	}
	t.armed = next
	wait := time.Until(next)
	switch {
	case wait <= 0:
		t.wake()
	case t.clock == nil:
		t.clock = time.AfterFunc(wait, t.wake)
	default:
		t.clock.Reset(wait)
	}
}

func (t *Timers) wake() { t.shell.cell.post(&timersDue{shell: t.shell}) }

// due delivers the due messages. Timers that are set meanwhile wait for the next wake,
// so that one which always sets itself again cannot block the actor.
func (t *Timers) due() {
	t.armed = time.Time{}
	now, last := time.Now(), t.sequence
	for len(t.queue) > 0 {
		x := t.queue[0]
		if x.due.After(now) || x.sequence > last {
			break
		}
		t.remove(x.key)
		if x.every > 0 {
			t.insert(x, now.Add(t.pause(x)))
		}
		t.shell.deliver(x.message)
	}
	t.arm()
}

// timerQueue is a heap by due time, then by the order of setting.
type timerQueue []*timer

func (q timerQueue) Len() int { return len(q) }

func (q timerQueue) Less(i, j int) bool {
	if !q[i].due.Equal(q[j].due) {
		return q[i].due.Before(q[j].due)
	}
	return q[i].sequence < q[j].sequence
}

func (q timerQueue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}

func (q *timerQueue) Push(x any) {
	added := x.(*timer)
	added.index = len(*q)
	*q = append(*q, added)
}

func (q *timerQueue) Pop() any {
	old := *q
	last := old[len(old)-1]
	old[len(old)-1] = nil
	*q = old[:len(old)-1]
	return last
}
