package account

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"venuegate/actors"
	"venuegate/actors/actortest"
)

// explorer visits every state of a scope, depth first. It returns to a state by repeating the
// actions that led to it.
type explorer struct {
	kit       *actortest.Kit
	scope     scope
	pools     map[string]*actors.Pool
	processes int

	// world is the state at the top of the stack; nil if it must be restored.
	world   *world
	visited map[uint64]struct{}
	stack   []frame
	// chain has the states at the top of the stack from which only fair actions were done: if
	// one comes again, the orders never settle.
	chain map[uint64]bool
	found findings
}

// findings is the result of an exploration.
type findings struct {
	states, transitions, settled int
	isClosed                     bool
	violation                    string
	trace                        string
}

func (f findings) String() string {
	return fmt.Sprintf("%d states (%d settled), %d transitions, closed: %t", f.states, f.settled, f.transitions, f.isClosed)
}

// frame is a state on the way to the newest one, with the actions that can follow.
type frame struct {
	actions []action
	next    int
}

// setPools gives an account one pool for each of its purposes.
func (x *explorer) setPools(deps reflect.Value) {
	for i := range deps.NumField() {
		f, name := deps.Field(i), deps.Type().Field(i).Name
		switch {
		case f.Type() == reflect.TypeFor[*actors.Pool]():
			if x.pools[name] == nil {
				x.pools[name] = x.kit.System.NewCallPool(name, 1<<20, 0)
			}
			f.Set(reflect.ValueOf(x.pools[name]))
		case f.Kind() == reflect.Struct:
			x.setPools(f)
		}
	}
}

// explore visits at most limit states.
func explore(kit *actortest.Kit, s scope, limit int) findings {
	x := &explorer{kit: kit, scope: s, pools: map[string]*actors.Pool{}, visited: map[uint64]struct{}{}, chain: map[uint64]bool{}}
	x.world = newWorld(x)
	x.visit()
	for len(x.stack) > 0 && x.found.violation == "" && len(x.visited) < limit {
		x.advance()
	}
	x.found.states, x.found.isClosed = len(x.visited), len(x.stack) == 0 && x.found.violation == ""
	if x.found.violation != "" {
		x.found.trace = x.shortest()
	}
	x.end()
	return x.found
}

// advance does the next action of the newest state.
func (x *explorer) advance() {
	top := &x.stack[len(x.stack)-1]
	if top.next == len(top.actions) {
		x.stack = x.stack[:len(x.stack)-1]
		x.end()
		return
	}
	if x.world == nil {
		x.world = newWorld(x)
		for _, a := range x.path() {
			x.world.do(a)
		}
	}
	a := &top.actions[top.next]
	top.next++
	x.found.transitions++
	begun := time.Now()
	x.world.do(*a)
	a.took = time.Since(begun)
	x.visit()
}

// path returns the actions that lead to the newest state.
func (x *explorer) path() []action {
	var path []action
	for _, f := range x.stack[:len(x.stack)-1] {
		path = append(path, f.actions[f.next-1])
	}
	return path
}

// end ends the world.
func (x *explorer) end() {
	if x.world != nil {
		x.world.kill()
		x.world = nil
	}
}

// visit adds the state of the world to the stack, unless it was visited.
func (x *explorer) visit() {
	w := x.world
	w.check()
	if x.found.violation = w.violation; w.violation != "" {
		return
	}
	h := hash(w, time.Now())
	if _, visited := x.visited[h]; visited {
		if x.chain[h] {
			x.found.violation = neverSettles
		}
		clear(x.chain)
		x.end()
		return
	}
	x.visited[h] = struct{}{}
	actions := w.actions()
	if w.isSettled() {
		x.found.settled++
		clear(x.chain)
	} else {
		x.chain[h] = true
		slices.SortStableFunc(actions, func(a, b action) int { return a.rank() - b.rank() })
		if len(actions) == 0 || !actions[0].isFair() {
			x.found.violation = isStuck
		}
	}
	x.stack = append(x.stack, frame{actions: actions})
}

// shortest describes the actions on the way to the violation, without those that can be left
// out.
func (x *explorer) shortest() string {
	last := x.stack[len(x.stack)-1]
	path := x.path()
	if last.next > 0 {
		path = append(path, last.actions[last.next-1])
	}
	for i := range path {
		path[i].took = 0 // without an action before, it may be another time
	}
	for size := len(path) / 2; size >= 1; size = min(size-1, max(partMax, size/2)) {
		for i := 0; i+size <= len(path); {
			shorter := slices.Delete(slices.Clone(path), i, i+size)
			if _, violation := x.replay(shorter); violation == x.found.violation {
				path = shorter
				continue
			}
			i++
		}
	}
	text, _ := x.replay(path)
	return text
}

// partMax is the number of successive actions up to which every number is tried to be left out.
const partMax = 4

// replay does the actions one after the other, and then what is fair. It returns their
// description and the violation, which is empty if one of them is not possible.
func (x *explorer) replay(path []action) (text, violation string) {
	x.end()
	w := newWorld(x)
	x.world = w
	var steps []string
	for n := 0; w.violation == "" && n < len(path)+settlesIn; n++ {
		actions := w.actions()
		switch {
		case n < len(path) && !slices.Contains(actions, path[n]):
			return "", ""
		case n < len(path):
			steps = append(steps, w.describe(path[n]))
			w.do(path[n])
		case w.isSettled():
			return "", ""
		default:
			w.do(fairAction(actions))
		}
		w.check()
	}
	if w.violation == "" {
		w.violation = neverSettles
	}
	return strings.Join(steps, "\n\t"), w.violation
}

// settlesIn is the number of fair actions within which replay expects the orders to settle. The
// others are violations of that.
const (
	settlesIn    = 300
	neverSettles = "without further faults the orders never settle"
	isStuck      = "the orders are not settled and nothing can happen"
)

// describe returns what an action does in a state.
func (w *world) describe(a action) string {
	text := time.Since(time.Now().Truncate(time.Hour)).String() + " " + string(a.kind)
	switch a.kind {
	case actArrive, actAnswer, actLook, actLose, actNotSent:
		text += " " + string(w.call(a.index).kind) + " " + w.call(a.index).clientID
	case actBegin:
		text += fmt.Sprintf(" %d: %s %d", a.index, w.clients[a.index].op.kind, w.clients[a.index].op.request)
	case actCrash:
		text += fmt.Sprintf(", %d of %d batches survive", a.index, len(w.process.disk.pending))
	default:
	}
	if a.variant > 0 {
		text += fmt.Sprintf(", variant %d", a.variant)
	}
	return text
}
