package simcore

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// ledgerLineMax bounds one line of a ledger file.
const ledgerLineMax = 16 << 20

// ledgerFile appends rows as JSON lines. Each is written to the file before the call
// that caused it returns, but not synced to disk.
type ledgerFile struct {
	file *os.File
	err  error
}

// OpenLedger opens or creates a ledger file and reads its rows, so that a restarted
// simulator has the orders of its earlier runs. Each line is a complete row; of several
// with one id the last is valid. The caller closes the ledger.
func OpenLedger(path string) (*Ledger, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open ledger: %w", err)
	}
	rows, torn, err := readLedger(file)
	if err == nil && torn {
		// A process killed in the middle of a write leaves a line without an end.
		_, err = file.WriteString("\n")
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read ledger %s: %w", path, err), file.Close())
	}
	l := NewLedger()
	for i := range rows {
		l.insert(&rows[i])
	}
	l.file = &ledgerFile{file: file}
	return l, nil
}

// ReadLedger merges the lines of a ledger file into one row per order, in the order of
// their first lines. It skips malformed and incomplete lines.
func ReadLedger(r io.Reader) ([]LedgerOrder, error) {
	rows, _, err := readLedger(r)
	return rows, err
}

func readLedger(r io.Reader) (rows []LedgerOrder, torn bool, err error) {
	at := map[ledgerKey]int{}
	reader := bufio.NewReader(r)
	for {
		line, err := reader.ReadBytes('\n')
		if len(line) > ledgerLineMax {
			return nil, false, bufio.ErrTooLong
		}
		torn = len(line) > 0 && line[len(line)-1] != '\n'
		var row LedgerOrder
		if json.Unmarshal(line, &row) == nil && row.Kind != "" {
			key := row.key()
			if i, known := at[key]; known && row.VenueOrderID != "" {
				rows[i] = row
			} else {
				at[key] = len(rows)
				rows = append(rows, row)
			}
		}
		if errors.Is(err, io.EOF) {
			return rows, torn, nil
		}
		if err != nil {
			return nil, false, err
		}
	}
}

// write appends a row to the file, if there is one, until the first failure.
func (l *Ledger) write(row *LedgerOrder) {
	if l.file == nil || l.file.err != nil {
		return
	}
	line, err := json.Marshal(row)
	if err == nil {
		_, err = l.file.file.Write(append(line, '\n'))
	}
	l.file.err = err
}

// Err returns the first failure to write the file.
func (l *Ledger) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	return l.file.err
}

// Close closes the file. The ledger continues in memory.
func (l *Ledger) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	err := errors.Join(l.file.err, l.file.file.Close())
	l.file = nil
	return err
}
