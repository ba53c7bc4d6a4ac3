// Package rows says how records lie in an ordered map of bytes, and answers
// every query of the store from it. Each engine brings only the map: how rows
// become durable, and what a snapshot is. What a commit means, which index rows
// a record has and how a page is read is written here once, so that engines
// cannot differ in it.
//
// # Keys
//
// A key is the customer, one byte naming the table, and the parts below. Text is
// terminated so that no text is a prefix of another; moments and numbers are
// eight big-endian bytes. Byte order is therefore the order of the parts.
//
//	table  parts                     value      holds
//	r      kind, id                  record     every Record: the primary row
//	e      seq                       event      events, in order
//	j      time, id                  journal    journal rows
//	t      created, order id         facts      orders by time
//	o      exchange, created, id     facts      orders that are unfinished
//	q      request id, created, id   facts      orders by request id
//	c      client id, order id       -          orders by client id
//	f      executed, fill id         facts      fills by time
//	g      order id, executed, id    facts      fills by order
//	k      key id                    -          API keys by customer
//	i      event id, seq             -          events by id
//	u      subject, time, id         kind       journal rows by subject
//	h      channel, time, id         kind       journal rows by channel
//	a      received, signal id       -          signals by time
//	b      channel, received, id     -          signals by channel
//	p      channel, received, id     -          signals that are not final
//	d      created, delivery id      -          deliveries by time
//	l      endpoint, created, id     -          deliveries by endpoint
//	v      event id, created, id     -          deliveries by event
//	w      endpoint, due, id         -          deliveries that are pending
//	x      created, id               -          deliveries that failed for good
//	s                                number     highest sequence used
//	@                                number     epoch of ownership
//
// Facts are what queries filter by, so that a row which does not match costs no
// second read. Whether an order is closed stands in table o alone, so that the
// rows of an order by time and by request id are written once. Every index key ends with what names its primary row: two records
// never share an index row, hence a record can be removed knowing itself alone.
//
// Keys that begin with two zero bytes belong to the engine; no key made here
// does.
//
// # Values
//
// A record's value is one byte of version and JSON in the records' own field
// names. Moments have milliseconds. Decimals are strings in plain notation.
// Anything else, an unknown version or an unknown field included, is an error:
// a row that cannot be understood is corrupt, not half read.
//
// # Commits
//
// Prepare encodes a batch outside the writer. Apply checks the fence, then the
// absences, and only then changes rows; a refused batch has changed nothing. A
// put reads the record that it replaces and removes the index rows that the new
// one lacks.
package rows
