// Package registry creates, changes and removes the records of an installation:
// customers, their API keys, their accounts at venues, the channels that receive
// their signals (hooks), the endpoints that their events are sent to, their alerts, and
// the users of the console. It reads deliveries, files, journals and closed trades.
//
// There is one type for each resource, with the interface of the store and of the
// running service that it needs. A Registry has the resources of all customers. A
// View, which Registry.For returns, has those of one customer: there the id of
// another customer's record is not_found, as if the record did not exist.
//
// SignIns has the sign-ins of users: their sessions, passwords and second steps, as the
// console changes them.
//
// # Changes
//
// Every change leaves a row in the installation's journal, without secrets, with the Author
// of the view. It is in the same commit as the records that belong to the installation:
// customers, keys, users and sessions. Accounts, hooks, endpoints and alerts belong to their customer: the
// customer's owner stores them, with a row in the customer's journal, before the
// row of the installation is written. One change runs at a time; reads do not wait
// for it. The running service applies each change; see Service.
//
// No record is deleted: a customer is disabled, a key revoked, an account loses its
// credentials. Orders and fills refer to them for longer than they are in use.
//
// # Hash chain
//
// The rows of the installation's journal are a hash chain: each carries the hash of the
// row before it and its own,
//
//	digest = SHA-256 of the row's parts, each after its length as a uvarint:
//	         id, sequence, time in Unix milliseconds, kind, subject, channel,
//	         symbol, result and the names and values of the fields
//	hash   = SHA-256 of the previous hash and the digest
//
// and the newest hash is also stored apart, in the same commit. VerifyJournal finds
// a row that was changed, removed, inserted or moved, the newest included. Rows
// without hashes, from before there was a chain, are bound by the first row that
// has one. The chain shows what was altered by accident or in part. Write access
// to the whole store allows writing another chain, which only a hash that is kept
// elsewhere reveals.
package registry
