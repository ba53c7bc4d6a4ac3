package payload

import (
	"encoding/json"
	"fmt"
	"time"

	"venuegate/venues"
)

// Book is a complete book as read by REST. Its rows are `["price","qty",...]`.
type Book struct {
	Symbol     string
	Seq        uint64
	Time       time.Time
	Bids, Asks [][]string
}

// Snapshot returns the book in fixed-point numbers, in an update of the pool; parse converts
// each row. A side may be empty but not missing.
func (b Book) Snapshot(received time.Time, parse func(price, qty string) (venues.Level, error)) (*venues.BookUpdate, error) {
	if b.Bids == nil || b.Asks == nil {
		return nil, Missing("a side of the book")
	}
	u := venues.NewBookUpdate()
	u.Symbol, u.Snapshot = b.Symbol, true
	u.FirstSeq, u.LastSeq = b.Seq, b.Seq
	u.VenueTime, u.Received = b.Time, received
	var err error
	if u.Bids, err = levels(u.Bids, b.Bids, parse); err == nil {
		u.Asks, err = levels(u.Asks, b.Asks, parse)
	}
	if err != nil {
		u.Release()
		return nil, err
	}
	return u, nil
}

func levels(into []venues.Level, rows [][]string, parse func(price, qty string) (venues.Level, error)) ([]venues.Level, error) {
	for _, row := range rows {
		if len(row) < 2 {
			return into, Missing("level")
		}
		level, err := parse(row[0], row[1])
		if err != nil {
			return into, err
		}
		into = append(into, level)
	}
	return into, nil
}

// Columns decodes the first cells of a row of mixed types, one into each of into. No cell
// may be missing, and no Number may be unknown.
func Columns(row []json.RawMessage, into ...any) error {
	if len(row) < len(into) {
		return Missing(fmt.Sprintf("column %d", len(row)))
	}
	for column, target := range into {
		if err := json.Unmarshal(row[column], target); err != nil {
			return fmt.Errorf("column %d: %w", column, err)
		}
		if n, ok := target.(*Number); ok && !n.Valid {
			return Missing(fmt.Sprintf("column %d", column))
		}
	}
	return nil
}
