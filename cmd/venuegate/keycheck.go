package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/go-json-experiment/json"

	"venuegate/persistence"
	"venuegate/persistence/badgerstore"
	"venuegate/persistence/vault"
)

// settingKeyCheck is the setting by which a start recognizes the key of its secrets. The
// first start stores it, and every rotation of the key replaces it.
const settingKeyCheck = "key-check"

// keyCheck is the value of settingKeyCheck.
type keyCheck struct {
	// Fingerprint identifies the newest key.
	Fingerprint string `json:"fingerprint"`
	// Sealed is sealed with that key. Key files without it cannot open it.
	Sealed []byte `json:"sealed"`
}

// keyCheckText is what is sealed.
const keyCheckText = "venuegate"

func keyCheckContext() string {
	return vault.Context("", string(persistence.KindSetting), settingKeyCheck)
}

func (c *keyCheck) isOpenedBy(v *vault.Vault) bool {
	_, err := v.Open(c.Sealed, keyCheckContext())
	return err == nil
}

// readKeyCheck returns persistence.ErrNotFound for a store that has none.
func readKeyCheck(ctx context.Context, store settingStore) (keyCheck, error) {
	var check keyCheck
	setting, err := store.Setting(ctx, settingKeyCheck)
	if err != nil {
		return check, err
	}
	if err := json.Unmarshal(setting.Value, &check); err != nil {
		return check, fmt.Errorf("read setting %s: %w", settingKeyCheck, err)
	}
	return check, nil
}

// writeKeyCheck stores a check of the vault's newest key.
func writeKeyCheck(ctx context.Context, store settingStore, v *vault.Vault) error {
	fingerprint, err := v.Fingerprint()
	if err != nil {
		return err
	}
	sealed, err := v.Seal([]byte(keyCheckText), keyCheckContext())
	if err != nil {
		return err
	}
	value, err := json.Marshal(keyCheck{fingerprint, sealed})
	if err != nil {
		return err
	}
	err = store.Commit(ctx, persistence.Batch{Puts: []persistence.Record{persistence.Setting{Name: settingKeyCheck, Value: value}}})
	if err != nil {
		return fmt.Errorf("store setting %s: %w", settingKeyCheck, err)
	}
	return nil
}

// checkKey returns an error if the vault does not have the key of the store's secrets. A
// store without a check gets one if the key opens a secret of it or there is none.
func checkKey(ctx context.Context, store vaultStore, keyFile string, v credentialVault) error {
	fingerprint, err := v.Fingerprint()
	if err != nil {
		return err
	}
	check, err := readKeyCheck(ctx, store)
	switch {
	case errors.Is(err, persistence.ErrNotFound):
		secrets, err := sealedSecrets(ctx, store)
		if err != nil {
			return err
		}
		if len(secrets) > 0 && !v.opensAny(secrets) {
			return fmt.Errorf("the key file %s (fingerprint %s) opens none of the %d sealed secrets of the data directory: put the key file that belongs to the directory in its place, or set keyFile", keyFile, fingerprint, len(secrets))
		}
	case err != nil:
		return err
	default:
		if !check.isOpenedBy(v.Vault) {
			return wrongKeyError(keyFile, fingerprint, check.Fingerprint)
		}
		if check.Fingerprint == fingerprint {
			return nil
		}
	}
	return writeKeyCheck(ctx, store, v.Vault)
}

func wrongKeyError(keyFile, got, want string) error {
	return fmt.Errorf("the key file %s has the key with fingerprint %s, the secrets of the data directory need the one with fingerprint %s: put its file in place, or set keyFile", keyFile, got, want)
}

// describeKey returns a sentence about the key that the secrets of a restored store need,
// and whether the key file has it.
func describeKey(ctx context.Context, store *badgerstore.Store, keyFile string) (string, error) {
	check, err := readKeyCheck(ctx, store)
	if errors.Is(err, persistence.ErrNotFound) {
		return fmt.Sprintf("Its key file must be at %s.", keyFile), nil
	}
	if err != nil {
		return "", err
	}
	got, err := vault.Fingerprint(keyFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("Its key file, whose key has the fingerprint %s, must be at %s.", check.Fingerprint, keyFile), nil
	case err != nil:
		return "", err
	}
	v, err := vault.Open(keyFile)
	if err != nil {
		return "", err
	}
	if !check.isOpenedBy(v) {
		return "It cannot be used yet: " + wrongKeyError(keyFile, got, check.Fingerprint).Error() + ".", nil
	}
	return fmt.Sprintf("The key file %s has its key.", keyFile), nil
}
