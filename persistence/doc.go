// Package persistence defines the records of the service and the interfaces of
// the store that keeps them. It depends on no storage technology: package
// badgerstore is the embedded store, package storetest an in-memory one for tests.
// Package vault encrypts the secrets in records.
//
// Besides records, which later commits may replace, a store keeps a log of two kinds
// of rows that never change: events, the outbox from which customers are notified,
// and journal rows, the audit trail of what happened and why.
//
// # Commits
//
// A change is a Batch, complete when it is submitted: the fence of the owner, the keys
// that must be absent, the records to put, and the events and journal rows that belong
// to the change. It is applied whole or not at all. The result is nil, which means
// durable, or one of four classes of error (see errors.go). A batch may allow that it is
// synced a little later than it is written (Batch.Written). The interface has no open
// transactions, no iterators, no callbacks under a lock and no records that expire on
// their own.
//
// Batches are applied in the order of submission. A state change and its events
// are one batch, so that neither exists without the other.
//
// # Ownership
//
// The customer is the unit of ownership. Its owner takes a Fence when it loads the
// customer; a batch under an older epoch is rejected (ErrFenced), and so is one
// with records of a customer whom its fence does not cover. Every key begins with
// the customer, and every read names it. Records of the installation, the service as
// a whole, belong to the empty customer and need no fence; they may be part of any
// batch.
//
// # Records and keys
//
// A record is identified by its Key: kind, customer and id. The kinds, with their ids:
//
//	customer        customer id             of the installation
//	apikey          public id of the key    of the installation
//	setting         name                    of the installation
//	user            login                   of the installation
//	session         session id              of the installation
//	venueaccount    exchange
//	accountstate    exchange
//	risk            exchange
//	position        exchange/symbol
//	order           order id
//	fill            fill id
//	idempotency     scope/requestId/attempt
//	channel         channel id
//	signal          signal id
//	alert           alert id
//	endpoint        endpoint id
//	endpointcursor  endpoint id
//	delivery        endpoint id/event id
//
// The exchange is a venue. The attempt numbers the uses of a request id, which can be
// used again after it was freed or has expired.
//
// Kinds and keys are stored and therefore never change; a field may be added. Package
// internal/rows describes how they are stored, and what else a new field, kind or index
// needs.
//
// # Order
//
// Ids that the service generates are a prefix and a ULID, so they sort by creation
// time; that of an event also contains its sequence. Stores find records by what ids
// contain, without an index. Pages are ordered by (time, id); the PagePosition at the end of one page
// selects the next. Events and journal rows carry a per-customer sequence number
// that the owner assigns when it submits. It increases and may have gaps.
//
// # Retention
//
// An idempotency record expires 24 h after the first receipt of its request
// (IdempotencyWindow). Purge later deletes expired records, old events and
// journal rows, settled deliveries and final signals; nothing depends on when it
// runs. It deletes sessions after their end. Archive moves closed orders and fills to files (package archive). What reads
// fills goes back to the cut of a position, to the last reading of a venue's executions, or
// to the creation of an unfinished order: those fills stay, and so do the orders that
// unfinished ones protect. The daily loss needs the fills since the start of the day, and a
// request id its order: the caller must keep both for longer (package journal).
package persistence
