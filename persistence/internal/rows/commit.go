package rows

import (
	"bytes"
	"fmt"

	"venuegate/persistence"
)

// Commit is a batch that is encoded and checked as far as possible without reading. The
// writer of an engine applies it.
type Commit struct {
	fence    persistence.Fence
	absent   []absentKey
	entities []entity
	// lastSeq is the highest sequence of the events and journal rows; zero if there are
	// none.
	lastSeq uint64
	// uncovered is a customer whose records the batch contains although its fence does
	// not cover them; empty if there is none.
	uncovered string
	empty     bool
	size      int
}

// absentKey is the primary key of a record that must not exist.
type absentKey struct {
	persistence.Key
	primary []byte
}

// commitBytesFixed is the approximate size of a commit in addition to its rows: fence,
// sequence and bookkeeping.
const commitBytesFixed = 128

// Prepare encodes a batch. It retains no memory of the batch and may be called
// concurrently. Its errors wrap ErrInvalid; Rejected makes them the reply to the caller.
func Prepare(b persistence.Batch) (*Commit, error) {
	c := &Commit{fence: b.Fence, empty: b.Empty(), size: commitBytesFixed}
	if err := checkTexts(b.Fence.Customer); err != nil {
		return nil, err
	}
	c.absent = make([]absentKey, 0, len(b.Absent))
	for _, k := range b.Absent {
		primary, err := recordKey(k)
		if err != nil {
			return nil, err
		}
		c.absent = append(c.absent, absentKey{k, primary})
		c.noteOwner(k)
	}
	c.entities = make([]entity, 0, len(b.Puts)+len(b.Events)+len(b.Journal))
	for _, r := range b.Puts {
		k := r.Key()
		e, err := recordEntity(k, r)
		if err != nil {
			return nil, err
		}
		c.add(e)
		c.noteOwner(k)
	}
	if err := c.addLog(b); err != nil {
		return nil, err
	}
	return c, nil
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

// noteOwner sets uncovered if the fence does not cover the key; Apply then returns ErrFenced, as
// for any other wrong fence. Records of the installation may be part of any batch, so that an
// API key and its journal row are one commit.
func (c *Commit) noteOwner(k persistence.Key) {
	if k.Customer != "" && k.Customer != c.fence.Customer {
		c.uncovered = k.Customer
	}
}

// Empty reports whether the batch is empty: a barrier, which only waits for the batches
// before it.
func (c *Commit) Empty() bool { return c.empty }

// Size returns the approximate number of bytes that the commit writes.
func (c *Commit) Size() int { return c.size }

// Apply checks the commit and applies its changes; it is an Operation. generation counts
// the openings of the store. If Apply returns ErrFenced or an ExistsError, nothing was
// changed; any other error comes from the engine or from a corrupt row, and the changes
// made so far must be rolled back.
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

// checkFence returns ErrFenced unless the fence has the current epoch of its customer,
// assigned since the store was opened, and covers all records.
func (c *Commit) checkFence(tx Tx, generation uint64) error {
	if c.uncovered != "" {
		return fmt.Errorf("%w: a record of %q under the fence of %q", persistence.ErrFenced, c.uncovered, c.fence.Customer)
	}
	if c.fence.Customer == "" {
		return nil
	}
	epoch, err := currentNumber(tx, epochKey(c.fence.Customer))
	if err != nil {
		return err
	}
	if c.fence.Epoch != epoch || epoch <= epochFloor(generation) {
		return persistence.ErrFenced
	}
	return nil
}

// checkAbsent returns an ExistsError if the record exists.
func checkAbsent(tx Tx, a absentKey) error {
	value, err := currentValue(tx, a.primary)
	if err != nil || value == nil {
		return err
	}
	found, err := decodeRecord(a.Key, value)
	if err != nil {
		return err
	}
	return &persistence.ExistsError{Found: found}
}

// put writes an entity, and deletes the index rows of the record that it replaces and
// that it lacks itself.
func put(tx Tx, e entity) error {
	old, err := currentEntity(tx, e.key)
	if err != nil {
		return err
	}
	if old.value == nil {
		err = insert(tx, e)
	} else {
		err = replace(tx, old, e)
	}
	if err == nil && e.mutable { // the log is never replaced
		tx.Cache().put(e)
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

// replace changes the primary row and those index rows that differ. If the values are
// equal, so are the index rows.
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

// remove deletes an entity.
func remove(tx Tx, e entity) error {
	tx.Cache().entities.Delete(e.key)
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

// find returns the value of the index row with the key; nil if there is none.
func find(index []row, key []byte) []byte {
	for _, r := range index {
		if bytes.Equal(r.key, key) {
			return r.value
		}
	}
	return nil
}

// raiseSequence stores the highest sequence used, which outlives purged events.
func (c *Commit) raiseSequence(tx Tx) error {
	if c.lastSeq == 0 {
		return nil
	}
	return raiseNumber(tx, sequenceKey(c.fence.Customer), c.lastSeq)
}
