// Package payload decodes what venues send: every JSON spelling is accepted, unknown
// members are ignored, and errors name what is missing or invalid. It decodes the messages
// that package scan does not handle, and everything that is not a book.
//
// An Object keeps its first failure, so that a decoder reads all members and checks once.
// Texts of a venue in errors are bounded and printable.
package payload
