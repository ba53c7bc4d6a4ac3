package simcore

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"
)

// StatePart is what the simulator of a venue adds to the state of its exchange.
type StatePart interface {
	// Save puts the entries that changed since the last Save, or all of them. Like a
	// subscriber it must be quick and must not call the exchange.
	Save(all bool, put func(kind string, value any))
	// Load restores an entry of Save. Of several with one id the last is valid. It returns
	// false for a kind that is not of this part.
	Load(kind string, value json.RawMessage) (known bool, err error)
	// Detail restores the Detail of an order or a conditional order, which has been
	// encoded as JSON. It may refer to entries that were loaded before.
	Detail(encoded json.RawMessage) (any, error)
}

// StateError is the error of a state file that cannot be used. The file was renamed to
// MovedTo, so that the next attempt begins without state.
type StateError struct {
	Path, MovedTo string
	Err           error
}

func (e *StateError) Error() string {
	return fmt.Sprintf("state %s cannot be used and is now %s: %v", e.Path, e.MovedTo, e.Err)
}

func (e *StateError) Unwrap() error { return e.Err }

// marketSaveInterval is how often the prices of markets are written.
const marketSaveInterval = time.Second

// stateKeeper collects what a call changes. A nil one collects nothing.
type stateKeeper struct {
	file   *stateFile
	part   StatePart
	failed func(error)
	// err is the first failure to write, after which nothing more is written.
	err error

	counters  counters
	marketsAt time.Time

	accounts     touched[*account]
	conditionals touched[*Conditional]
	orders       touched[*Order]
	symbols      touched[*symbol]
	changes      []storedChange
	bars         []storedBar
	fundings     []storedFunding
}

// touched are values in the order in which they were first added.
type touched[T comparable] struct {
	list []T
	seen map[T]bool
}

func (t *touched[T]) add(value T) {
	if t.seen[value] {
		return
	}
	if t.seen == nil {
		t.seen = map[T]bool{}
	}
	t.seen[value] = true
	t.list = append(t.list, value)
}

// KeepState restores the state of an earlier exchange from a file, if it exists, and
// writes every later change to it before the call that caused it returns. It must be
// called once, before the exchange is shared. failed is called with the first failure to
// write, after which nothing more is written; it must not call the exchange. After a
// *StateError the exchange must not be used.
func (x *Exchange) KeepState(path string, part StatePart, failed func(error)) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	file := &stateFile{path: path, growthMax: stateGrowthBytesMax, header: stateHeader{Version: stateVersion, Venue: x.options.Name, Seed: x.options.Seed}}
	restored := &restoration{exchange: x, part: part, markets: map[string]storedMarket{}}
	if err := file.read(restored.load); err != nil {
		unusable := &StateError{Path: path, MovedTo: path + ".unusable", Err: err}
		if err := os.Rename(path, unusable.MovedTo); err != nil {
			return errors.Join(unusable.Err, err)
		}
		return unusable
	}
	restored.finish()
	k := &stateKeeper{file: file, part: part, failed: failed}
	if err := file.rewrite(func(put func(string, any)) { k.save(x, true, put) }); err != nil {
		return fmt.Errorf("write state: %w", err)
	}
	x.state = k
	return nil
}

// CloseState writes the present prices and closes the state file. The exchange continues
// in memory.
func (x *Exchange) CloseState() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.state == nil {
		return nil
	}
	x.touchMarkets()
	x.saveState()
	err := errors.Join(x.state.err, x.state.file.close())
	x.state = nil
	return err
}

// Touch writes an order and a conditional order with an id again. It must be called where
// the simulator has changed the Detail of one of them without another call.
func (x *Exchange) Touch(accountID string, id int64) {
	x.mu.Lock()
	defer x.unlock()
	a := x.accounts[accountID]
	if a == nil {
		return
	}
	if o := a.orders[id]; o != nil {
		x.state.touchOrder(o)
	}
	if c := a.conditionals.byID[id]; c != nil {
		x.state.touchConditional(c)
	}
}

// unlock saves what the call changed and unlocks the exchange.
func (x *Exchange) unlock() {
	x.saveState()
	x.mu.Unlock()
}

func (x *Exchange) saveState() {
	k := x.state
	if k == nil || k.err != nil {
		return
	}
	if k.file.grown > k.file.growthMax {
		k.fail(k.file.rewrite(func(put func(string, any)) { k.save(x, true, put) }))
		return
	}
	var record stateRecord
	k.save(x, false, record.put)
	if len(record.entries) > 0 || record.err != nil {
		k.fail(k.file.append(&record))
	}
}

func (k *stateKeeper) fail(err error) {
	if err != nil {
		k.err = err
		k.failed(err)
	}
}

// save puts what changed, or everything. Entries come after those that they refer to.
func (k *stateKeeper) save(x *Exchange, all bool, put func(kind string, value any)) {
	k.part.Save(all, put)
	if all {
		k.touchAll(x)
	}
	if now := x.counters(); all || now != k.counters {
		k.counters = now
		put(kindCounters, now)
	}
	k.saveAccounts(x, put)
	k.saveMarkets(put)
}

func (k *stateKeeper) touchAll(x *Exchange) {
	k.changes, k.bars, k.fundings = nil, nil, nil
	for _, id := range x.ids {
		k.touchAccount(x.accounts[id])
		k.touchHistory(x.accounts[id])
	}
	for _, name := range x.names {
		k.touchMarket(x.symbols[name])
	}
}

const kindCounters = "counters"

// counters are the numbers from which the next ids are made.
type counters struct {
	Order       int64 `json:"order"`
	Conditional int64 `json:"conditional"`
	Change      int64 `json:"change"`
	Account     int   `json:"account"`
	Queue       int64 `json:"queue"`
}

func (x *Exchange) counters() counters {
	return counters{x.orderID, x.algoID, x.changeID, x.accountSeq, x.queueSeq}
}

// setCounters continues from the larger numbers, so that no id is used again where the
// clock was set back.
func (x *Exchange) setCounters(c counters) {
	x.orderID, x.algoID, x.changeID = max(x.orderID, c.Order), max(x.algoID, c.Conditional), max(x.changeID, c.Change)
	x.accountSeq, x.queueSeq = max(x.accountSeq, c.Account), max(x.queueSeq, c.Queue)
}
