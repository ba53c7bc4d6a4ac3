package signing_test

import (
	"bytes"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"venuegate/transport/signing"
)

// request is the parts of a request that a forger can alter.
type request struct {
	signature, timestamp string
	body                 []byte
}

var signedAt = time.Unix(1767225600, 0)

func signed(key *signing.Key) request {
	body := []byte(`{"action":"order","exchange":"okx","symbol":"BTCUSDT","side":"buy","qty":"0.01","requestId":"a-1"}`)
	r := request{body: body}
	r.signature, r.timestamp = key.Sign(signedAt.Unix(), body)
	return r
}

// forgeries alter a signed request: the signed text or the signature.
var forgeries = []func(*request, *rand.Rand){
	func(r *request, random *rand.Rand) { r.body[random.IntN(len(r.body))] ^= 1 << random.IntN(8) },
	func(r *request, random *rand.Rand) { r.body = r.body[:random.IntN(len(r.body))] },
	func(r *request, random *rand.Rand) { r.body = append(r.body, byte(random.IntN(256))) },
	func(r *request, _ *rand.Rand) {
		r.body = []byte(`{"id":"evt_1","type":"order.filled","createdAt":"2026-01-01T00:00:00.000Z","data":{}}`)
	},
	func(r *request, random *rand.Rand) {
		i := random.IntN(len(r.body))
		r.body = append(r.body[:i:i], append([]byte{' '}, r.body[i:]...)...)
	},
	func(r *request, random *rand.Rand) {
		r.timestamp = strconv.FormatInt(signedAt.Unix()+1+random.Int64N(300), 10)
	},
	func(r *request, random *rand.Rand) {
		r.timestamp = strconv.FormatInt(signedAt.Unix()-1-random.Int64N(300), 10)
	},
	func(r *request, _ *rand.Rand) { r.timestamp = "0" + r.timestamp },
	func(r *request, _ *rand.Rand) { // the same bytes, split at another place
		r.body = append([]byte(r.timestamp[9:]+"."), r.body...)
		r.timestamp = r.timestamp[:9]
	},
	func(r *request, random *rand.Rand) {
		text := []byte(r.signature)
		text[random.IntN(len(text))] ^= 1 << random.IntN(8)
		r.signature = string(text)
	},
	func(r *request, random *rand.Rand) { r.signature = r.signature[:random.IntN(len(r.signature))] },
	func(r *request, random *rand.Rand) {
		r.signature, _ = signing.NewKey(strconv.FormatUint(random.Uint64(), 36)).Sign(signedAt.Unix(), r.body)
	},
}

// sameSignature reports whether two signatures differ at most in the case of their
// digits: then it is not a forgery.
func sameSignature(a, b string) bool {
	return len(a) == len(b) && a[:7] == b[:7] && bytes.EqualFold([]byte(a), []byte(b))
}

func TestForgeriesAreRejected(t *testing.T) { rejectForgeries(t, 50_000) }

// rejectForgeries verifies n random forgeries.
func rejectForgeries(t *testing.T, n int) {
	t.Helper()
	const workers = 4
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	key := signing.NewKey("whsec_the-one")
	original := signed(key)
	var wait sync.WaitGroup
	for w := range workers {
		random := rand.New(rand.NewPCG(seed, uint64(w)))
		wait.Go(func() {
			for range n / workers {
				forged := original
				forged.body = bytes.Clone(original.body)
				forge := random.IntN(len(forgeries))
				forgeries[forge](&forged, random)
				if forged.timestamp == original.timestamp && bytes.Equal(forged.body, original.body) && sameSignature(forged.signature, original.signature) {
					continue
				}
				if err := signing.Verify(forged.signature, forged.timestamp, forged.body, signedAt, key); err == nil {
					t.Errorf("forgery %d: %q accepted, want an error", forge, forged)
					return
				}
			}
		})
	}
	wait.Wait()
}

func FuzzVerify(f *testing.F) {
	key := signing.NewKey("whsec_the-one")
	r := signed(key)
	f.Add(r.signature, r.timestamp, r.body)
	f.Add("sha256=", "", []byte(nil))
	f.Fuzz(func(t *testing.T, signature, timestamp string, body []byte) {
		if signing.Verify(signature, timestamp, body, signedAt, key) != nil {
			return
		}
		seconds, err := strconv.ParseInt(timestamp, 10, 64)
		if err != nil {
			t.Fatalf("timestamp %q accepted, want an error", timestamp)
		}
		want, _ := key.Sign(seconds, body)
		if !sameSignature(want, signature) && timestamp == strconv.FormatInt(seconds, 10) {
			t.Fatalf("signature %q accepted, want %q", signature, want)
		}
	})
}
