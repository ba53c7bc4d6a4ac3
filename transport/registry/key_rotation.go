package registry

import (
	"context"
	"errors"
	"fmt"
	"time"

	"venuegate/persistence"
	"venuegate/transport/auth"
	"venuegate/venues"
)

// KeyRotation is the request for another key instead of one. The previous key stays valid for
// OverlapSec; nil is the longest overlap, zero none.
type KeyRotation struct {
	OverlapSec *int `json:"overlapSec"`
}

// Rotate makes a key with the name, the scopes, the addresses and the end of another, which it
// ends after the overlap. Its text is only in the result. Open connections of the previous key
// are closed; while it is valid it can open others, which are closed at its end.
func (k *Keys) Rotate(ctx context.Context, id string, rotation KeyRotation) (Key, error) {
	overlap, err := HookRotation(rotation).overlap()
	if err != nil {
		return Key{}, err
	}
	k.audit.Lock()
	defer k.audit.Unlock()
	previous, err := k.read(ctx, id)
	if err != nil {
		return Key{}, err
	}
	now := time.Now()
	if !previous.RevokedAt.IsZero() || !previous.ExpiresAt.IsZero() && !previous.ExpiresAt.After(now) {
		return Key{}, venues.Errorf(venues.CodeInvalidRequest, "the key has ended")
	}
	if previous.ReplacedBy != "" {
		return Key{}, venues.Errorf(venues.CodeInvalidRequest, "the key is replaced by %s already", previous.ReplacedBy)
	}
	if err := k.records().checkRoom(ctx, previous.Customer); err != nil {
		return Key{}, err
	}
	text, record, err := auth.New(k.audit.entropy, auth.Grant{
		Customer: previous.Customer, Name: previous.Name, Scopes: previous.Scopes, ExpiresAt: previous.ExpiresAt.Time, Allow: previous.Allow,
	}, now)
	if err != nil {
		return Key{}, err
	}
	endKey(&previous, record.ID, now.Add(overlap), now)
	fields := append(keyFields("rotate", record), field("replaces", previous.ID), field("overlap", overlap.String()))
	if err := k.audit.commitOf(ctx, record.Customer, kindKey, record.ID, fields, record, previous); err != nil {
		return Key{}, err
	}
	k.sessions.Revoke(previous.ID)
	key := keyOf(record)
	key.APIKey = text.Reveal()
	return key, nil
}

// endKey ends a key that is replaced, at the latest when it ends anyway.
func endKey(k *persistence.APIKey, replacedBy string, at, now time.Time) {
	k.ReplacedBy = replacedBy
	switch {
	case !at.After(now):
		k.RevokedAt = venues.At(now)
	case k.ExpiresAt.IsZero() || k.ExpiresAt.After(at):
		k.ExpiresAt = venues.At(at)
	}
}

// RecordUse stores the last use of a key. A key that does not exist is no error.
func (r *Registry) RecordUse(ctx context.Context, use auth.Use) error {
	r.audit.Lock()
	defer r.audit.Unlock()
	record, err := r.options.Store.APIKey(ctx, use.KeyID)
	if errors.Is(err, persistence.ErrNotFound) || err == nil && !record.LastUsedAt.Before(use.At) {
		return nil
	}
	if err == nil {
		record.LastUsedAt, record.LastUsedFrom = venues.At(use.At), use.Source.Unmap().String()
		err = r.options.Store.Commit(ctx, persistence.Batch{Puts: []persistence.Record{record}})
	}
	if err != nil {
		return fmt.Errorf("record the use of API key %s: %w", use.KeyID, err)
	}
	return nil
}
