package signing_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"venuegate/transport/signing"
)

// BenchmarkVerify compares the verification of a 300-byte body with hashing it,
// and with a new HMAC for each request.
func BenchmarkVerify(b *testing.B) {
	body := []byte(strings.Repeat("x", 300))
	key := signing.NewKey("whsec_0123456789012345678901234567890123456789012")
	signature, timestamp := key.Sign(signedAt.Unix(), body)
	b.Run("sha256", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sha256.Sum256(body)
		}
	})
	b.Run("verify", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := signing.Verify(signature, timestamp, body, signedAt, key); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("hmac-new", func(b *testing.B) {
		b.ReportAllocs()
		secret, want := []byte("whsec_0123456789012345678901234567890123456789012"), strings.TrimPrefix(signature, "sha256=")
		for b.Loop() {
			mac := hmac.New(sha256.New, secret)
			mac.Write([]byte(timestamp + "."))
			mac.Write(body)
			if hex.EncodeToString(mac.Sum(nil)) != want {
				b.Fatalf("signature = %x, want %s", mac.Sum(nil), want)
			}
		}
	})
}
