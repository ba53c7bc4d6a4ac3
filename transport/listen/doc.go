// Package listen sees to the connections of HTTP servers where the HTTP library does
// not do what its clients may expect:
//
//   - Quiet ends connections that never spoke without an answer to no request.
//   - PerAddress closes connections past a number per address.
//   - Drain lets a client read the answer to a body that it has not sent to the end.
//
// Connections keep their descriptors (syscall.Conn), and encrypted ones the
// methods by which the HTTP library knows them.
package listen
