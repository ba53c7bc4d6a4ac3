// Package vault seals small secrets for the store: venue credentials, hook secrets,
// tokens. Sealing is authenticated encryption (AES-256-GCM by Tink), so that an altered
// secret cannot be opened.
//
// # Keys
//
// The keys are in one file outside the database, readable only by its owner: without
// it, the secrets in a copy or a backup of the database cannot be opened. Open creates
// the file if it is absent. If it is lost, all sealed secrets are lost, so the operator
// must back it up. Rotate adds a key, with which later secrets are sealed; older keys
// stay to open earlier ones.
//
// # Context
//
// A secret is bound to its use. Seal and Open take the same context, which Context
// builds from customer, kind and id: a sealed secret that is copied to another record
// or another customer cannot be opened there.
//
//	v, err := vault.Open("data/vault.json")
//	sealed, err := v.Seal(secret, vault.Context("cus_1", "venueaccount", "okx"))
//	secret, err = v.Open(sealed, vault.Context("cus_1", "venueaccount", "okx"))
package vault

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// SecretBytesMax bounds one secret.
const SecretBytesMax = 4 << 10

// sealedVersion is the first byte of a sealed secret.
const sealedVersion = 1

// sealedBytesMax is the size of the largest secret with the version and what Tink adds:
// prefix, nonce and tag.
const sealedBytesMax = SecretBytesMax + 64

// ErrSealed is returned by Vault.Open for bytes that were not sealed for the same context
// with one of the vault's keys. It does not distinguish a wrong context from a wrong key.
var ErrSealed = errors.New("vault: the secret cannot be opened")

// Vault seals and opens secrets. It is safe for concurrent use.
type Vault struct {
	keyFile string

	mu     sync.RWMutex
	keys   *keyset.Handle
	cipher tink.AEAD
}

// Open reads the key file, or creates it with one new key if it is absent. It returns an
// error for a file that other users may read or that contains no keys. It never replaces
// such a file, because every secret would be lost.
func Open(keyFile string) (*Vault, error) {
	keys, err := loadOrCreate(keyFile)
	if err != nil {
		return nil, fmt.Errorf("open vault: %w", err)
	}
	cipher, err := aead.New(keys)
	if err != nil {
		return nil, fmt.Errorf("open vault: use the keys of %s: %w", keyFile, err)
	}
	return &Vault{keyFile: keyFile, keys: keys, cipher: cipher}, nil
}

// Context returns the context of the secret of a record. Different records have different
// contexts, even if their ids contain separators.
func Context(customer, kind, id string) string {
	var b strings.Builder
	for _, part := range []string{customer, kind, id} {
		b.WriteString(strconv.Itoa(len(part)))
		b.WriteByte(':')
		b.WriteString(part)
		b.WriteByte('|')
	}
	return b.String()
}

// Seal encrypts a secret for a context with the newest key. Sealing a secret again
// returns different bytes.
func (v *Vault) Seal(plaintext []byte, context string) ([]byte, error) {
	if len(plaintext) > SecretBytesMax {
		return nil, fmt.Errorf("seal: a secret of %d bytes, more than %d", len(plaintext), SecretBytesMax)
	}
	v.mu.RLock()
	defer v.mu.RUnlock()
	sealed, err := v.cipher.Encrypt(plaintext, []byte(context))
	if err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	return append([]byte{sealedVersion}, sealed...), nil
}

// Open decrypts a secret that was sealed for the same context, or returns ErrSealed.
func (v *Vault) Open(sealed []byte, context string) ([]byte, error) {
	if len(sealed) == 0 || len(sealed) > sealedBytesMax || sealed[0] != sealedVersion {
		return nil, ErrSealed
	}
	v.mu.RLock()
	defer v.mu.RUnlock()
	plaintext, err := v.cipher.Decrypt(sealed[1:], []byte(context))
	if err != nil {
		return nil, ErrSealed
	}
	return plaintext, nil
}

// Rotate adds a key, with which Seal encrypts from now on. The key is durable in the key
// file when Rotate returns. If it cannot be written, nothing changes.
func (v *Vault) Rotate() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	keys, err := withNewKey(keyset.NewManagerFromHandle(v.keys))
	if err != nil {
		return fmt.Errorf("rotate: %w", err)
	}
	cipher, err := aead.New(keys)
	if err != nil {
		return fmt.Errorf("rotate: %w", err)
	}
	if err := replaceKeyFile(v.keyFile, keys); err != nil {
		return fmt.Errorf("rotate: %w", err)
	}
	v.keys, v.cipher = keys, cipher
	return nil
}

// Keys returns the number of keys, which is one more than the number of rotations.
func (v *Vault) Keys() int {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.keys.Len()
}

// withNewKey adds a key, makes it the primary one and returns all keys.
func withNewKey(manager *keyset.Manager) (*keyset.Handle, error) {
	id, err := manager.Add(aead.AES256GCMKeyTemplate())
	if err != nil {
		return nil, err
	}
	if err := manager.SetPrimary(id); err != nil {
		return nil, err
	}
	return manager.Handle()
}
