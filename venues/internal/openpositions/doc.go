// Package openpositions tracks which positions of an account are known to be open, from the
// lists that were read and the events of the private stream.
//
// A venue reports a flat position without its side, repeats it, and reports only the end of
// a position that was opened and closed between two messages. The tracker derives from that
// what [venues.PrivateSink] promises: the end of each side that is known to be open, once.
// A position that is not known to be open has no end to report, unless a list is being
// read: that list may be older and still contain the position.
package openpositions
