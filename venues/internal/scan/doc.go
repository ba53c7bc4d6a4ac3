// Package scan decodes stream messages in the form that a venue usually sends, in one pass
// over the bytes and without allocations.
//
// A Scanner supports a narrow form of JSON: no white space, no escapes, numbers that fit
// int64. Each of its methods reports whether the next piece has that form. False does not
// mean that the message is invalid; every user then falls back to package payload. Fuzz
// tests of the users check that both decode a message alike.
//
// After false the state of the scanner and of its results is undefined.
//
// Levels of a book are converted to fixed-point numbers of the instrument's scale while
// they are read, exactly or not at all.
package scan
