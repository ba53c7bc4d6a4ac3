package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/valyala/fasthttp"
)

const (
	// backupMagic and backupLedgerBytes are the begin of a backup; see the store.
	backupMagic       = "vgbackup2\n"
	backupLedgerBytes = 28
	// rowsSettle is how long the last rows of an order may take.
	rowsSettle = 200 * time.Millisecond
)

// stored is the content of a store: its rows, the bytes of their keys and values, and the
// bytes of its log.
type stored struct{ rows, bytes, log int64 }

// rows measures what orders add to the store of a service.
func (c *costed) rows(ctx context.Context, orders int) error {
	before, err := c.service.stored()
	if err != nil {
		return err
	}
	if err := c.sendAll(orders); err != nil {
		return err
	}
	if err := waitUntil(ctx, time.Now().Add(rowsSettle)); err != nil {
		return err
	}
	after, err := c.service.stored()
	if err != nil {
		return err
	}
	n := float64(orders)
	c.cost.rows = append(c.cost.rows, float64(after.rows-before.rows)/n)
	c.cost.rowBytes = append(c.cost.rowBytes, float64(after.bytes-before.bytes)/n)
	if after.log < before.log {
		c.cost.unlogged = "the store has deleted a segment of its log meanwhile"
		return nil
	}
	c.cost.logged = append(c.cost.logged, float64(after.log-before.log)/n)
	return nil
}

// stored reads the content of the service's store from a backup, and the size of its log.
func (s *orderService) stored() (stored, error) {
	backup, err := s.administer(fasthttp.MethodGet, "/admin/v1/backup", nil)
	if err != nil {
		return stored{}, err
	}
	found, err := rowsOf(backup)
	if err != nil {
		return stored{}, err
	}
	found.log, err = logBytes(s.store())
	return found, err
}

var errBackup = errors.New("not a backup of the form that the benchmark reads")

// rowsOf counts the rows of a backup, which are all rows but the store's own ledger.
func rowsOf(backup []byte) (found stored, err error) {
	rest, is := bytes.CutPrefix(backup, []byte(backupMagic))
	if !is || len(rest) < backupLedgerBytes {
		return found, errBackup
	}
	in := bufio.NewReader(bytes.NewReader(rest[backupLedgerBytes:]))
	for {
		key, err := binary.ReadUvarint(in)
		if err != nil {
			return found, fmt.Errorf("%w: %w", errBackup, err)
		}
		if key == 0 {
			return found, nil
		}
		size := int64(key - 1)
		if err := skip(in, size); err != nil {
			return found, err
		}
		value, err := binary.ReadUvarint(in)
		if err != nil {
			return found, fmt.Errorf("%w: %w", errBackup, err)
		}
		if err := skip(in, int64(value)); err != nil {
			return found, err
		}
		found.rows++
		found.bytes += size + int64(value)
	}
}

func skip(in io.Reader, bytes int64) error {
	if _, err := io.CopyN(io.Discard, in, bytes); err != nil {
		return fmt.Errorf("%w: %w", errBackup, err)
	}
	return nil
}
