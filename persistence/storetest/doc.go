// Package storetest provides the conformance suite for stores and a store in memory.
//
// # Conformance
//
// Run checks a store against the contract of package persistence: the result of each
// method, the class of each error, order and pages, isolation of customers, and
// concurrent commits. The tests of an engine add what only it has: crashes,
// corruption, files.
//
// # Memory
//
// Memory is a store for tests. It uses the same code for keys, commits and queries as
// the embedded store and differs only in where rows are stored. It has no goroutine
// except with Async, whose goroutine returns when the queue is empty, so that a Memory
// can be used in a testing/synctest bubble.
//
//	store := storetest.NewMemory()                           // durable when Submit returns
//	store := storetest.NewMemory(storetest.Async(time.Millisecond)) // durable later, like a disk
//	store := storetest.NewMemory(storetest.Manual())         // durable on Sync
//
// With Manual nothing becomes durable before Sync; Write writes a batch without a sync, if
// the batch allows it. Crash drops the pending batches, except for the given number of the
// oldest ones, which become durable without a reply: that is a power failure if batches are
// lost that were written. FailNext, LoseNextReply and RejectAll make commits fail.
package storetest
