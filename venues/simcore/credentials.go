package simcore

import (
	"math/rand/v2"
	"strconv"
)

// Credentials are the API credentials of an account. Passphrase is empty at venues
// without one.
type Credentials struct {
	APIKey     string `json:"apiKey"`
	APISecret  string `json:"apiSecret"`
	Passphrase string `json:"passphrase,omitempty"`
}

// CredentialFormat is the length of a venue's credentials, in characters of
// 0-9A-Za-z. A passphrase length of zero means no passphrase.
type CredentialFormat struct {
	KeyLen, SecretLen, PassphraseLen int
}

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// derive returns the credentials of an account. They depend on the seed and the
// account's id alone, so that they stay valid after a restart of the simulator.
func (f CredentialFormat) derive(seed uint64, accountID string) Credentials {
	rng := rand.New(rand.NewPCG(seed, hash64("credentials "+accountID)))
	return Credentials{
		APIKey:     RandomText(rng, f.KeyLen),
		APISecret:  RandomText(rng, f.SecretLen),
		Passphrase: RandomText(rng, f.PassphraseLen),
	}
}

// RandomText returns n random characters of 0-9A-Za-z.
func RandomText(rng *rand.Rand, n int) string {
	text := make([]byte, n)
	for i := range text {
		text[i] = base62[rng.IntN(len(base62))]
	}
	return string(text)
}

// hash64 returns the FNV-1a hash of a text. It separates the random sequences of one
// seed.
func hash64(text string) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(text); i++ {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return h
}

func accountID(n int) string { return "account-" + strconv.Itoa(n) }
