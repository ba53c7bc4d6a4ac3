// Package auth authenticates requests by API key, or by the token of a console session, and
// limits their rate. Every edge uses it, REST and stream alike.
//
// # Keys
//
// A key is `vgk_` + public id (8 characters) + `_` + secret (43) + checksum (6),
// all base62. The id is the key of the record, which has only the SHA-256 of the
// secret: that suffices because the secret is 256 bits from a random source. The
// checksum is CRC-32 of everything before it: text that never was a key is rejected
// without a lookup. Secret scanners find leaked keys by
//
//	vgk_[0-9A-Za-z]{8}_[0-9A-Za-z]{49}
//
// # Tokens
//
// A page of the console sends the token of its session, `vgs_` and 43 random characters,
// instead of a key. Issue makes one for TokenLife and renews it; it is kept in memory only and
// accepted only from the address that it was issued to (IPv6: the network of 64 bits).
//
// # Authentication
//
// Authenticator returns a Principal or a *venues.Error: unauthorized for a key that
// is missing, wrong, expired, revoked, of a disabled customer or used from an
// address that it does not allow, always with the same message and in about the
// same time; rate_limited for an address with too many failures. A valid key is
// accepted from any address, however many failures that address has: a failed
// request never uses up the rate limit of a client.
//
// Records are cached for CacheTTL. Revoke removes a key from the cache immediately
// and notifies the subscribers of Watch, which close open connections.
//
// # Limits
//
// A Limiter counts requests in an exact sliding window: in any 60 s it allows at
// most the limit of the class. A MemoryLimiter is bounded and serves one process;
// the interface can be implemented for several.
package auth
