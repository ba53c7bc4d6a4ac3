package vault

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"

	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"
)

// fingerprintBytes is the length of a fingerprint: enough that no two keys of an operator
// have the same.
const fingerprintBytes = 8

// fingerprintLabel distinguishes fingerprints from other hashes of a key.
const fingerprintLabel = "venuegate key fingerprint\n"

// Fingerprint returns the fingerprint of the newest key, with which Seal encrypts. It
// identifies the key and reveals nothing of it: it is part of a hash of 256 random bits.
func (v *Vault) Fingerprint() (string, error) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return fingerprint(v.keys)
}

// Fingerprint returns the fingerprint of the newest key of a file, or an error for a file
// that Open would reject, or that does not exist (fs.ErrNotExist).
func Fingerprint(keyFile string) (string, error) {
	file, err := os.Open(keyFile)
	if err != nil {
		return "", fmt.Errorf("open key file: %w", err)
	}
	defer func() { _ = file.Close() }()
	keys, err := load(file)
	if err != nil {
		return "", err
	}
	return fingerprint(keys)
}

func fingerprint(keys *keyset.Handle) (string, error) {
	plain := insecurecleartextkeyset.KeysetMaterial(keys)
	for _, key := range plain.GetKey() {
		if key.GetKeyId() == plain.GetPrimaryKeyId() {
			sum := sha256.Sum256(append([]byte(fingerprintLabel), key.GetKeyData().GetValue()...))
			return hex.EncodeToString(sum[:fingerprintBytes]), nil
		}
	}
	return "", errors.New("vault: there is no primary key")
}
