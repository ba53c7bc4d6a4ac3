package badgerstore

import (
	"fmt"

	"venuegate/persistence"
	"venuegate/persistence/internal/rows"
)

// acceptLoss seals a damaged database as it is, so that commits are accepted again, and repairs
// the index rows.
func (w *writer) acceptLoss() error {
	if w.damaged != nil {
		if err := w.sealAsItIs(); err != nil {
			return err
		}
	}
	if w.rejectErr != nil {
		return w.rejectErr
	}
	defer w.cache.Clear()
	for from := []byte(nil); ; {
		next, err := w.repairStep(from)
		if err != nil {
			return fmt.Errorf("%w: repair index rows: %w", persistence.ErrUnavailable, err)
		}
		if from = next; next == nil {
			return nil
		}
	}
}

// repairStep runs one step of rows.RepairIndex. It returns where the next one starts.
func (w *writer) repairStep(from []byte) (next []byte, err error) {
	if err := w.checkRoom(); err != nil {
		return nil, err
	}
	tx := w.begin()
	defer tx.end()
	next, err = rows.RepairIndex(tx, from, compactRowsMax)
	if err != nil || len(tx.changes) == 0 {
		return next, err
	}
	if err = w.commitTx(tx); err != nil {
		w.fail(nil, err)
	}
	return next, err
}

// sealAsItIs makes a damaged database one that accepts commits.
func (w *writer) sealAsItIs() error {
	if err := w.checkDisk(); err != nil {
		return err
	}
	err := w.reseal()
	if err == nil {
		err = w.initialize()
	}
	if err != nil && w.log != nil {
		w.damaged = nil // It cannot be tried again before the store is opened.
		w.fail(nil, err)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", persistence.ErrUnavailable, err)
	}
	w.rejectErr, w.damaged = nil, nil
	return nil
}
