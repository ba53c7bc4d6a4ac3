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

// Settings of the installation. The first start creates them and they never change,
// because client order ids at venues and cursors of clients depend on them.
const (
	settingClientIDPrefix = "client-id-prefix"
	settingCursorSecret   = "cursor-secret"
)

// settingStore is the part of the store that settings need.
type settingStore interface {
	Setting(ctx context.Context, name string) (persistence.Setting, error)
	Commit(ctx context.Context, b persistence.Batch) error
}

// installationSetting returns a setting, or creates and stores it.
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
		return nil, fmt.Errorf("create setting %s: %w", name, err)
	}
	setting = persistence.Setting{Name: name, Value: value}
	err = store.Commit(ctx, persistence.Batch{Absent: []persistence.Key{setting.Key()}, Puts: []persistence.Record{setting}})
	if err != nil {
		return nil, fmt.Errorf("store setting %s: %w", name, err)
	}
	return value, nil
}

// newClientIDPrefix returns a random prefix of client order ids, which
// distinguishes this installation's orders from others on the same account.
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
