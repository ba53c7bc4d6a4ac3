package rows

import (
	"cmp"
	"context"
	"slices"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// span is a range of time index rows: one index, [from, to) in milliseconds,
// and the position after which to continue.
type span struct {
	prefix   key
	from, to time.Time
	after    *persistence.Position
}

// bounds gives the range of keys. Stored moments have milliseconds, so that both
// bounds round up.
func (s span) bounds() (from, to []byte) {
	from, to = s.prefix, s.prefix.end()
	if !s.from.IsZero() {
		from = s.prefix.clone().ms(ceilMs(s.from))
	}
	if !s.to.IsZero() {
		to = s.prefix.clone().ms(ceilMs(s.to))
	}
	if s.after != nil {
		position := []byte(s.prefix.clone().moment(s.after.At.Time).text(s.after.ID))
		if slices.Compare(position, to) < 0 {
			to = position
		}
	}
	return from, to
}

func ceilMs(t time.Time) int64 {
	ms := t.UnixMilli()
	if t.After(time.UnixMilli(ms)) {
		ms++
	}
	return ms
}

// position reads the end of a time index key.
func (s span) position(key []byte) (persistence.Position, error) {
	reader := keyReader{rest: key[len(s.prefix):]}
	at := venues.At(reader.moment())
	id := reader.text()
	return persistence.Position{At: at, ID: id}, reader.err
}

// hit is an index row that matched.
type hit struct {
	persistence.Position
	value []byte
}

// newest visits the span from its newest row on and keeps those that match, at
// most limit.
func (s span) newest(ctx context.Context, snapshot Snapshot, limit int, match func(value []byte) (bool, error)) ([]hit, error) {
	var hits []hit
	var failed error
	from, to := s.bounds()
	err := snapshot.Scan(from, to, true, func(key, value []byte) bool {
		var matches bool
		if matches, failed = match(value); failed == nil && matches {
			var at persistence.Position
			at, failed = s.position(key)
			hits = append(hits, hit{at, slices.Clone(value)})
		}
		if failed == nil {
			failed = ctx.Err()
		}
		return failed == nil && len(hits) < limit
	})
	return hits, firstError(failed, err)
}

// pageSize reads a Limit: none, or one above the bound, is the bound.
func pageSize(limit int) int {
	if limit <= 0 || limit > persistence.PageSizeMax {
		return persistence.PageSizeMax
	}
	return limit
}

// makePage turns the hits of a page and one more into records.
func makePage[T any](hits []hit, size int, load func(hit) (T, error)) (persistence.Page[T], error) {
	var page persistence.Page[T]
	if len(hits) > size {
		last := hits[size-1].Position
		page.Next, hits = &last, hits[:size]
	}
	page.Items = make([]T, 0, len(hits))
	for _, h := range hits {
		item, err := load(h)
		if err != nil {
			return persistence.Page[T]{}, err
		}
		page.Items = append(page.Items, item)
	}
	return page, nil
}

// merge joins hits of several spans, newest first.
func merge(limit int, lists ...[]hit) []hit {
	all := slices.Concat(lists...)
	slices.SortFunc(all, func(a, b hit) int {
		return cmp.Or(b.At.Compare(a.At.Time), cmp.Compare(b.ID, a.ID))
	})
	return all[:min(limit, len(all))]
}
