package rows

import (
	"cmp"
	"context"
	"slices"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// A time index is a table whose keys end with a time and an id. It is read in pages,
// newest first, in one of two ways:
//
//   - newestHits and loadPage, if the index row shows whether the record matches;
//   - filteredPage, if the filter needs the record.
//
// oldestRecords reads lists that have no pages, oldest first.

// timeRange selects rows of a time index, those that begin with prefix: at or after
// from, before to, and older than the position after. Zero fields do not filter.
type timeRange struct {
	prefix   key
	from, to time.Time
	after    *persistence.PagePosition
}

// bounds returns the range of keys, to exclusive. Stored times have milliseconds, so
// both times are rounded up.
func (r timeRange) bounds() (from, to []byte) {
	from, to = r.prefix, r.prefix.end()
	if !r.from.IsZero() {
		from = r.prefix.clone().millis(ceilMillis(r.from))
	}
	if !r.to.IsZero() {
		to = r.prefix.clone().millis(ceilMillis(r.to))
	}
	if r.after != nil {
		position := []byte(r.prefix.clone().time(r.after.At.Time).text(r.after.ID))
		if slices.Compare(position, to) < 0 {
			to = position
		}
	}
	return from, to
}

// ceilMillis returns t in milliseconds, rounded up.
func ceilMillis(t time.Time) int64 {
	ms := t.UnixMilli()
	if t.After(time.UnixMilli(ms)) {
		ms++
	}
	return ms
}

// position returns the time and id at the end of an index key.
func (r timeRange) position(key []byte) (persistence.PagePosition, error) {
	reader := keyReader{rest: key[len(r.prefix):]}
	at := venues.At(reader.time())
	id := reader.text()
	return persistence.PagePosition{At: at, ID: id}, reader.err
}

// hit is an index row that was found: the position in its key, and its value.
type hit struct {
	persistence.PagePosition
	value []byte
}

// newestHits returns the index rows that match, newest first, at most limit.
func (r timeRange) newestHits(ctx context.Context, snapshot Snapshot, limit int, match func(hit) (bool, error)) ([]hit, error) {
	var hits []hit
	var failed error
	from, to := r.bounds()
	err := snapshot.Scan(from, to, true, func(key, value []byte) bool {
		var position persistence.PagePosition
		var matches bool
		if position, failed = r.position(key); failed == nil {
			matches, failed = match(hit{position, value})
		}
		if matches {
			hits = append(hits, hit{position, slices.Clone(value)})
		}
		if failed == nil {
			failed = ctx.Err()
		}
		return failed == nil && len(hits) < limit
	})
	return hits, firstError(failed, err)
}

// pageSize returns the size of a page for the Limit of a query.
func pageSize(limit int) int {
	if limit <= 0 || limit > persistence.PageSizeMax {
		return persistence.PageSizeMax
	}
	return limit
}

// loadPage loads the records of a page of the given size from its hits. One hit more
// than that means that there is another page.
func loadPage[T any](hits []hit, size int, load func(hit) (T, error)) (persistence.Page[T], error) {
	var page persistence.Page[T]
	if len(hits) > size {
		last := hits[size-1].PagePosition
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

// filteredPage returns the newest page of a range, for queries whose filter needs the
// record: load returns a record and reports whether it matches. At most
// persistence.ScanRowsMax rows are scanned; the next page continues after them.
func filteredPage[T any](ctx context.Context, s Snapshot, index timeRange, limit int, load func(hit) (T, bool, error)) (persistence.Page[T], error) {
	size := pageSize(limit)
	page := persistence.Page[T]{Items: []T{}}
	var last persistence.PagePosition
	scanned := 0
	visit := func(key, value []byte) (more bool, err error) {
		position, err := index.position(key)
		if err != nil {
			return false, err
		}
		item, matches, err := load(hit{position, value})
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
		last = position
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

// oldestRecords returns the records of a time index, oldest first, at most limit.
// keyWithoutID is their key except for the id, which the index row has.
func oldestRecords[T persistence.Record](ctx context.Context, engine Viewer, prefix key, keyWithoutID persistence.Key, limit int) ([]T, error) {
	index := timeRange{prefix: prefix}
	return view(ctx, engine, func(s Snapshot) ([]T, error) {
		return collect(ctx, s, prefix, prefix.end(), limit, func(key, _ []byte) (record T, err error) {
			position, err := index.position(key)
			if err != nil {
				return record, err
			}
			k := keyWithoutID
			k.ID = position.ID
			return indexedRecord[T](s, k)
		})
	})
}

// merge returns the newest hits of several ranges, newest first, at most limit.
func merge(limit int, lists ...[]hit) []hit {
	all := slices.Concat(lists...)
	slices.SortFunc(all, func(a, b hit) int {
		return cmp.Or(b.At.Compare(a.At.Time), cmp.Compare(b.ID, a.ID))
	})
	return all[:min(limit, len(all))]
}
