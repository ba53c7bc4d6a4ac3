// Package signing signs and verifies request bodies: inbound hooks are verified
// by it, outbound events are signed by it (interface, "Authentication").
//
// What is signed is the timestamp as decimal Unix seconds, a dot, and the exact
// bytes of the body; never a body that was decoded and encoded again. The
// signature is HMAC-SHA256 under the whole text of the secret, and travels in
// two headers:
//
//	X-Service-Signature: sha256=<64 hexadecimal digits>
//	X-Service-Timestamp: <Unix seconds>
//
// A Key is prepared once for a secret and serves any number of goroutines:
//
//	key := signing.NewKey("whsec_...")
//	signature, timestamp := key.Sign(time.Now().Unix(), body)
//	err := signing.Verify(signature, timestamp, body, time.Now(), key)
//
// Verify answers nil or a Reason. Signatures are compared in constant time, and
// a body is hashed under every key that is given, whether an earlier one matched
// or not. A receiver that knows no key for an address should verify under a
// random one, so that the time of its answer does not tell.
package signing
