package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"venuegate/actors/account"
	"venuegate/persistence"
	"venuegate/transport/api"
)

// Settings of the installation, made at the first start and the same for ever:
// ids at venues and cursors at clients depend on them.
const (
	settingClientIDPrefix = "client-id-prefix"
	settingCursorSecret   = "cursor-secret"
)

// settingStore is what a setting needs of the store.
type settingStore interface {
	Setting(ctx context.Context, name string) (persistence.Setting, error)
	Commit(ctx context.Context, b persistence.Batch) error
}

// installationSetting reads a setting, or makes and keeps it.
func installationSetting(ctx context.Context, store settingStore, name string, fresh func() ([]byte, error)) ([]byte, error) {
	setting, err := store.Setting(ctx, name)
	if err == nil {
		return setting.Value, nil
	}
	if !errors.Is(err, persistence.ErrNotFound) {
		return nil, fmt.Errorf("read setting %s: %w", name, err)
	}
	value, err := fresh()
	if err != nil {
		return nil, fmt.Errorf("make setting %s: %w", name, err)
	}
	setting = persistence.Setting{Name: name, Value: value}
	err = store.Commit(ctx, persistence.Batch{Absent: []persistence.Key{setting.Key()}, Puts: []persistence.Record{setting}})
	if err != nil {
		return nil, fmt.Errorf("keep setting %s: %w", name, err)
	}
	return value, nil
}

// newClientIDPrefix draws the few characters that tell this installation's
// orders from those of others on the same account.
func newClientIDPrefix() ([]byte, error) {
	const letters = "abcdefghijklmnopqrstuvwxyz234567"
	prefix := make([]byte, account.ClientIDPrefixLength)
	if _, err := rand.Read(prefix); err != nil {
		return nil, err
	}
	for i, b := range prefix {
		prefix[i] = letters[int(b)%len(letters)]
	}
	return prefix, nil
}

func newCursorSecret() ([]byte, error) {
	secret := make([]byte, api.CursorSecretBytesMin)
	_, err := rand.Read(secret)
	return secret, err
}
