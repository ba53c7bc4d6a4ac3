package payload

import (
	"encoding/json"
	"fmt"

	"venuegate/venues"
)

// Sides appends the rows of a book, `["price","qty",...]`, to an update; parse converts
// each. A side may be empty but not missing.
func Sides(u *venues.BookUpdate, bids, asks [][]string, parse func(price, qty string) (venues.Level, error)) (err error) {
	if bids == nil || asks == nil {
		return Missing("a side of the book")
	}
	if u.Bids, err = levels(u.Bids, bids, parse); err == nil {
		u.Asks, err = levels(u.Asks, asks, parse)
	}
	return err
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
