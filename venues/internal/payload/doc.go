// Package payload reads what venues send, thoroughly: any spelling that JSON allows,
// unknown members ignored, what is missing or wrong named in the error. It is
// what package scan leaves to it, and what reads everything that is not a book.
//
// An Object keeps its first failure, so that a decoder reads all it wants and
// checks once. Texts of a venue that go into errors are bounded and printable.
package payload
