// Package rows defines how records are stored as rows, and implements the commits and
// queries of the store on rows. A row is a key with a value, both bytes; a store is a
// map of rows that is ordered by key.
//
// An engine provides only that map: how rows become durable, and what a snapshot is.
// The engines are package badgerstore and the in-memory store of package storetest.
// The rows of a record, the meaning of a commit and the reading of pages are
// implemented here once, so that engines cannot differ in them.
//
// # Rows
//
// A record, an event or a journal row (an entry of the journal, persistence.JournalEntry) is
// stored as one primary row, which holds its encoded value, and any number of index rows, by
// which queries find it. A primary row with its index rows is an entity. Index rows depend on
// the record alone. One is not written where the ids themselves lead to the record
// (derived.go):
//
//   - none by time, if the id of an order or a fill has the time of the record,
//   - none by client order id and by identity, if the former ends with the ULID of the order id,
//   - none by event id, if that contains the sequence of the event (persistence.EventID),
//   - none by order or subject, if a fill or a journal row is within a second of the time in
//     the id of that order or subject: a query scans the primary rows around that time.
//
// An order of this service that ends at once therefore has one index row, by its request id.
// Orders adopted from the venue have rows by their client order id, which is that of another
// program, and by their identity. So do fills and journal rows that follow later.
//
// Events and journal rows are the log: they are added and purged, never replaced.
//
// # Keys
//
// A key is the customer, one byte for the table, and the parts below. The customer of
// the installation's own rows is empty. Each text ends with a terminator, so that no
// text is a prefix of another; times, in milliseconds, and numbers are eight
// big-endian bytes. Byte order is therefore the order of the parts.
//
//	table  parts                     value      holds
//
//	primary rows
//	r      kind, id                  record     every Record; the attempt at the end of the
//	                                            id of an idempotency record is a number
//	e      seq                       event      events by sequence
//	j      time, id                  journal    journal rows by time
//
//	index rows; those marked * only where the record is not found without
//	t      created, order id         fields     * orders by time
//	o      exchange, created, id     fields     unfinished orders
//	q      request id, created, id   fields     orders by request id
//	c      client id, order id       -          * orders by client id
//	n      identity, order id        -          * adopted orders by identity
//	f      executed, fill id         fields     * fills by time
//	g      order id, executed, id    fields     * fills by order
//	k      key id                    -          API keys by customer
//	i      event id, seq             -          * events by id
//	u      subject, time, id         kind       * journal rows by subject
//	h      channel, time, id         kind       journal rows by channel
//	a      received, signal id       -          signals by time
//	b      channel, received, id     -          signals by channel
//	p      channel, received, id     -          signals that are not final
//	d      created, delivery id      -          deliveries by time
//	l      endpoint, created, id     -          deliveries by endpoint
//	v      event id, created, id     -          deliveries by event
//	w      endpoint, due, id         -          pending deliveries
//	x      created, id               -          undelivered deliveries
//
//	counters of a customer
//	s                                number     highest sequence used
//	@                                number     epoch of ownership
//
// Fields are those by which queries filter: a row that does not match is skipped
// without reading its record. An index row without fields has the value 1. Unfinished
// orders are those that can still change or still have active protection
// (OrderRecord.Unfinished); only their rows, in table o, contain whether the order is
// closed, so that the rows by time and by request id are written once.
//
// Every index key ends with the id of its record, or the sequence of its event. Two
// records therefore never share an index row, and a record can be deleted without
// reading others.
//
// Keys that begin with two zero bytes belong to the engine; this package creates
// none.
//
// # Values
//
// The value of a primary row is one byte of version and the members of the record, each
// one byte with its number and what it contains; an object within a value ends with a
// zero byte. Fields that the key has are not members. A missing member is zero, and zero
// is not stored. A value with an unknown member, or with the members in another order, is
// corrupt and is not decoded.
//
//	text      common words are one byte, ids a prefix and the 16 bytes of their ULID,
//	          and those with the ULID of the key two or more bytes (texts.go)
//	decimal   exponent and coefficient as varints, or its text if it is long (scalars.go)
//	time      milliseconds since the time in the id of the key, as a varint
//	JSON      its text, or the names and values of an object of strings (json.go)
//
// An order that ends at once takes less than a third of the bytes of its JSON that way. To
// see a value as JSON, decode it and encode the record with encoding/json.
//
// The members of each type are described by one function (records_*.go), which encodes,
// decodes and checks them.
//
// # Commits
//
// An engine has one writer. It applies queued commits in order, several of them in one
// transaction, a commit group.
//
// A batch (persistence.Batch) has records to put, events and journal rows to add, keys that
// must be absent, and the fence of its author: the customer with the epoch that
// TakeOwnership has returned last (ownership.go).
//
// Prepare encodes a batch in the caller's goroutine. Commit.Apply runs in the writer: it
// checks that the epoch of the fence is the current one, then that no record has one of the
// absent keys, and only then changes rows; a rejected batch changes nothing. To put a record it reads the
// one that it replaces, computes the index rows of both, and deletes those that the
// new one lacks.
//
// # Changes
//
// The stored format does not change: the keys of records, the bytes of tables, the index
// rows of a record, the numbers and types of members, and the words. The names in JSON
// are those of public documents and of stores of schema 4 and older; some fields have been
// renamed in Go only ("feeWorth", "proof"). When a record is replaced or deleted, the
// index rows of the old one are computed again. If the computation has changed, rows are
// left behind in existing stores, so such a change needs a migration, as those to
// schema 3 (migrate.go) and 6 (compact.go).
//
//   - A field is added to the type in package persistence, and to the function of the type
//     in records_*.go with a higher number than the others; a test sets every field.
//     Stored records lack the field, so its zero value must describe them correctly. A
//     field that is part of a key or an index is also checked (kinds.go).
//   - A kind of record is added to package persistence (its type, and record.go), with a
//     function in records_*.go, a line of codec.putMembers and one of kinds (kinds.go).
//     The tests need a sample of it (samples and layoutSample).
//   - An index is added as a table (key.go, and above) and in the function of its kind
//     (index.go); the repair finds the record of a row by recordIndexes (repair.go).
//     Existing records get their rows by a migration.
//   - A word is added at the end of words (texts.go).
//
// An older program cannot read what is added. A new version of the schema in package
// badgerstore, possibly with an empty migration, makes older programs reject such a
// store when they open it.
package rows
