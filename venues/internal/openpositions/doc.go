// Package openpositions remembers which positions the owner of an account knows to be
// open, from the lists that were read and from what the private stream has told.
//
// A venue tells of one that is flat without saying which side it was, tells it
// again, and tells nothing but the end of one that was opened and closed between two
// of its messages. The memory makes of that what [venues.PrivateSink] promises: the
// end of each side that is known to be open, once. What is not known to be open has
// no end to tell, but for a list that is under way: it may be older, and name the
// position as open after its end.
package openpositions
