// Package badgerstore is the embedded store: it implements package persistence on
// badger, in one directory, for one process.
//
// # Directory
//
//	LOCK      locked while the store is open
//	seal      two slots with the number and the chain value of the newest commit groups
//	db/       badger's own files
//
// # Group commit
//
// One goroutine writes. It takes the queued batches, up to a bound, as one group: one
// transaction, one fsync of badger's newest log, then the replies in order of
// submission. A single batch is not delayed to fill a group. Readers see what is
// durable and never wait for an fsync. After the replies the writer fills badger's log
// with zeros ahead of the written part, so that few syncs wait for the file system's
// journal.
//
// Each batch of a group is checked on its own, after the changes of those before it.
// The writer rarely reads the database for that: it caches the rows that it has written
// last, and a Bloom filter of all keys excludes nearly every new key. Readers use the
// filter to exclude nearly every new request id.
//
// A failed fsync ends writing: the outcome of the group is unknown, and later batches are
// rejected until the store is opened again, because a later fsync may succeed although
// pages were lost.
//
// # Ledger and seal
//
// badger can lose confirmed rows and open without an error: a flipped bit in its log
// ends the replay there, and a deleted log counts as an empty one. Therefore every
// group writes a ledger row in its own transaction: its number, the number of rows, a
// sum over the hashes of all rows, and a chain value over these and the previous
// ledger row. After the transaction is durable, the number and the chain value are
// written to the seal file, before the replies; that write is synced from time to
// time, not for each group.
//
// Open reads every row. Integrity then reports whether
//
//   - the ledger rows are consecutive and their chain values match,
//   - the rows and their sum match the newest ledger row: no row is missing, altered
//     or added,
//   - the chain has the value of the seal at the number of the seal: no group is
//     missing at the end, and the history is the same.
//
// A store that fails this check can be read, but rejects every commit until AcceptLoss
// is called. After a power failure the seal may be older than the database, never
// newer; ledger rows are kept for longer than the seal stays unsynced. Damage that
// badger detects makes Open fail. A backup that is copied in its place is behind the
// seal, unless the seal is replaced with it, as Restore does.
//
// # Disk
//
// badger writes through memory-mapped files, and a process that does so on a full disk
// is killed. Therefore commits are rejected while fewer bytes are free than
// Options.FreeBytesMin, and a restore must leave as many. The writer checks before
// each group. After a rejection it checks once a second, and accepts commits again
// once an eighth more is free. Reads still work.
//
// badger also writes when it is opened and closed. Open and Close require half of that
// space: with less, Open fails, and Close leaves the database as a kill would.
package badgerstore
