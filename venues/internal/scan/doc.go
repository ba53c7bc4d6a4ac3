// Package scan reads messages of a stream as a venue usually prints them, at the
// speed of one walk over the bytes and without allocations.
//
// A Scanner knows a narrow form of JSON: no white space, no escapes, numbers
// that fit int64. Each of its methods answers whether the next piece has that
// form; false says nothing about the message but that somebody more thorough
// must look at it, which every user has behind it (package payload). A user's fuzz
// test holds the two against each other: what is scanned is parsed alike.
//
// After a false the scanner and what it was to fill are in no particular state.
//
// Levels of a book become fixed-point numbers of the instrument's scale while
// they are read, exactly or not at all.
package scan
