// Package listen adapts the connections of HTTP servers where the HTTP library does
// not do what clients expect:
//
//   - HTTP closes unused connections without a response, and rejects malformed request
//     heads and too long WebSocket frames before the HTTP library buffers them.
//   - CheckRequest and CheckSameSite reject requests that are not for this server.
//   - PerAddress closes connections past a number per address.
//   - Drain lets a client read the response to a request whose body it is still
//     sending.
//
// Connections keep their descriptors (syscall.Conn), and TLS connections the methods
// by which the HTTP library detects them.
package listen
