package rows

import (
	"cmp"
	"context"
	"math"
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
func (s span) newest(ctx context.Context, snapshot Snapshot, limit int, match func(hit) (bool, error)) ([]hit, error) {
	var hits []hit
	var failed error
	from, to := s.bounds()
	err := snapshot.Scan(from, to, true, func(key, value []byte) bool {
		var at persistence.Position
		var matches bool
		if at, failed = s.position(key); failed == nil {
			matches, failed = match(hit{at, value})
		}
		if matches {
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

// filtered reads the newest page of a span whose filter needs the records
// themselves: load says which of them match. It looks at no more rows than
// persistence.ScanRowsMax; the next page goes on behind them.
func filtered[T any](ctx context.Context, s Snapshot, index span, limit int, load func(hit) (T, bool, error)) (persistence.Page[T], error) {
	size := pageSize(limit)
	page := persistence.Page[T]{Items: []T{}}
	var last persistence.Position
	scanned := 0
	visit := func(key, value []byte) (more bool, err error) {
		at, err := index.position(key)
		if err != nil {
			return false, err
		}
		item, matches, err := load(hit{at, value})
		if err != nil {
			return false, err
		}
		if scanned == persistence.ScanRowsMax || matches && len(page.Items) == size {
			page.Next = &last
			return false, nil
		}
		if matches {
			page.Items = append(page.Items, item)
		}
		last = at
		scanned++
		return true, ctx.Err()
	}
	var failed error
	from, to := index.bounds()
	err := s.Scan(from, to, true, func(key, value []byte) (more bool) {
		more, failed = visit(key, value)
		return more && failed == nil
	})
	if err := firstError(failed, err); err != nil {
		return persistence.Page[T]{}, err
	}
	return page, nil
}

// noLimit is the limit of a list that must be whole.
const noLimit = math.MaxInt

// oldest lists the records that a time index names, oldest first, at most limit.
// of is their key but for the id.
func oldest[T persistence.Record](ctx context.Context, engine Viewer, prefix key, of persistence.Key, limit int) ([]T, error) {
	var records []T
	err := engine.View(ctx, func(s Snapshot) error {
		index := span{prefix: prefix}
		var failed error
		err := s.Scan(prefix, prefix.end(), false, func(key, _ []byte) bool {
			var at persistence.Position
			if at, failed = index.position(key); failed != nil {
				return false
			}
			k := of
			k.ID = at.ID
			var record T
			if record, failed = indexed[T](s, k); failed != nil {
				return false
			}
			records = append(records, record)
			failed = ctx.Err()
			return failed == nil && len(records) < limit
		})
		return firstError(failed, err)
	})
	return records, err
}

// merge joins hits of several spans, newest first.
func merge(limit int, lists ...[]hit) []hit {
	all := slices.Concat(lists...)
	slices.SortFunc(all, func(a, b hit) int {
		return cmp.Or(b.At.Compare(a.At.Time), cmp.Compare(b.ID, a.ID))
	})
	return all[:min(limit, len(all))]
}
