package actors

import "sync"

// idleWorkersMax bounds the idle goroutines that are kept.
const idleWorkersMax = 256

// workers runs activations of actors, and effects, on goroutines that are reused. A new
// goroutine would grow its stack again each time, which costs more than all the rest of
// delivering a message. There is always a goroutine for an activation, so that a slow
// actor cannot delay another.
type workers struct {
	mu     sync.Mutex
	idle   []chan activation // last in, first out: the warmest stack
	closed bool
	all    sync.WaitGroup
}

// activation is one turn of an actor: its mailbox until that is empty. An effect has no
// cell.
type activation struct {
	cell *cell
	turn func()
}

func (a activation) run() {
	if a.cell == nil {
		a.turn()
		return
	}
	a.cell.run(a.turn)
}

func (w *workers) run(a activation) {
	idle, closed := w.take()
	switch {
	case idle != nil:
		idle <- a
	case closed: // every actor has ended, and its mailbox only rejects
		a.run()
	default:
		go w.work(a)
	}
}

// take returns an idle worker, or counts a new one.
func (w *workers) take() (idle chan activation, closed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, true
	}
	last := len(w.idle) - 1
	if last < 0 {
		w.all.Add(1)
		return nil, false
	}
	idle = w.idle[last]
	w.idle = w.idle[:last]
	return idle, false
}

func (w *workers) work(a activation) {
	defer w.all.Done()
	inbox := make(chan activation, 1)
	for more := true; more; {
		a.run()
		if !w.rest(inbox) {
			return
		}
		a, more = <-inbox
	}
}

// rest adds a worker to the idle ones, and reports whether it is kept.
func (w *workers) rest(inbox chan activation) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || len(w.idle) == idleWorkersMax {
		return false
	}
	w.idle = append(w.idle, inbox)
	return true
}

// close ends the idle workers, and the others as they finish.
func (w *workers) close() {
	w.mu.Lock()
	w.closed = true
	for _, inbox := range w.idle {
		close(inbox)
	}
	w.idle = nil
	w.mu.Unlock()
	w.all.Wait()
}
