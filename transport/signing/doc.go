// Package signing signs and verifies bodies: it verifies inbound signals and signs
// outbound events.
//
// The signed text is the timestamp as decimal Unix seconds, a dot, and the exact
// bytes of the body, never a body that was decoded and encoded again. The signature
// is HMAC-SHA256 with the whole text of the secret as its key. There are two headers:
//
//	X-Service-Signature: sha256=<64 hexadecimal digits>
//	X-Service-Timestamp: <Unix seconds>
//
// A Key is prepared once for a secret and may be used by several goroutines:
//
//	key := signing.NewKey("whsec_...")
//	signature, timestamp := key.Sign(time.Now().Unix(), body)
//	err := signing.Verify(signature, timestamp, body, time.Now(), key)
//
// Verify returns nil or a Reason. Signatures are compared in constant time, and a
// body is hashed with every given key, whether an earlier one matched or not. A
// receiver that has no key for an address should verify with a random one, so that
// the time of its response does not reveal that.
package signing
