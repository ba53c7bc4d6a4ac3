package account

import (
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/actors/account/position"
	"venuegate/persistence"
)

// canon makes the canonical form of a world: every field that it refers to, by its type. An
// object that occurs twice is encoded once. Times are encoded as ages, and as "long ago" from
// an age on; of some times only their order or their presence counts.
type canon struct {
	now    time.Time
	out    []byte
	seen   map[uintptr]uint64
	ranked []time.Time
}

// longAgo is the age from which on a time counts as long ago. It exceeds the lag of the
// venue's lists, the longest time for which the account compares most times of the past.
const longAgo = position.ListLag + time.Second

// Ways to encode a field, in place of its value.
const (
	omitted = iota + 1 // it follows from the rest, only people read it, or it differs in every run
	present            // whether it is set
	ordered            // a time: its order among others
)

// fields are the fields that are not encoded by their values, by type and name; types with an
// empty name are omitted.
var fields = map[string]int{
	"Deps.": omitted, "Logger.": omitted, "Mutex.": omitted, "Reply.": omitted, "stepContext.": omitted, "Counts.": omitted, "Hops.": omitted,
	"riskPort.": omitted, "positionPort.": omitted, "protectionPort.": omitted, "Keeper.": omitted, "JournalEntry.": omitted, "Fence.": omitted,
	"Runner.Journal": omitted, "account.tickDue": omitted, "CommitQueue.journal": omitted, "Gate.": omitted,
	"Event.ID": omitted, "Event.Data": omitted, "Event.CreatedAt": omitted, "Fill.FillID": omitted, "FillRecord.FillID": omitted,
	"timer.sequence": omitted, "timer.index": omitted, "statusQuery.sent": omitted, "order.journalRows": omitted,
	"Order.CreatedAt": present, "Order.UpdatedAt": present, "Order.FilledAt": present, "OrderRecord.UnknownSince": present, "OrderRecord.SeenOpenAt": present,
	"IdempotencyRecord.FirstReceived": present, "IdempotencyRecord.FreedAt": present,
	"AccountState.FillsUntil": omitted, "AccountState.TradedUntil": present, "fillMarks.until": omitted, "fillMarks.tradedUntil": present,
	"PositionTotals.OpenedAt": present, "Position.OpenedAt": present, "Cause.SentAt": present,
	"funds.balancesRead": present, "funds.valued": omitted, "funds.positionsRead": present, "funds.balancesChanges": omitted, "funds.positionsChanges": omitted, "fundsVersion.changes": omitted, "fundsVersion.at": present,
	"orderList.readAt": present, "listed.readAt": ordered, "tracking.seenOpenAt": present, "tracking.streamedOpenAt": present,
	"callReconcile.fillsFrom": omitted, "callReconcile.tradedFrom": present, "callAbsenceCheck.from": omitted, "callFills.from": present,
	"ExecutionReport.VenueTime": ordered, "Fill.ExecutedAt": ordered, "tracking.termsAt": ordered, "Key.At": ordered,
	"PositionRecord.CutAt": ordered, "PositionRecord.KnownSince": ordered, "order.idleSince": ordered, "idleOrder.since": ordered,
	"privateStream.upSince": ordered, "privateStream.missedAt": present, "reconciliation.completeAt": present,
}

// hash returns the hash of the canonical form, with the ages at a time.
func hash(w *world, now time.Time) uint64 {
	c := &canon{now: now, seen: map[uintptr]uint64{}}
	d, v := w.process.disk, w.venue
	c.image(w.durable)
	c.number(uint64(d.written))
	for i := range d.pending {
		c.value(reflect.ValueOf(&d.pending[i].batch))
	}
	c.value(reflect.ValueOf(d.process.account))
	c.value(reflect.ValueOf(w.process.queue))
	c.timers(w.process)
	for _, part := range []any{v.orders, v.events, v.calls, v.orphans, w.left} {
		c.value(reflect.ValueOf(part))
	}
	for _, o := range v.orders {
		c.time(v.placedAt[o.ClientOrderID])
	}
	c.readings(v)
	for _, client := range w.clients {
		c.number(uint64(client.phase))
		c.value(reflect.ValueOf(client.answer))
	}
	c.order()
	return maphash.Bytes(hashSeed, c.out)
}

var hashSeed = maphash.MakeSeed()

func (c *canon) image(i image) {
	keys := slices.SortedFunc(maps.Keys(i.records), func(a, b persistence.Key) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID, b.ID))
	})
	for _, k := range keys {
		c.value(reflect.ValueOf(i.records[k]))
	}
	for _, id := range slices.Sorted(maps.Keys(i.filled)) {
		c.number(uint64(i.filled[id]))
	}
}

// timers encodes the timers of the account but its tick, which follows from the state.
func (c *canon) timers(p *process) {
	all := reflect.ValueOf(p.context).Elem().FieldByName("shell").Elem().FieldByName("timers").FieldByName("byKey")
	var list []string
	for each := all.MapRange(); each.Next(); {
		if t := each.Value().Elem(); t.FieldByName("key").FieldByName("name").String() != "due" {
			timer := canon{now: c.now, seen: map[uintptr]uint64{}}
			timer.value(t)
			list = append(list, string(timer.out))
		}
	}
	slices.Sort(list)
	c.text(strings.Join(list, " "))
}

// readings encodes the results of the readings under way.
func (c *canon) readings(v *exploredVenue) {
	v.readings = slices.DeleteFunc(v.readings, func(r reading) bool { return r.ctx.Err() != nil })
	for _, r := range v.readings {
		c.value(reflect.ValueOf(r.result))
	}
}

func (c *canon) number(n uint64) { c.out = binary.AppendUvarint(c.out, n) }

func (c *canon) text(s string) { c.out = append(binary.AppendUvarint(c.out, uint64(len(s))), s...) }

func (c *canon) time(t time.Time) {
	switch age := c.now.Sub(t); {
	case t.IsZero():
		c.number(0)
	case age > longAgo:
		c.number(1)
	default:
		c.out = binary.AppendVarint(append(c.out, 2), int64(age))
	}
}

// order encodes the order of the ranked times.
func (c *canon) order() {
	sorted := slices.SortedFunc(slices.Values(c.ranked), time.Time.Compare)
	sorted = slices.CompactFunc(sorted, time.Time.Equal)
	for _, t := range c.ranked {
		n, _ := slices.BinarySearchFunc(sorted, t, time.Time.Compare)
		c.number(uint64(n))
	}
}

// value encodes a value.
func (c *canon) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Invalid, reflect.Func, reflect.Chan, reflect.UnsafePointer:
	case reflect.Pointer:
		c.pointer(v)
	case reflect.Interface:
		if !v.IsNil() {
			c.text(v.Elem().Type().String())
			c.value(v.Elem())
		}
	case reflect.Struct:
		c.structure(v)
	case reflect.Slice, reflect.Array:
		c.number(uint64(v.Len()))
		for i := range v.Len() {
			c.value(v.Index(i))
		}
	case reflect.Map:
		c.mapping(v)
	case reflect.String:
		c.text(v.String())
	case reflect.Bool:
		c.number(map[bool]uint64{true: 1}[v.Bool()])
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		c.number(uint64(v.Int()))
	default:
		c.number(v.Uint())
	}
}

func (c *canon) pointer(v reflect.Value) {
	n, seen := c.seen[v.Pointer()]
	switch {
	case v.IsNil():
		c.number(0)
	case seen:
		c.number(n)
	default:
		c.seen[v.Pointer()] = uint64(len(c.seen) + 1)
		c.number(uint64(len(c.seen)))
		c.value(v.Elem())
	}
}

// mapping encodes a map in the order of its encoded keys.
func (c *canon) mapping(v reflect.Value) {
	type entry struct {
		key  string
		elem reflect.Value
	}
	var entries []entry
	for each := v.MapRange(); each.Next(); {
		key := canon{now: c.now}
		key.value(each.Key())
		entries = append(entries, entry{string(key.out), each.Value()})
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.key, b.key) })
	c.number(uint64(len(entries)))
	for _, e := range entries {
		c.out = append(c.out, e.key...)
		c.value(e.elem)
	}
}

func (c *canon) structure(v reflect.Value) {
	t := v.Type()
	switch t {
	case reflect.TypeFor[time.Time]():
		c.time(timeOf(v))
		return
	case reflect.TypeFor[decimal.Decimal]():
		c.value(v.FieldByName("exp"))
		if n := v.FieldByName("value"); !n.IsNil() { // not as an object, since many share it
			c.value(n.Elem())
		}
		return
	}
	for _, f := range fieldsOf(t) {
		switch part := v.Field(f.index); f.how {
		case present:
			c.number(map[bool]uint64{true: 1}[!part.IsZero()])
		case ordered:
			if part.Type() != reflect.TypeFor[time.Time]() {
				part = part.Field(0) // of venues.Time
			}
			c.ranked = append(c.ranked, timeOf(part))
		default:
			c.value(part)
		}
	}
}

type field struct{ index, how int }

var fieldsByType = map[reflect.Type][]field{}

// fieldsOf returns the fields of a type that are encoded.
func fieldsOf(t reflect.Type) []field {
	list, known := fieldsByType[t]
	if known {
		return list
	}
	name, _, _ := strings.Cut(t.Name(), "[")
	for i := range t.NumField() {
		how := max(fields[name+"."], fields[name+"."+t.Field(i).Name])
		if fields[name+"."] != omitted && how != omitted {
			list = append(list, field{i, how})
		}
	}
	fieldsByType[t] = list
	return list
}

// timeOf returns a time that may be in a field that is not exported.
func timeOf(v reflect.Value) time.Time {
	wall, ext := v.Field(0).Uint(), v.Field(1).Int()
	if wall>>63 != 0 { // with a monotonic reading: seconds since 1885
		return time.Date(1885, 1, 1, 0, 0, int(wall<<1>>31), int(wall&(1<<30-1)), time.UTC)
	}
	return time.Date(1, 1, 1, 0, 0, int(ext), int(wall&(1<<30-1)), time.UTC)
}
