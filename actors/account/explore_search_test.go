package account

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"venuegate/actors"
	"venuegate/actors/actortest"
)

// explorer visits every state of a scope. A state cannot be copied: its world continues with an
// action that was not done there, else to a state near by that has one, else a new world
// repeats the actions that led to such a state.
type explorer struct {
	kit       *actortest.Kit
	scope     scope
	canon     *canon
	pools     map[string]*actors.Pool
	processes int

	// world is in the state at, after the actions until last; nil if it has ended.
	world   *world
	at      *node
	last    *done
	visited map[uint64]*node
	// open are the states that may have actions that were not done, oldest first.
	open  []*node
	found findings
}

// node is a visited state. Its actions are those of its world in the order of ordered; the
// first of them were done.
type node struct {
	last      *done // of those that led to it first; nil for the first state
	actions   int
	next      []*node // what the actions led to
	took      time.Duration
	isSettled bool
}

// done is an action that was done, after others.
type done struct {
	before *done
	action action
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
	x := &explorer{kit: kit, scope: s, canon: newCanon(), pools: map[string]*actors.Pool{}, visited: map[uint64]*node{}}
	x.world = newWorld(x)
	x.visit()
	for len(x.visited) < limit && x.found.violation == "" && x.find() {
		if x.found.violation == "" {
			x.advance()
		}
	}
	x.found.states, x.found.isClosed = len(x.visited), len(x.open) == 0 && x.found.violation == ""
	if x.found.violation != "" {
		x.found.trace = x.shortest()
	}
	x.end()
	kit.Advance(clientWaitMax) // until no client waits
	return x.found
}

// find brings the world into a state with an action that was not done, and reports whether there
// is one.
func (x *explorer) find() bool {
	if way := x.at.nearest(); way != nil {
		x.walk(way)
	}
	for len(x.open) > 0 && x.open[0].isDone() {
		x.open = x.open[1:]
	}
	if x.at.isDone() && len(x.open) > 0 {
		x.restore(x.open[0])
	}
	return len(x.open) > 0
}

// walk repeats actions from the state of the world, given by their indexes. What the canonical
// form does not have may lead it elsewhere.
func (x *explorer) walk(way []int) {
	for _, i := range way {
		a, expected := x.world.ordered()[i], x.at.next[i]
		if a.kind == actPass {
			a.took = x.at.took
		}
		x.do(a)
		if x.at = x.recognize(); x.at != expected || x.found.violation != "" {
			return
		}
	}
}

// restore brings a new world into a state. In one of some hundred thousand times it comes into
// another state, because two things of one instant came in another order.
func (x *explorer) restore(n *node) {
	for range restoreTries {
		x.end()
		x.world, x.last = newWorld(x), nil
		for _, a := range n.last.path() {
			x.do(a)
		}
		if x.at = x.recognize(); x.at == n || x.found.violation != "" {
			return
		}
	}
	x.fail(isOther)
}

const restoreTries = 5

// advance does the next action of the state of the world.
func (x *explorer) advance() {
	x.found.transitions++
	a := x.world.ordered()[len(x.at.next)]
	begun := time.Now()
	x.do(a)
	x.last.action.took = time.Since(begun)
	if a.kind == actPass {
		x.at.took = x.last.action.took
	}
	x.visit()
}

func (x *explorer) do(a action) {
	x.world.do(a)
	x.last = &done{x.last, a}
}

// end ends the world.
func (x *explorer) end() {
	if x.world != nil {
		x.world.kill()
		x.world = nil
	}
}

// visit adds what the next action of the state at has led to.
func (x *explorer) visit() {
	from, n := x.at, x.recognize()
	if from != nil {
		from.next = append(from.next, n)
		if from.isOnFairCycle() {
			x.fail(neverSettles)
		}
	}
	x.at = n
}

// recognize checks the state of the world and returns it.
func (x *explorer) recognize() *node {
	w := x.world
	w.check()
	x.fail(w.violation)
	h, actions := x.canon.hash(w, time.Now()), w.ordered()
	n := x.visited[h]
	if n == nil {
		n = &node{last: x.last, actions: len(actions), next: make([]*node, 0, len(actions)), isSettled: w.isSettled()}
		x.visited[h], x.open = n, append(x.open, n)
		if n.isSettled {
			x.found.settled++
		}
	}
	switch {
	case n.actions != len(actions):
		x.fail(isAmbiguous)
	case !n.isSettled && (len(actions) == 0 || !actions[0].isFair()):
		x.fail(isStuck)
	}
	return n
}

func (x *explorer) fail(violation string) {
	x.found.violation = cmp.Or(x.found.violation, violation)
}

// ordered returns everything that can happen in a state. Unless it is settled, the action of a
// fair run comes first.
func (w *world) ordered() []action {
	actions := w.actions()
	if !w.isSettled() {
		slices.SortStableFunc(actions, func(a, b action) int { return a.rank() - b.rank() })
	}
	return actions
}

func (n *node) isDone() bool { return len(n.next) == n.actions }

// isOnFairCycle reports whether a fair run comes back to a state that is not settled.
func (n *node) isOnFairCycle() bool {
	for m := n; !m.isSettled && len(m.next) > 0; {
		if m = m.next[0]; m == n {
			return true
		}
	}
	return false
}

// nearest returns the way from a state to one with actions that were not done, by the indexes
// of the actions; nil if none of the nearMax nearest states has such, or the state itself.
func (n *node) nearest() (way []int) {
	type visit struct {
		node          *node
		before, index int
	}
	list, seen := []visit{{node: n}}, map[*node]bool{n: true}
	for i := 0; i < len(list); i++ {
		if !list[i].node.isDone() {
			for ; i > 0; i = list[i].before {
				way = append(way, list[i].index)
			}
			slices.Reverse(way)
			return way
		}
		for index, m := range list[i].node.next {
			if !seen[m] && len(list) < nearMax {
				seen[m] = true
				list = append(list, visit{m, i, index})
			}
		}
	}
	return nil
}

// nearMax bounds the search for a state near by. Beyond it a new world is cheaper.
const nearMax = 100

// path returns the actions until a step.
func (s *done) path() []action {
	var path []action
	for ; s != nil; s = s.before {
		path = append(path, s.action)
	}
	slices.Reverse(path)
	return path
}

// shortest describes the actions on the way to the violation, without those that can be left
// out.
func (x *explorer) shortest() string {
	path := x.last.path()
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
	isAmbiguous  = "two states have the same canonical form and different actions"
	isOther      = "the same actions lead to different states"
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
