// Package webhook carries events to customers' URLs by signed POST (interface,
// "Outbound event delivery"; decisions, "Events and delivery").
//
// Sender.Send makes one attempt: it encodes the envelope, which for one event is
// the same bytes each time, signs it with the moment of this attempt and says
// what came of it. It neither repeats nor waits; when to try again is the
// business of the queue that calls it.
//
// # What the other end may do
//
// A customer's URL is a hostile server until proven otherwise. One attempt ends
// within Options.Timeout whatever that server does; headers over
// answerHeaderBytesMax and bodies over answerBytesMax are cut; redirects are not
// followed; compressed answers are not unpacked. Each endpoint has connections
// of its own, ConnsPerEndpoint at most, so that one that hangs holds no other's,
// even on the same host.
//
// # Where it may lead
//
// The guard decides when a connection is opened, on the address that is really
// dialled, so neither a name that resolves to an internal address, nor one that
// resolves otherwise the second time, nor an unusual spelling reaches one (see
// guard.go). What is refused unless Options.Allow names it: every address that
// is not global unicast, those that embed another address (NAT64, 6to4, Teredo),
// the metadata services of clouds, and every port but Options.Ports. No proxy
// from the environment is used: it would dial in the guard's place.
//
// # Secrets
//
// An endpoint signs with its own secret, or with that of the signed hook that
// HookID names. From NextFrom on its next secret signs. A hook's rotation has an
// overlap in which both secrets are good: as long as it lasts the previous one
// signs, which the receiver has for certain. Secrets are opened for each attempt
// and not kept.
package webhook
