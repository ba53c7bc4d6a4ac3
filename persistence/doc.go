// Package persistence holds the records that the service keeps and the
// interfaces of the store that keeps them. It names no storage technology.
//
// # Commits
//
// A change is a closed Batch: what it is fenced by, which keys must be absent,
// what it puts, and the events and journal rows that belong to it. It is
// applied whole or not at all. The answer is nil, which means durable, or one of
// four classes (see errors.go). Nothing else crosses the interface: no open
// transaction, no iterator, no callback under a lock, no time to live.
//
// Whoever submits first is applied first. A state change and the events that it
// causes are one batch, so that neither exists without the other.
//
// # Ownership
//
// The customer is the unit of ownership. Its owner takes a Fence at load; a
// batch under an older epoch is refused (ErrFenced), and so is one that names
// records of a customer whom its fence does not cover. Every key begins with the
// customer; every read asks for it. Records of the installation belong to the
// empty customer and carry no fence; they may be part of any batch.
//
// # Order
//
// Ids made by the service are a prefix and a ULID, so they sort by the time of
// their making; pages run over (time, id) and a Position continues one. Events
// and journal rows carry a per-customer sequence given by the owner when it
// submits; it rises, and may have holes.
//
// # Retention
//
// Idempotency records decide by the time inside the record: 24 h from first
// receipt (IdempotencyWindow). Purge removes them later, and old events, journal
// rows, settled deliveries and final signals; nothing depends on when it runs.
package persistence
