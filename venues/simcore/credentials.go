package simcore

import (
	"math/rand/v2"
	"strconv"
)

// Credentials are what a client signs with. Passphrase is empty at venues that
// have none.
type Credentials struct {
	APIKey     string `json:"apiKey"`
	APISecret  string `json:"apiSecret"`
	Passphrase string `json:"passphrase,omitempty"`
}

// CredentialFormat is how long a venue's credentials are, in characters of
// 0-9A-Za-z. A passphrase length of zero means none.
type CredentialFormat struct {
	KeyLen, SecretLen, PassphraseLen int
}

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// derive makes the credentials of an account from the seed: the same ones at
// every start, so that a restarted simulator still knows its customers.
func (f CredentialFormat) derive(seed uint64, accountID string) Credentials {
	rng := rand.New(rand.NewPCG(seed, hash64("credentials "+accountID)))
	return Credentials{
		APIKey:     RandomText(rng, f.KeyLen),
		APISecret:  RandomText(rng, f.SecretLen),
		Passphrase: RandomText(rng, f.PassphraseLen),
	}
}

// RandomText is n characters of 0-9A-Za-z.
func RandomText(rng *rand.Rand, n int) string {
	text := make([]byte, n)
	for i := range text {
		text[i] = base62[rng.IntN(len(base62))]
	}
	return string(text)
}

// hash64 is FNV-1a; it tells the random streams of one seed apart.
func hash64(text string) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(text); i++ {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return h
}

func accountID(n int) string { return "account-" + strconv.Itoa(n) }
