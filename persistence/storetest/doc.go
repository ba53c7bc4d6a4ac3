// Package storetest holds what every store must do, and a store in memory.
//
// # Conformance
//
// Run takes a function that opens an empty store and checks each sentence of the
// contract in package persistence: what each method answers, the class of each
// error, order and pages, isolation of customers, and what happens when many
// commit at once. An engine's own tests add what only it has: crashes,
// corruption, files.
//
// # Memory
//
// Memory is a store for tests of everything above the store. It runs the same
// code for keys, commits and queries as the embedded store does and differs only
// in where rows lie. It has no goroutine of its own unless Async asks for one,
// and that one ends when the queue is empty, so that it lives in a
// testing/synctest bubble.
//
//	store := storetest.NewMemory()                           // durable at once
//	store := storetest.NewMemory(storetest.Async(time.Millisecond)) // as a disk does it
//	store := storetest.NewMemory(storetest.Manual())         // durable when told: Sync
//
// In the manual mode nothing becomes durable before Sync, and Crash throws away
// what is not, except for as many of the oldest batches as the caller says: those
// had reached the disk unanswered. FailNext and LoseNextAnswer make single
// commits fail.
package storetest
