// Package badgerstore is the embedded store: package persistence on badger, in
// one directory, for one process.
//
// # Directory
//
//	LOCK      held while the store is open
//	seal      two copies of the last commit's number and chain value
//	db/       badger's own files
//
// # Commits
//
// One goroutine writes. It takes what is queued, up to a bound, as one group:
// one transaction, one sync of badger's newest log, then the answers in order of
// submission. A lone batch does not wait for company. Readers see what is durable,
// and wait for no sync. After the answers the log is filled with zeros ahead of what
// is written, so that few syncs wait for the journal of the file system.
// Each batch of a group is judged alone, after the changes of those before it. The
// writer seldom reads for that: it keeps what it wrote last, and a filter of all keys
// tells it of nearly every new row that there is none, and readers of nearly every new
// request id. A failed sync is the end of writing: the group's outcome is unknown, and
// later batches are refused until the store is opened anew, because a later sync may
// succeed over pages that were lost.
//
// # Ledger and seal
//
// badger can lose acknowledged rows and open without an error: a flipped bit in
// its log ends the replay there, a deleted log is an empty one. So every group
// writes, in its own transaction, a ledger row: its number, how many rows there
// are, a sum over the hashes of all rows, and a chain value over that and the
// row before. After the transaction is durable the number and chain value go to
// the seal file, before the group is answered; that write is synced now and
// then, not for each group.
//
// Open reads every row. Integrity then says whether
//
//   - the kept ledger rows follow each other and their chain values fit,
//   - the rows and their sum are those of the newest ledger row: nothing within
//     is missing, altered or added,
//   - the chain has the seal's value at the seal's number: nothing at the end is
//     missing, and it is the same history.
//
// A store that fails this answers reads and refuses every commit until
// AcceptLoss. After a power cut the seal may be older than the database, never
// newer; ledger rows are kept for longer than the seal is left unsynced. Damage
// that badger itself notices makes Open fail; a backup restored in its place is
// then behind its seal, unless the seal is replaced with it, as Restore does.
//
// # Disk
//
// badger writes through mappings of its files, and a process that does so on a full
// disk is killed. So commits are refused while fewer bytes are free than
// Options.FreeBytesMin, and a restored backup must leave as many. The writer looks
// before each group. After a refusal it looks once a second, and takes commits again
// where an eighth more is free. Reading goes on.
//
// badger also writes when it is opened and closed, for which half of that must be
// free: else Open fails, and Close leaves the database as a kill would.
package badgerstore
