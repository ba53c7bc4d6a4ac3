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
	// encoders are made once for each type, from its fields.
	encoders map[reflect.Type]encoder
}

// encoder encodes a value of one type.
type encoder func(c *canon, v reflect.Value)

func newCanon() *canon {
	return &canon{seen: map[uintptr]uint64{}, encoders: map[reflect.Type]encoder{}}
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

// hash returns the hash of the canonical form of a world, with the ages at a time.
func (c *canon) hash(w *world, now time.Time) uint64 {
	c.now, c.out, c.ranked = now, c.out[:0], c.ranked[:0]
	clear(c.seen)
	d, v := w.process.disk, w.venue
	c.image(w.durable)
	c.number(uint64(d.written))
	for i := range d.pending {
		c.encode(&d.pending[i].batch)
	}
	c.encode(d.process.account)
	c.encode(w.process.queue)
	c.timers(w.process)
	for _, part := range []any{v.orders, v.events, v.calls, v.orphans, w.left} {
		c.encode(part)
	}
	c.venueTimes(v)
	c.readings(v)
	for _, client := range w.clients {
		c.number(uint64(client.phase))
		c.encode(client.answer)
	}
	c.order()
	return maphash.Bytes(hashSeed, c.out)
}

var hashSeed = maphash.MakeSeed()

// venueTimes encodes the times that decide what can happen at the venue, see mayPass and isShown.
func (c *canon) venueTimes(v *exploredVenue) {
	for _, o := range v.orders {
		c.age(v.placedAt[o.ClientOrderID], exploredConfig.Capabilities.AbsenceAfter)
	}
	for i := range v.events {
		c.age(v.events[i].VenueTime, streamLagMax)
	}
	for _, call := range v.calls {
		c.age(call.sentAt, venueCallMax)
	}
}

func (c *canon) image(i image) {
	keys := slices.SortedFunc(maps.Keys(i.records), func(a, b persistence.Key) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID, b.ID))
	})
	for _, k := range keys {
		c.encode(i.records[k])
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
			timer := canon{now: c.now, seen: map[uintptr]uint64{}, encoders: c.encoders}
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
		c.encode(r.result)
	}
}

func (c *canon) encode(x any) {
	if x != nil {
		c.value(reflect.ValueOf(x))
	}
}

func (c *canon) value(v reflect.Value) { c.encoder(v.Type())(c, v) }

func (c *canon) number(n uint64) { c.out = binary.AppendUvarint(c.out, n) }

func (c *canon) truth(is bool) {
	if is {
		c.out = append(c.out, 1)
	} else {
		c.out = append(c.out, 0)
	}
}

func (c *canon) text(s string) { c.out = append(binary.AppendUvarint(c.out, uint64(len(s))), s...) }

func (c *canon) time(t time.Time) { c.age(t, longAgo) }

// age encodes the age of a time, up to a limit.
func (c *canon) age(t time.Time, limit time.Duration) {
	switch age := c.now.Sub(t); {
	case t.IsZero():
		c.number(0)
	case age > limit:
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

// encoder returns the encoder of a type.
func (c *canon) encoder(t reflect.Type) encoder {
	if c.encoders[t] == nil {
		c.encoders[t] = (*canon).value // of a field of the type within itself
		c.encoders[t] = c.newEncoder(t)
	}
	return c.encoders[t]
}

func (c *canon) newEncoder(t reflect.Type) encoder {
	switch t.Kind() {
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return func(*canon, reflect.Value) {}
	case reflect.Pointer:
		return c.pointer(t)
	case reflect.Interface:
		return func(c *canon, v reflect.Value) {
			if !v.IsNil() {
				c.text(v.Elem().Type().String())
				c.value(v.Elem())
			}
		}
	case reflect.Struct:
		return c.structure(t)
	case reflect.Slice, reflect.Array:
		element := c.encoder(t.Elem())
		return func(c *canon, v reflect.Value) {
			c.number(uint64(v.Len()))
			for i := range v.Len() {
				element(c, v.Index(i))
			}
		}
	case reflect.Map:
		return c.mapping(t)
	case reflect.String:
		return func(c *canon, v reflect.Value) { c.text(v.String()) }
	case reflect.Bool:
		return func(c *canon, v reflect.Value) { c.truth(v.Bool()) }
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return func(c *canon, v reflect.Value) { c.number(uint64(v.Int())) }
	default:
		return func(c *canon, v reflect.Value) { c.number(v.Uint()) }
	}
}

func (c *canon) pointer(t reflect.Type) encoder {
	element := c.encoder(t.Elem())
	return func(c *canon, v reflect.Value) {
		n, seen := c.seen[v.Pointer()]
		switch {
		case v.IsNil():
			c.number(0)
		case seen:
			c.number(n)
		default:
			c.seen[v.Pointer()] = uint64(len(c.seen) + 1)
			c.number(uint64(len(c.seen)))
			element(c, v.Elem())
		}
	}
}

// mapping encodes a map in the order of its encoded keys.
func (c *canon) mapping(t reflect.Type) encoder {
	type entry struct {
		key  string
		elem reflect.Value
	}
	key, element := c.encoder(t.Key()), c.encoder(t.Elem())
	return func(c *canon, v reflect.Value) {
		c.number(uint64(v.Len()))
		if v.Len() == 0 {
			return
		}
		entries := make([]entry, 0, v.Len())
		for each := v.MapRange(); each.Next(); {
			begin := len(c.out)
			key(c, each.Key())
			entries = append(entries, entry{string(c.out[begin:]), each.Value()})
			c.out = c.out[:begin]
		}
		slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.key, b.key) })
		for _, e := range entries {
			c.out = append(c.out, e.key...)
			element(c, e.elem)
		}
	}
}

// structure encodes the fields of a structure, each in its way.
func (c *canon) structure(t reflect.Type) encoder {
	switch t {
	case reflect.TypeFor[time.Time]():
		return func(c *canon, v reflect.Value) { c.time(timeOf(v)) }
	case reflect.TypeFor[decimal.Decimal]():
		return c.decimal(t)
	}
	var indexes []int
	var encoders []encoder
	name, _, _ := strings.Cut(t.Name(), "[")
	for i := range t.NumField() {
		f := t.Field(i)
		how := fields[name+"."+f.Name]
		if fields[name+"."] == omitted || how == omitted {
			continue
		}
		indexes, encoders = append(indexes, i), append(encoders, c.field(f.Type, how))
	}
	return func(c *canon, v reflect.Value) {
		for i, index := range indexes {
			encoders[i](c, v.Field(index))
		}
	}
}

func (c *canon) field(t reflect.Type, how int) encoder {
	switch {
	case how == present:
		return func(c *canon, v reflect.Value) { c.truth(!v.IsZero()) }
	case how == ordered && t == reflect.TypeFor[time.Time]():
		return func(c *canon, v reflect.Value) { c.ranked = append(c.ranked, timeOf(v)) }
	case how == ordered: // venues.Time
		return func(c *canon, v reflect.Value) { c.ranked = append(c.ranked, timeOf(v.Field(0))) }
	default:
		return c.encoder(t)
	}
}

// decimal encodes a decimal, whose number is not an object since many share it.
func (c *canon) decimal(t reflect.Type) encoder {
	exponent, _ := t.FieldByName("exp")
	number, _ := t.FieldByName("value")
	encode := c.encoder(number.Type.Elem())
	return func(c *canon, v reflect.Value) {
		c.number(uint64(v.FieldByIndex(exponent.Index).Int()))
		if n := v.FieldByIndex(number.Index); !n.IsNil() {
			encode(c, n.Elem())
		}
	}
}

// timeOf returns a time that may be in a field that is not exported.
func timeOf(v reflect.Value) time.Time {
	wall, ext := v.Field(0).Uint(), v.Field(1).Int()
	if wall>>63 != 0 { // with a monotonic reading: seconds since 1885
		return time.Date(1885, 1, 1, 0, 0, int(wall<<1>>31), int(wall&(1<<30-1)), time.UTC)
	}
	return time.Date(1, 1, 1, 0, 0, int(ext), int(wall&(1<<30-1)), time.UTC)
}
