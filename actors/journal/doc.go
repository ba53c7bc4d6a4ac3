// Package journal is the way to the store's one writer. Its Client numbers the
// events and journal rows of each customer and hands the batch over under the
// same lock, so that sequences rise in the order of the commits; its actor keeps
// house: it purges what is past its retention and says when the store is not
// well.
//
// An actor commits through its Line, which lets nothing become durable behind a
// commit that failed.
//
// Whoever carries events on is told by Listen that there are new ones, and reads
// them from the store.
//
// The number of a row is given by the owner of the customer (see Own): whoever
// has lost a customer can neither number nor commit for it.
package journal
