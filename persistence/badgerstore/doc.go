// Package badgerstore is the embedded store: it implements package persistence on a
// write-ahead log and badger, in one directory, for one process.
//
// # Directory
//
//	LOCK      locked while the store is open
//	seal      two slots with the positions of the newest commit groups in the log
//	log/      the write-ahead log, see package wal; log.lost-N is the last one whose end
//	          was accepted as lost
//	          log/reserve-N are segments in reserve for a full disk
//	reserve   space in which the database is opened on a full disk
//	damaged   marks a large store in which damage was found while it was in use
//	db/       badger's own files
//
// # A commit
//
//	Submit ─▶ queue ─▶ writer: check and apply the batches of a group (package rows)
//	                   ─▶ append one record to the log, fdatasync ─▶ replies
//	                   ─▶ rows in memory (memTable) ─▶ flusher ─▶ badger, not synced
//
// One goroutine writes. It takes the queued batches, up to a bound, as one group: one
// record, its rows in memory, one fdatasync, then the replies in order of submission and
// the rows visible to readers. A single batch is not delayed to fill a group.
//
// Each batch of a group is checked on its own, after the changes of those before it.
// The writer rarely reads the database for that: it caches the rows that it has written
// last, and a Bloom filter of all keys excludes nearly every new key. Readers use the
// filter to exclude nearly every new request id.
//
// If all batches of a group allow it (persistence.Batch.Written), it is synced with the next
// group, at the latest after SyncDelayMax. Until then it survives a kill of the process, and
// not a power failure. Readers wait for the sync of what was written before.
//
// A failed sync ends writing: the outcome of the group is unknown, and later batches are
// rejected until the store is opened again, because a later sync may succeed although
// pages were lost.
//
// # Rows in memory
//
// The log makes a group durable; badger makes it readable after a restart, and follows.
// Rows are in a memTable until the flusher writes them to badger, about ten times a
// second or when a table is full: one transaction a table, with the newest version of
// each row. What was added and deleted meanwhile never reaches badger. Readers merge
// the tables over a snapshot of badger (snapshot), so that every acknowledged commit is
// visible at once, and none before it is durable.
//
// badger is synced only before a segment of the log is deleted. Until then the log can
// bring back whatever badger has lost. Open replays the log after the newest group of
// the database, or all of it if rows are missing there.
//
// # Integrity
//
// badger can lose confirmed rows and open without an error: a flipped bit in its log
// ends the replay there, and a deleted log counts as an empty one. Therefore the ledger
// has, after every group, the number of rows and the sum of their hashes. It is part of
// each record of the log, and the database has a row with that of the newest group in
// it. After the log is synced, the position of the group is written to the seal file,
// before the replies; that write is synced from time to time, not for each group.
//
// Open reads every row and the log. Integrity then reports whether
//
//   - the rows of the database are those of its ledger: none is missing, altered or
//     added,
//   - the log continues the database without a gap, and each of its groups leads to the
//     rows of its own ledger,
//   - the log has the checksum of the seal at the number of the seal: no group is
//     missing at the end, and the history is the same,
//   - both slots of the seal are intact, or the log ends behind the one that is.
//
// A store that fails this check can be read, but rejects every commit until AcceptLoss
// is called, which also repairs the index rows (rows.RepairIndex). After a power failure the seal may be older than the log, never newer; the
// log is kept from the last synced seal on. Damage that badger detects makes Open fail.
// An older copy of the database in its place is brought up to date if the log reaches
// back far enough, and is detected otherwise.
//
// # Large stores
//
// A store with more than Options.CheckBytesMax of tables is checked while it is in use. Open
// verifies the indexes of the tables, the log and the seal, and applies all that the log has
// again, because it is not known whether the database lacks some of it. Then the store takes
// commits, and a goroutine verifies the tables and counts the rows of one commit group. Until
// it is done,
//
//   - nothing is read that is not verified: badger takes a damaged block for the end of its
//     table, so that each read verifies the blocks it depends on, and returns ErrIntegrity if
//     one is damaged (tableCheck);
//   - badger's compactions delete no table that is to be verified, which takes space. Reads of
//     rows of a compacted table verify all of it, because a compaction drops what follows a
//     damaged block; the check takes these tables first;
//   - the Bloom filter excludes nothing;
//   - rows that are missing without a damaged block are absent to readers. Backup compares what
//     it writes with the ledger.
//
// An error of the system, such as too many open files, is no damage: the read returns
// ErrUnavailable, and the check is tried again.
//
// From the first damage on, the store rejects commits, as if Open had found it. The next Open
// checks it first. So does Open if it finds damage itself, or if it must migrate the store.
//
// # Size
//
// An order that ends at once takes 0.65 KB of rows, with its fill, its event, its journal
// rows and its request id 0.9 KB (TestImmediateOrderTakesFewRows in package rows). What is purged
// or archived is collected: badger drops deleted rows when it compacts, values are not in a
// value log, and segments of the log are deleted once the database is synced. The fixed part
// are the reserve and up to four segments of the log.
//
// # Migration
//
// Open migrates a store of an older schema, and logs what it does. Each step of a migration
// is one commit group. An interrupted migration begins again and skips what it has done;
// the version of the schema is part of its last step. A store that failed the check is
// migrated by AcceptLoss; before, it is read as it is. A backup has the schema of its
// store, and is migrated when the restored store is opened.
//
// # Disk
//
// badger writes through memory-mapped files, and a process that does so on a full disk
// is killed. Therefore the store stops writing to the database while fewer bytes are free
// than Options.FreeBytesMin, and a restore must leave as many. The writer checks ten times a
// second at most. On a full disk it checks once a second, and continues once an eighth more
// is free. Reads still work.
//
// On a full disk commits are rejected (persistence.ErrDiskFull), except those that may use
// the reserve (persistence.Batch.Reserve): these are in the log and in memory only, until
// there is space. Who may use it:
//
//	accounts        all but the intents of orders that increase exposure: cancels,
//	                closes, orders that reduce, protection, executions, reconciliation
//	channels        signals that close or cancel, and what follows from any signal
//	administration  everything, with its audit rows: an operator can halt an account
//	deliveries      nothing: events are recorded, and delivered when there is space
//	alerts          nothing: they fire when there is space
//	purges          nothing
//
// The reserve is made at Open and after each use, as far as FreeBytesMin stay free:
// ReserveLogBytes of segments of the log, which are used instead of new ones, and a file of
// ReserveOpenBytes. The cancel of an order takes about 350 bytes of the log, so that more than
// 20,000 cancels are accepted even if no byte is free; then everything is rejected. The
// rows in memory take about as much again. The space is allocated, and the file system must
// write in place, as ext4 and XFS do.
//
// badger also writes when it is opened and closed. With less than half of FreeBytesMin it is
// opened without compaction, which takes only as much as its logs of unwritten tables; the
// file of the reserve is deleted if that is needed. Once there is space it is opened again,
// between two reads. Open fails with less than that, if the store is new, or if it must be
// migrated or repaired. Close then leaves the database as a kill would. If another process
// takes the space while badger writes, the process is killed, and nothing that was
// confirmed is lost.
package badgerstore
