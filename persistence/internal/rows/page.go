package rows

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"

	"venuegate/persistence"
	"venuegate/venues"
)

// A time index is a table whose keys end with a time and an id. It is read in pages,
// newest first, in one of two ways:
//
//   - mergedPage, if the index row, or the begin of the record, shows whether it matches;
//   - filteredPage, if the filter needs the record.
//
// oldestRecords reads lists that have no pages, oldest first.

// timeRange selects rows of a time index, those that begin with prefix: at or after
// from, before to, and older than the position after. Zero fields do not filter.
type timeRange struct {
	prefix key
	// ids is set if the rows are records, and their time is in their ids: the text before
	// the ULID. Records with other ids are not part of the range.
	ids      string
	from, to time.Time
	after    *persistence.PagePosition
}

// bounds returns the range of keys, to exclusive. Stored times have milliseconds, so
// both times are rounded up.
func (r timeRange) bounds() (from, to []byte) {
	from, to = r.prefix, r.prefix.end()
	if r.ids != "" {
		from, to = r.begin(idMillisMin), append(r.prefix.clone(), r.ids...).end()
	}
	if !r.from.IsZero() {
		from = r.begin(ceilMillis(r.from))
	}
	if !r.to.IsZero() {
		to = r.begin(ceilMillis(r.to))
	}
	if r.after != nil {
		if position := r.end(r.after); bytes.Compare(position, to) < 0 {
			to = position
		}
	}
	return from, to
}

// begin returns the first key with a time or a later one.
func (r timeRange) begin(ms int64) []byte {
	switch {
	case r.ids == "":
		return r.prefix.clone().millis(ms)
	case ms > int64(ulid.MaxTime()):
		return append(r.prefix.clone(), r.ids...).end()
	}
	return r.prefix.clone().idTime(r.ids, max(ms, idMillisMin))
}

// end returns the first key that is not older than a position.
func (r timeRange) end(at *persistence.PagePosition) []byte {
	if r.ids == "" {
		return r.prefix.clone().time(at.At.Time).text(at.ID)
	}
	// The position may be that of a record whose id has another time.
	ms := at.At.UnixMilli()
	first, next := r.begin(ms), r.begin(ms+1)
	switch id := []byte(r.prefix.clone().text(at.ID)); {
	case bytes.Compare(id, first) < 0:
		return first
	case bytes.Compare(id, next) > 0:
		return next
	default:
		return id
	}
}

// within returns the part of the range from a time, inclusive, to another.
func (r timeRange) within(from, to time.Time) timeRange {
	if r.from.Before(from) {
		r.from = from
	}
	if r.to.IsZero() || r.to.After(to) {
		r.to = to
	}
	return r
}

// ceilMillis returns t in milliseconds, rounded up.
func ceilMillis(t time.Time) int64 {
	ms := t.UnixMilli()
	if t.After(time.UnixMilli(ms)) {
		ms++
	}
	return ms
}

// position returns the time and id of a row. inRange is false for a record that is not part
// of the range.
func (r timeRange) position(key []byte) (at persistence.PagePosition, inRange bool, err error) {
	reader := keyReader{rest: key[len(r.prefix):]}
	if r.ids == "" {
		at.At = venues.At(reader.time())
		at.ID = reader.text()
		return at, true, reader.err
	}
	at.ID = reader.text()
	prefix, id, isID := cutULID(at.ID)
	at.At = venues.At(time.UnixMilli(int64(id.Time())))
	return at, isID && prefix == r.ids, reader.err
}

// hit is a row that was found: the position in its key, and its value.
type hit struct {
	persistence.PagePosition
	value []byte
	// isRecord reports that the value is that of the record, not of an index row.
	isRecord bool
	// record is set if the record was decoded to find out whether it matches.
	record persistence.Record
}

// newestHits returns the rows that match, newest first, at most limit. If it stops after
// persistence.ScanRowsMax rows, scannedTo is the position of the last of them; else it is nil.
func (r timeRange) newestHits(ctx context.Context, snapshot Snapshot, limit int, match func(*hit) (bool, error)) (hits []hit, scannedTo *persistence.PagePosition, err error) {
	var failed error
	var last persistence.PagePosition
	scanned := 0
	visit := func(key, value []byte) (more bool, err error) {
		h := hit{value: value, isRecord: r.ids != ""}
		inRange := false
		if h.PagePosition, inRange, err = r.position(key); err != nil || !inRange {
			return true, err
		}
		if scanned == persistence.ScanRowsMax {
			scannedTo = &last
			return false, nil
		}
		last = h.PagePosition
		scanned++
		matches, err := match(&h)
		if matches && err == nil {
			h.value = nil // match has decoded it
			if h.record == nil {
				h.value = bytes.Clone(value) // it is valid only during this call
			}
			hits = append(hits, h)
		}
		return len(hits) < limit, err
	}
	from, to := r.bounds()
	err = snapshot.Scan(from, to, true, func(key, value []byte) (more bool) {
		if more, failed = visit(key, value); failed == nil {
			failed = ctx.Err()
		}
		return more && failed == nil
	})
	return hits, scannedTo, firstError(failed, err)
}

// pageSize returns the size of a page for the Limit of a query.
func pageSize(limit int) int {
	if limit <= 0 || limit > persistence.PageSizeMax {
		return persistence.PageSizeMax
	}
	return limit
}

// mergedPage returns the newest page of several ranges. match reports whether the record
// of a row matches, and load returns it. At most persistence.ScanRowsMax rows of each range
// are scanned; the next page continues after them.
func mergedPage[T any](ctx context.Context, engine Viewer, limit int, ranges []timeRange,
	match func(Snapshot, *hit) (bool, error), load func(Snapshot, hit) (T, error),
) (persistence.Page[T], error) {
	size := pageSize(limit)
	return view(ctx, engine, func(s Snapshot) (none persistence.Page[T], err error) {
		lists := make([][]hit, len(ranges))
		// scannedTo is the end of the range that was scanned least far: older hits of the
		// other ranges belong to the next page.
		var scannedTo *persistence.PagePosition
		for i, index := range ranges {
			var to *persistence.PagePosition
			lists[i], to, err = index.newestHits(ctx, s, size+1, func(h *hit) (bool, error) { return match(s, h) })
			if err != nil {
				return none, err
			}
			if to != nil && (scannedTo == nil || newestFirst(*to, *scannedTo) < 0) {
				scannedTo = to
			}
		}
		return loadPage(merge(size+1, lists...), scannedTo, size, func(h hit) (T, error) { return load(s, h) })
	})
}

// hitRecord returns the record of a hit, which has the key k.
func hitRecord[T persistence.Record](g Getter, k persistence.Key, h hit) (T, error) {
	if record, ok := h.record.(T); ok {
		return record, nil
	}
	if h.isRecord {
		return decodeAs[T](k, h.value)
	}
	return indexedRecord[T](g, k)
}

// loadPage loads the records of a page of the given size from its hits, without those that
// are older than scannedTo, if that is not nil. One hit more than the size means that there
// is another page, and so does scannedTo.
func loadPage[T any](hits []hit, scannedTo *persistence.PagePosition, size int, load func(hit) (T, error)) (persistence.Page[T], error) {
	page := persistence.Page[T]{Next: scannedTo}
	if scannedTo != nil {
		hits = slices.DeleteFunc(hits, func(h hit) bool { return newestFirst(h.PagePosition, *scannedTo) > 0 })
	}
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

// filteredPage returns the newest page of ranges, for queries whose filter needs the
// record: load returns a record and reports whether it matches. The ranges do not overlap,
// and each is older than the one before. At most persistence.ScanRowsMax rows are
// scanned; the next page continues after them.
func filteredPage[T any](ctx context.Context, s Snapshot, limit int, load func(timeRange, hit) (T, bool, error), ranges ...timeRange) (persistence.Page[T], error) {
	size := pageSize(limit)
	page := persistence.Page[T]{Items: []T{}}
	var last persistence.PagePosition
	scanned := 0
	visit := func(index timeRange, key, value []byte) (more bool, err error) {
		position, _, err := index.position(key)
		if err != nil {
			return false, err
		}
		item, matches, err := load(index, hit{PagePosition: position, value: value})
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
	for _, index := range ranges {
		var failed error
		from, to := index.bounds()
		err := s.Scan(from, to, true, func(key, value []byte) (more bool) {
			more, failed = visit(index, key, value)
			return more && failed == nil
		})
		if err := firstError(failed, err); err != nil {
			return persistence.Page[T]{}, err
		}
		if page.Next != nil {
			break
		}
	}
	return page, nil
}

// oldestRecords returns the records of a time index, oldest first, at most limit.
// keyWithoutID is their key except for the id, which the index row has.
func oldestRecords[T persistence.Record](ctx context.Context, engine Viewer, prefix key, keyWithoutID persistence.Key, limit int) ([]T, error) {
	index := timeRange{prefix: prefix}
	return view(ctx, engine, func(s Snapshot) ([]T, error) {
		return collect(ctx, s, prefix, prefix.end(), limit, func(key, _ []byte) (record T, err error) {
			position, _, err := index.position(key)
			if err != nil {
				return record, err
			}
			k := keyWithoutID
			k.ID = position.ID
			return indexedRecord[T](s, k)
		})
	})
}

// merge returns the newest hits of several ranges, newest first, at most limit. A hit is in
// two ranges in a store that was not migrated because it failed its integrity check.
func merge(limit int, lists ...[]hit) []hit {
	all := slices.Concat(lists...)
	slices.SortFunc(all, func(a, b hit) int { return newestFirst(a.PagePosition, b.PagePosition) })
	all = slices.CompactFunc(all, func(a, b hit) bool { return a.ID == b.ID && a.At.Equal(b.At.Time) })
	return all[:min(limit, len(all))]
}

// newestFirst compares positions by their order in pages.
func newestFirst(a, b persistence.PagePosition) int {
	return cmp.Or(b.At.Compare(a.At.Time), cmp.Compare(b.ID, a.ID))
}
