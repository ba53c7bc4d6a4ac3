// Package auth tells who sends a request and how often he may: API keys, their
// check, and the limits of requests per time. Every edge uses it, REST and
// stream alike.
//
// # Keys
//
// A key is `vgk_` + public id (8 characters) + `_` + secret (43) + checksum (6),
// all base62. The id finds the record; of the secret only SHA-256 is kept,
// which suffices because it is 256 bits from a random source. The checksum is
// CRC-32 of all before it: text that never was a key is refused without a
// lookup. Secret scanners find leaked keys by
//
//	vgk_[0-9A-Za-z]{8}_[0-9A-Za-z]{49}
//
// # Checks
//
// Authenticator answers a Principal or a *venues.Error: unauthorized for a key
// that is missing, wrong, expired, revoked, of a disabled customer or used from
// an address it is not allowed for, all with the same message and in about the
// same time; rate_limited for an address with too many failures. A key that is
// right passes from any address, however many failures that address has seen:
// a failed request never spends anyone's allowance.
//
// Records are cached for CacheTTL. Revoke takes a key out at once and tells
// those who watch, so that open connections end.
//
// # Limits
//
// A Limiter counts requests in an exact sliding window: in any 60 s at most the
// limit of the class is let through. Memory limiters are bounded and serve one
// process; the interface leaves room for one that serves several.
package auth
