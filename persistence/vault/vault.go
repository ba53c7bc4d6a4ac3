// Package vault seals the small secrets that the store keeps: venue
// credentials, hook secrets, tokens. Sealing is authenticated encryption
// (AES-256-GCM by Tink), so what was altered does not open.
//
// # Keys
//
// The keys lie in one file, readable by its owner alone, apart from the
// database: a copy of the database, or a backup, opens nothing without it. Open
// makes the file if it is absent. If it is lost, everything sealed is lost with
// it, so it belongs into the operator's own backup. Rotate adds a key for what
// is sealed from then on; older keys stay to open what they sealed.
//
// # Context
//
// A secret is bound to what it is for. Seal and Open take the same context,
// made by Context of customer, kind and id; a sealed secret copied to another
// record, or another customer, does not open there.
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

// sealedVersion is the first byte of what Seal gives.
const sealedVersion = 1

// sealedBytesMax is a secret, the version and what Tink adds: prefix, nonce and
// tag.
const sealedBytesMax = SecretBytesMax + 64

// ErrSealed is the answer of Open to anything that it did not seal under this
// context with one of its keys. It does not say which of these it was.
var ErrSealed = errors.New("vault: the secret does not open")

// Vault seals and opens. It is safe for concurrent use.
type Vault struct {
	keyFile string

	mu     sync.RWMutex
	keys   *keyset.Handle
	cipher tink.AEAD
}

// Open reads the key file, or makes it with one new key if it is absent. A file
// that others may read, or that holds no keys, is an error: making a new one
// would lose every secret.
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

// Context names what a secret is for. Different triples give different
// contexts, whatever characters they hold.
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

// Seal encrypts a secret for a context, under the newest key. Sealing the same
// twice gives different bytes.
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

// Open decrypts what Seal gave for the same context, or answers ErrSealed.
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

// Rotate adds a key and seals with it from now on. The key file has it before
// Rotate returns; if writing the file fails, nothing has changed.
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

// Keys is how many keys there are: one more than there were rotations.
func (v *Vault) Keys() int {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.keys.Len()
}

// withNewKey adds a key and makes it the one that seals.
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
