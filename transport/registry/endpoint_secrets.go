package registry

import (
	"context"
	"strconv"
	"time"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/venues"
)

const (
	// switchMax is how far ahead the switch to a new secret may be.
	switchMax = 24 * time.Hour
	// givenSecretBytesMax bounds a secret that the request contains: a bot's token,
	// a service account's key.
	givenSecretBytesMax = 4 << 10
)

// EndpointRotation is the request for a new secret, which signs from SwitchAt on,
// or immediately. Kinds whose secret is given contain the new one.
type EndpointRotation struct {
	SwitchAt venues.Time   `json:"switchAt"`
	Secret   venues.Secret `json:"secret"`
}

// Rotate gives an endpoint a new secret.
func (e *Endpoints) Rotate(ctx context.Context, id string, rotation EndpointRotation) (Endpoint, error) {
	rotated, secret, err := e.rotated(ctx, id, rotation)
	if err == nil {
		err = e.reach(ctx, rotated)
	}
	if err != nil {
		return Endpoint{}, err
	}
	e.audit.Lock()
	defer e.audit.Unlock()
	record, err := e.read(ctx, id)
	if err != nil {
		return Endpoint{}, err
	}
	now := time.Now()
	from := venues.At(now)
	record.Next, record.NextFrom, record.Disabled = nil, venues.Time{}, ""
	if rotation.SwitchAt.After(now) {
		from = rotation.SwitchAt
		record.Next, record.NextFrom = rotated.Sealed, from
	} else {
		record.Sealed = rotated.Sealed
	}
	return e.put(ctx, record, secret, field("action", "rotate"), field("from", from.UTC().Format(venues.TimeFormat)))
}

// rotated returns an endpoint with the new secret of a rotation, and the secret if
// it was made here.
func (e *Endpoints) rotated(ctx context.Context, id string, rotation EndpointRotation) (record persistence.Endpoint, secret string, err error) {
	if record, err = e.read(ctx, id); err != nil {
		return record, "", err
	}
	if record.HookID != "" {
		return record, "", venues.Errorf(venues.CodeInvalidRequest, "the hook %s signs for this endpoint; rotate the hook", record.HookID)
	}
	wait := time.Until(rotation.SwitchAt.Time)
	if !rotation.SwitchAt.IsZero() && (wait > switchMax || record.Kind != persistence.EndpointWebhook) {
		return record, "", api.FieldError("switchAt", api.RuleOutOfRange, "", "for kind webhook, at most "+switchMax.String()+" ahead")
	}
	record.Next, record.NextFrom, record.Disabled = nil, venues.Time{}, ""
	secret, err = e.seal(&record, rotation.Secret)
	return record, secret, err
}

// seal seals the secret of an endpoint, which a request contains or which is made
// here. It returns the one that was made.
func (e *Endpoints) seal(record *persistence.Endpoint, given venues.Secret) (made string, err error) {
	switch record.Kind {
	case persistence.EndpointWebhook:
		if given != "" {
			return "", api.FieldError("secret", api.RuleNotApplicable, "", "it is made here")
		}
		if record.HookID != "" {
			return "", nil
		}
		made = newSigningSecret()
		given = venues.Secret(made)
	case persistence.EndpointFile:
		if given != "" {
			return "", api.FieldError("secret", api.RuleNotApplicable, "", "none for kind file")
		}
		return "", nil
	case persistence.EndpointTelegram, persistence.EndpointSheet:
		if given == "" {
			return "", api.FieldError("secret", api.RuleMissing, "", "the token of the bot, or the key of the service account")
		}
		if len(given) > givenSecretBytesMax {
			return "", api.FieldError("secret", api.RuleOutOfRange, "", "1 to "+strconv.Itoa(givenSecretBytesMax)+" bytes")
		}
	}
	record.Sealed, err = e.secrets.Seal(given, record.Key())
	return made, err
}
