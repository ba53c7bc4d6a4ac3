package notify

import (
	"errors"
	"fmt"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

// Unseal opens a secret that was sealed for the record with this key.
type Unseal func(sealed []byte, of persistence.Key) (venues.Secret, error)

// of is the secret that an endpoint uses at a moment.
func (open Unseal) of(to persistence.Endpoint, at time.Time) (venues.Secret, error) {
	sealed := to.Sealed
	if len(to.Next) > 0 && !at.Before(to.NextFrom.Time) {
		sealed = to.Next
	}
	if len(sealed) == 0 {
		return "", errors.New("the endpoint has no secret")
	}
	secret, err := open(sealed, to.Key())
	if err != nil {
		return "", fmt.Errorf("open the secret of the endpoint: %w", err)
	}
	return secret, nil
}
