package rows

import (
	"bytes"
	"fmt"

	"venuegate/persistence"
)

// Getter reads one row. A nil value means that there is none; nobody changes the
// value afterwards.
type Getter interface {
	Get(key []byte) ([]byte, error)
}

// Tx is the engine's side of a group of commits: it reads what was durable
// before and what the group has changed so far.
type Tx interface {
	Getter
	// Replace changes one row. old is the value there now, nil for none; value
	// is the new one, nil to delete. The engine may keep all three slices.
	Replace(key, old, value []byte) error
	// Known is what the engine keeps from one group to the next; it forgets all of it
	// when the changes of a group are thrown away. The zero Known remembers nothing.
	Known() Known
}

// Commit is a batch prepared for the writer: everything that needs no reading
// is done.
type Commit struct {
	fence    persistence.Fence
	absent   []absence
	entities []entity
	lastSeq  uint64
	// foreign names a customer whose records the fence does not cover.
	foreign string
	empty   bool
	size    int
}

type absence struct {
	kind persistence.Kind
	key  []byte
}

// commitBytesFixed is what a commit is counted for besides its rows: fence,
// sequence and bookkeeping.
const commitBytesFixed = 128

// Prepare encodes a batch. It keeps nothing of the batch's memory. Errors wrap
// ErrInvalid.
func Prepare(b persistence.Batch) (*Commit, error) {
	c := &Commit{fence: b.Fence, empty: b.Empty(), size: commitBytesFixed}
	if err := checkTexts(b.Fence.Customer); err != nil {
		return nil, err
	}
	for _, k := range b.Absent {
		primary, err := recordKey(k)
		if err != nil {
			return nil, err
		}
		c.absent = append(c.absent, absence{k.Kind, primary})
		c.own(k)
	}
	c.entities = make([]entity, 0, len(b.Puts)+len(b.Events)+len(b.Journal))
	for _, r := range b.Puts {
		e, err := recordEntity(r)
		if err != nil {
			return nil, err
		}
		c.add(e)
		c.own(r.Key())
	}
	return c, c.addLog(b)
}

func (c *Commit) addLog(b persistence.Batch) error {
	for _, event := range b.Events {
		e, err := eventEntity(b.Fence.Customer, event)
		if err != nil {
			return err
		}
		c.add(e)
		c.lastSeq = max(c.lastSeq, event.Seq)
	}
	for _, entry := range b.Journal {
		e, err := journalEntity(b.Fence.Customer, entry)
		if err != nil {
			return err
		}
		c.add(e)
		c.lastSeq = max(c.lastSeq, entry.Seq)
	}
	return nil
}

func (c *Commit) add(e entity) {
	c.entities = append(c.entities, e)
	c.size += len(e.key) + len(e.value)
	for _, r := range e.index {
		c.size += len(r.key) + len(r.value)
	}
}

// own notes a record that the fence does not cover. Records of the installation
// may be part of any batch, so that a key and the journal row about it are one
// commit.
func (c *Commit) own(k persistence.Key) {
	if k.Customer != "" && k.Customer != c.fence.Customer {
		c.foreign = k.Customer
	}
}

// Empty says whether the commit is a barrier.
func (c *Commit) Empty() bool { return c.empty }

// Size is about how many bytes the commit writes.
func (c *Commit) Size() int { return c.size }

// Apply checks the commit and makes its changes. ErrFenced and ExistsError
// leave everything as it was; any other error comes from the engine or from a
// corrupt row, and the changes made so far must be thrown away.
func (c *Commit) Apply(tx Tx, generation uint64) error {
	if c.empty {
		return nil
	}
	if err := c.checkFence(tx, generation); err != nil {
		return err
	}
	for _, a := range c.absent {
		if err := checkAbsent(tx, a); err != nil {
			return err
		}
	}
	for _, e := range c.entities {
		if err := put(tx, e); err != nil {
			return err
		}
	}
	return c.raiseSequence(tx)
}

func (c *Commit) checkFence(tx Tx, generation uint64) error {
	if c.foreign != "" {
		return fmt.Errorf("%w: a record of %q under the fence of %q", persistence.ErrFenced, c.foreign, c.fence.Customer)
	}
	if c.fence.Customer == "" {
		return nil
	}
	epoch, err := latestNumber(tx, epochKey(c.fence.Customer))
	if err != nil {
		return err
	}
	if c.fence.Epoch != epoch || epoch <= firstEpoch(generation) {
		return persistence.ErrFenced
	}
	return nil
}

func checkAbsent(tx Tx, a absence) error {
	value, err := latestValue(tx, a.key)
	if err != nil || value == nil {
		return err
	}
	found, err := DecodeRecord(a.kind, value)
	if err != nil {
		return err
	}
	return &persistence.ExistsError{Found: found}
}

func put(tx Tx, e entity) error {
	old, err := latest(tx, e.key)
	if err != nil {
		return err
	}
	if old.value == nil {
		err = insert(tx, e)
	} else {
		err = replace(tx, old, e)
	}
	// The log's rows never change.
	if err == nil && e.changes {
		tx.Known().keep(e)
	}
	return err
}

func insert(tx Tx, e entity) error {
	if err := tx.Replace(e.key, nil, e.value); err != nil {
		return err
	}
	for _, r := range e.index {
		if err := tx.Replace(r.key, nil, r.value); err != nil {
			return err
		}
	}
	return nil
}

// replace changes the primary row and what differs in the index.
func replace(tx Tx, old, e entity) error {
	if bytes.Equal(old.value, e.value) {
		return nil
	}
	if err := tx.Replace(e.key, old.value, e.value); err != nil {
		return err
	}
	for _, stale := range old.index {
		if find(e.index, stale.key) != nil {
			continue
		}
		if err := tx.Replace(stale.key, stale.value, nil); err != nil {
			return err
		}
	}
	for _, r := range e.index {
		before := find(old.index, r.key)
		if before != nil && bytes.Equal(before, r.value) {
			continue
		}
		if err := tx.Replace(r.key, before, r.value); err != nil {
			return err
		}
	}
	return nil
}

func remove(tx Tx, e entity) error {
	tx.Known().recent.Delete(e.key)
	if err := tx.Replace(e.key, e.value, nil); err != nil {
		return err
	}
	for _, r := range e.index {
		if err := tx.Replace(r.key, r.value, nil); err != nil {
			return err
		}
	}
	return nil
}

// find gives the value of a key in an index; never nil for one that is there.
func find(index []row, key []byte) []byte {
	for _, r := range index {
		if bytes.Equal(r.key, key) {
			return r.value
		}
	}
	return nil
}

func (c *Commit) raiseSequence(tx Tx) error {
	if c.lastSeq == 0 {
		return nil
	}
	return raiseNumber(tx, sequenceKey(c.fence.Customer), c.lastSeq)
}

func sequenceKey(customer string) key { return newKey(customer, tableSequence) }

// raiseNumber sets a number that never falls.
func raiseNumber(tx Tx, k key, n uint64) error {
	before, err := latestNumber(tx, k)
	if err != nil || before >= n {
		return err
	}
	var old []byte
	if before > 0 {
		old = encodeNumber(before)
	}
	value := encodeNumber(n)
	tx.Known().keep(entity{row: row{k, value}})
	return tx.Replace(k, old, value)
}
