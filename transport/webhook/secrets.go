package webhook

import (
	"context"
	"errors"
	"fmt"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// Secrets opens the secrets that endpoints sign with.
type Secrets struct {
	// Unseal opens a secret that was sealed for the record with this key.
	Unseal func(sealed []byte, of persistence.Key) (venues.Secret, error)
	// Channel returns the hook whose secret signs for an endpoint without one.
	Channel func(ctx context.Context, customer, id string) (persistence.Channel, error)
}

// Of returns the secret that signs for an endpoint at a time.
func (s Secrets) Of(ctx context.Context, to persistence.Endpoint, at time.Time) (venues.Secret, error) {
	sealed, key := to.Sealed, to.Key()
	switch {
	case to.HookID != "":
		hook, err := s.Channel(ctx, to.Customer, to.HookID)
		if err != nil {
			return "", fmt.Errorf("find the hook that signs: %w", err)
		}
		sealed, key = hookSecret(hook, at), hook.Key()
	case len(to.Next) > 0 && !at.Before(to.NextFrom.Time):
		sealed = to.Next
	}
	if len(sealed) == 0 {
		return "", errors.New("the endpoint has no secret to sign with")
	}
	secret, err := s.Unseal(sealed, key)
	if err != nil {
		return "", fmt.Errorf("open the secret that signs: %w", err)
	}
	return secret, nil
}

// hookSecret returns the secret of a hook that signs: the previous one while both are
// valid, which the receiver certainly has.
func hookSecret(hook persistence.Channel, at time.Time) []byte {
	switch {
	case !hook.RemovedAt.IsZero():
		return nil
	case len(hook.Previous) > 0 && at.Before(hook.PreviousUntil.Time):
		return hook.Previous
	default:
		return hook.Sealed
	}
}
