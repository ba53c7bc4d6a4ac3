package rows

// Known are rows as the writer of an engine has left them, so that it need not read
// them again: the epoch and the sequence of a customer, a record between its changes
// with the index rows that are found by decoding it.
type Known struct{ recent *Recent[entity] }

// NewKnown makes a Known of at most bytesMax.
func NewKnown(bytesMax int) Known { return Known{NewRecent[entity](bytesMax)} }

// Clear forgets everything.
func (k Known) Clear() { k.recent.Clear() }

// keep remembers a row; a number without a value is not there yet.
func (k Known) keep(e entity) {
	bytes := len(e.value)
	for _, r := range e.index {
		bytes += len(r.key) + len(r.value)
	}
	k.recent.Put(e.key, e, bytes)
}

// latest reads a primary row, without a value if there is none.
func latest(tx Tx, key []byte) (entity, error) {
	if e, kept := tx.Known().recent.Get(key); kept {
		return e, nil
	}
	value, err := tx.Get(key)
	if err != nil || value == nil {
		return entity{}, err
	}
	return decodeEntity(key, value)
}

// latestValue is latest without the index rows.
func latestValue(tx Tx, key []byte) ([]byte, error) {
	if e, kept := tx.Known().recent.Get(key); kept {
		return e.value, nil
	}
	return tx.Get(key)
}

func latestNumber(tx Tx, k key) (uint64, error) {
	value, err := latestValue(tx, k)
	if err != nil {
		return 0, err
	}
	tx.Known().keep(entity{row: row{k, value}})
	return decodeNumber(value)
}
