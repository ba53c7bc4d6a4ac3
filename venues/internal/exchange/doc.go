// Package exchange sends the requests that place, amend and cancel orders: each once, on
// the goroutine of its caller, over connections that the package owns.
//
// net/http passes every request through two goroutines of its connection and reports only
// afterwards how much of it was written. Here the caller writes the request with one write
// and reads the answer itself. fasthttp's header and response types are the codec; its
// client is not used, because it repeats requests.
//
// # Sent or not
//
// Do reports whether a byte of the request was handed to the kernel. The count is taken
// below TLS. A connection that cannot be made, a TLS handshake that fails, a request that
// cannot be encoded and a Client whose connections are all in use are not sent. Everything
// that fails after the first byte is sent, and its outcome is unknown. Nothing is sent a
// second time.
//
// # Kept connections
//
// A connection is kept if its answer was read to the end, neither side closes it, nothing
// follows the answer and the context of the exchange has not ended. Before it is used again
// it must be quiet: the kernel has neither bytes nor the end of the stream for it, and TLS
// holds neither a complete nor a part of a record. One that is not quiet is closed, and
// the request goes over another, because no byte of it was written. A venue that closes a
// connection after that check makes the outcome unknown. ConnsMax bounds the connections,
// IdleTimeout the time that one is kept unused.
//
// Dial should return connections that have a descriptor (syscall.Conn), as those of the
// network do. Others, such as pipes, are checked with a read of quietTime.
//
// # Time
//
// Timeout and the deadline of the context become the deadline of the connection; the end of
// the context moves it into the past. No goroutine waits for either.
//
// # Answers
//
// An answer is refused if http.ReadResponse refuses it; some that it accepts are refused
// too, such as folded header lines, line ends without CR and repeated Content-Length lines.
// Redirects are answers like any other. gzip is requested and decoded as net/http does.
// The text of an answer is not part of an error, because it may repeat a signature.
//
// # What it shares with net/http
//
// The dialer and the TLS configuration are those of the other requests of restclient: the
// same roots and the same local address. Proxies of the environment are not used.
// HTTP/2 is never negotiated.
package exchange
