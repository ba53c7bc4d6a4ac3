package rest

import (
	"slices"
	"time"

	"venuegate/persistence"
)

// Limits of rows. Most of what a list costs is in proportion to its rows: each is read,
// decoded and encoded. The limit of a key permits its 600 reads a minute at an even rate,
// of the longest lists too.
const (
	// rowsPerSecondKey is the average rate of a key, and rowsBurstKey the time whose rows
	// it may read at once.
	rowsPerSecondKey = 10_000
	rowsBurstKey     = 500 * time.Millisecond
	// rowsPerSecondProcessor is the average rate of all keys together for each processor,
	// and rowsBurst the time whose rows they may read at once. A row takes up to 20 µs of
	// processor time: the rows of all keys take a tenth of the processors.
	rowsPerSecondProcessor = 5_000
	rowsBurst              = 50 * time.Millisecond
	// listWaitMax bounds the wait of a list for its rows, and that for its slot.
	listWaitMax = time.Second
	// filterRows is the cost of skipping as many rows as a page scans. Those that do not
	// match are decoded in part.
	filterRows = persistence.ScanRowsMax / 16
)

// listsAtOnce is the number of lists that are made at once: the other processors are for
// orders.
func listsAtOnce(processors int) int { return max(1, processors/2) }

// rowsOf returns the cost of a list in rows until its records are known: its limit, and
// filterRows if it may skip rows.
func rowsOf(limit int, skips bool) int {
	if skips {
		return limit + filterRows
	}
	return limit
}

// reserveRows reserves rows of the key and of all keys, and returns how long to wait for
// them. A list waits for the rows of other keys no longer than until its key has paid for its
// earlier rows at an equal share of the rate of all keys: a key that reads less is served at
// once beside those that read as much as they can. The caller holds the lock.
func (r *read) reserveRows(rows int, now time.Time) (time.Duration, error) {
	ofKey := r.key.rows.wait(now)
	if ofKey > listWaitMax {
		return 0, limitedKey(ofKey-listWaitMax, rowsPerSecondKey, "the key reads lists of more than %d rows per second")
	}
	ofAll := min(r.of.rows.wait(now), r.key.share.wait(now))
	if ofAll > listWaitMax {
		return 0, limited(ofAll, "more rows are being read than the service can read beside orders")
	}
	r.shares = r.of.shares(r.key, now)
	r.key.share.take(rows*r.shares, now)
	r.key.rows.take(rows, now)
	r.of.rows.take(rows, now)
	return max(ofKey, ofAll), nil
}

// shares returns the number of keys that share the rate of all keys: those with unpaid rows
// and the given one. The caller holds the lock.
func (r *reads) shares(key *keyReads, now time.Time) int {
	r.sharing = slices.DeleteFunc(r.sharing, func(k *keyReads) bool { return k.share.idle(now) })
	if !slices.Contains(r.sharing, key) {
		r.sharing = append(r.sharing, key)
	}
	return len(r.sharing)
}

// correctRows reserves more rows, or fewer than before if that is negative. The caller
// holds the lock.
func (r *read) correctRows(more int) {
	r.key.rows.correct(more)
	r.key.share.correct(more * r.shares)
	r.of.rows.correct(more)
}

// pacer spaces rows: perSecond on average, and those of burst at once.
type pacer struct {
	perSecond int
	burst     time.Duration
	// paidAt is when the rows that were taken have been paid for.
	paidAt time.Time
}

// wait returns how long to wait for the next rows.
func (p *pacer) wait(now time.Time) time.Duration { return max(p.paidAt.Add(-p.burst).Sub(now), 0) }

func (p *pacer) take(rows int, now time.Time) {
	if p.paidAt.Before(now) {
		p.paidAt = now
	}
	p.paidAt = p.paidAt.Add(p.timeOf(rows))
}

// correct changes the number of rows that were taken.
func (p *pacer) correct(more int) { p.paidAt = p.paidAt.Add(p.timeOf(more)) }

// timeOf returns the time in which rows are paid for.
func (p *pacer) timeOf(rows int) time.Duration {
	return time.Duration(rows) * time.Second / time.Duration(p.perSecond)
}

// idle reports whether all rows have been paid for.
func (p *pacer) idle(now time.Time) bool { return !p.paidAt.After(now) }
