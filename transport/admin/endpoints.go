package admin

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/venues"
)

const (
	// endpointsMax bounds the endpoints of a customer.
	endpointsMax = 50
	// switchMax is how far ahead a new secret may be set to sign.
	switchMax = 24 * time.Hour
	// givenSecretBytesMax bounds a secret that an administrator brings: a bot's
	// token, a service account's key.
	givenSecretBytesMax = 4 << 10
)

// Endpoint is where events go, as the administration shows it.
type Endpoint struct {
	ID       string                   `json:"id"`
	Customer string                   `json:"customer"`
	Kind     persistence.EndpointKind `json:"kind"`
	Name     string                   `json:"name"`
	// URL of a webhook; Target of every other kind: chat, spreadsheet, file.
	URL    string                  `json:"url,omitzero"`
	Target string                  `json:"target,omitzero"`
	Types  []persistence.EventType `json:"types"`
	// HookID is the hook whose secret signs in place of an own one.
	HookID string `json:"hookId,omitzero"`
	Paused bool   `json:"paused"`
	// Disabled says why nothing is sent any more.
	Disabled string `json:"disabled"`
	// NextFrom is when the newest secret begins to sign.
	NextFrom  venues.Time `json:"nextFrom"`
	CreatedAt venues.Time `json:"createdAt"`
	// RemovedAt is in the answer that removes it alone.
	RemovedAt venues.Time `json:"removedAt,omitzero"`
	// Secret signs; it is in the answer that made it alone.
	Secret string `json:"secret,omitzero"`
}

// NewEndpoint asks for an endpoint. A webhook has a url and is given its secret,
// unless hookId names a hook whose secret signs; every other kind has a target
// and, where the other end wants one, brings a secret.
type NewEndpoint struct {
	Customer string                   `json:"customer"`
	Kind     persistence.EndpointKind `json:"kind"`
	Name     string                   `json:"name"`
	URL      string                   `json:"url"`
	Target   string                   `json:"target"`
	Types    []persistence.EventType  `json:"types"`
	HookID   string                   `json:"hookId"`
	Secret   venues.Secret            `json:"secret"`
}

// EndpointChange changes what is given. Paused false lets a disabled endpoint go
// on as well.
type EndpointChange struct {
	Name   *string                 `json:"name"`
	URL    *string                 `json:"url"`
	Target *string                 `json:"target"`
	Types  []persistence.EventType `json:"types"`
	Paused *bool                   `json:"paused"`
}

// EndpointRotation asks for a new secret, which signs from SwitchAt on; without
// it at once. Kinds that bring their secret bring the new one.
type EndpointRotation struct {
	SwitchAt venues.Time   `json:"switchAt"`
	Secret   venues.Secret `json:"secret"`
}

// publicEvents are those that every endpoint may take.
var publicEvents = []persistence.EventType{
	persistence.EventOrderFilled, persistence.EventOrderPartiallyFilled, persistence.EventPositionClosed,
	persistence.EventStopTriggered, persistence.EventAlertFired, persistence.EventRiskLimitReached,
}

// CreateEndpoint makes an endpoint. It is sent what happens from now on.
func (r *Registry) CreateEndpoint(ctx context.Context, n NewEndpoint) (Endpoint, error) {
	record, secret, err := r.draftEndpoint(ctx, n)
	if err != nil {
		return Endpoint{}, err
	}
	if err := r.reach(ctx, record); err != nil {
		return Endpoint{}, err
	}
	r.turn.Lock()
	defer r.turn.Unlock()
	if err := r.endpoints().checkOwner(ctx, record.Customer); err != nil { // others may have been made meanwhile
		return Endpoint{}, err
	}
	return r.putEndpoint(ctx, record, secret, endpointFields("create", &record)...)
}

// draftEndpoint is an endpoint as it is asked for, and what is shown of its secret.
func (r *Registry) draftEndpoint(ctx context.Context, n NewEndpoint) (record persistence.Endpoint, secret string, err error) {
	now := time.Now()
	record = persistence.Endpoint{
		ID: r.newID(persistence.PrefixEndpoint, now), Customer: n.Customer, Kind: n.Kind, Name: strings.TrimSpace(n.Name),
		Target: n.Target, Types: n.Types, HookID: n.HookID, CreatedAt: venues.At(now),
	}
	if record.Kind == "" {
		record.Kind = persistence.EndpointWebhook
	}
	if record.Kind == persistence.EndpointWebhook {
		record.Target = n.URL
	}
	if err := r.endpoints().checkOwner(ctx, record.Customer); err != nil {
		return record, "", err
	}
	if err := r.checkEndpoint(&record); err != nil {
		return record, "", err
	}
	if err := r.checkSigner(ctx, &record); err != nil {
		return record, "", err
	}
	secret, err = r.sealEndpoint(&record, n.Secret)
	return record, secret, err
}

func (r *Registry) checkEndpoint(record *persistence.Endpoint) (err error) {
	target, served := r.Targets[record.Kind]
	if !served {
		return api.Fault("kind", api.RuleUnknownValue, string(record.Kind), r.endpointKinds())
	}
	if record.Name != "" {
		if record.Name, err = checkName(record.Name); err != nil {
			return err
		}
	}
	if err := target.Form(record.Target); err != nil {
		return err
	}
	return checkTypes(record)
}

// checkSigner looks at the hook whose secret is to sign. It may be removed later:
// then nothing is sent.
func (r *Registry) checkSigner(ctx context.Context, record *persistence.Endpoint) error {
	if record.HookID == "" {
		return nil
	}
	hook, err := r.hook(ctx, record.HookID)
	if err != nil || hook.Customer != record.Customer || hook.Kind != persistence.ChannelWebhook || record.Kind != persistence.EndpointWebhook {
		return api.Fault("hookId", api.RuleUnknownValue, record.HookID, "a webhook hook of the customer, for an endpoint of kind webhook")
	}
	return nil
}

// reach refuses an endpoint at which nothing can arrive. It asks the other end: nobody
// has the turn meanwhile, or one that hangs would hold up a halt.
func (r *Registry) reach(ctx context.Context, record persistence.Endpoint) error {
	reach := r.Targets[record.Kind].Reach
	if reach == nil {
		return nil
	}
	err := reach(ctx, record)
	if _, shown := errors.AsType[*venues.Error](err); err == nil || shown {
		return err
	}
	return venues.Errorf(venues.CodeMaintenance, "what the endpoint leads to does not answer now").Because(err)
}

func (r *Registry) endpointKinds() string {
	kinds := make([]string, 0, len(r.Targets))
	for kind := range r.Targets {
		kinds = append(kinds, string(kind))
	}
	slices.Sort(kinds)
	return strings.Join(kinds, " ")
}

func targetField(kind persistence.EndpointKind) string {
	if kind == persistence.EndpointWebhook {
		return "url"
	}
	return "target"
}

// checkTypes puts the types in order; messaging channels may ask for
// notifications too.
func checkTypes(record *persistence.Endpoint) error {
	allowed := publicEvents
	if record.Kind == persistence.EndpointTelegram {
		allowed = append(slices.Clone(publicEvents), persistence.EventNotification)
	}
	record.Types = slices.Compact(slices.Sorted(slices.Values(record.Types)))
	for _, t := range record.Types {
		if !slices.Contains(allowed, t) {
			return api.Fault("types", api.RuleUnknownValue, string(t), joinTypes(allowed))
		}
	}
	return nil
}

// sealEndpoint gives an endpoint its secret and says what is shown of it: what
// was made here.
func (r *Registry) sealEndpoint(record *persistence.Endpoint, given venues.Secret) (shown string, err error) {
	switch record.Kind {
	case persistence.EndpointWebhook:
		if given != "" {
			return "", api.Fault("secret", api.RuleNotApplicable, "", "it is made here")
		}
		if record.HookID != "" {
			return "", nil
		}
		shown = secretPrefix + r.newSecret()
		given = venues.Secret(shown)
	case persistence.EndpointFile:
		if given != "" {
			return "", api.Fault("secret", api.RuleNotApplicable, "", "none for kind file")
		}
		return "", nil
	case persistence.EndpointTelegram, persistence.EndpointSheet:
		if given == "" {
			return "", api.Fault("secret", api.RuleMissing, "", "the token of the bot, or the key of the service account")
		}
		if len(given) > givenSecretBytesMax {
			return "", api.Fault("secret", api.RuleOutOfRange, "", "1 to "+strconv.Itoa(givenSecretBytesMax)+" bytes")
		}
	}
	record.Sealed, err = r.Secrets.Seal(given, record.Key())
	return shown, err
}

// Endpoints lists those of a customer, or of all if it is empty.
func (r *Registry) Endpoints(ctx context.Context, customer string) ([]Endpoint, error) {
	return listParts(ctx, r.endpoints(), customer, func(e persistence.Endpoint) Endpoint { return endpointOf(e, "") })
}

func (r *Registry) endpoints() parts[persistence.Endpoint] {
	return parts[persistence.Endpoint]{r, "endpoints", endpointsMax, r.Store.Endpoints, func(e *persistence.Endpoint) bool { return !e.RemovedAt.IsZero() }}
}

// Endpoint finds one.
func (r *Registry) Endpoint(ctx context.Context, id string) (Endpoint, error) {
	record, err := r.endpoint(ctx, id)
	if err != nil {
		return Endpoint{}, err
	}
	return endpointOf(record, ""), nil
}

// ChangeEndpoint changes an endpoint. Deliveries that wait go to the new target.
func (r *Registry) ChangeEndpoint(ctx context.Context, id string, change EndpointChange) (Endpoint, error) {
	if change.URL != nil || change.Target != nil {
		record, err := r.changedEndpoint(ctx, id, change)
		if err == nil {
			err = r.reach(ctx, record)
		}
		if err != nil {
			return Endpoint{}, err
		}
	}
	r.turn.Lock()
	defer r.turn.Unlock()
	record, err := r.changedEndpoint(ctx, id, change)
	if err != nil {
		return Endpoint{}, err
	}
	return r.putEndpoint(ctx, record, "", endpointFields("change", &record)...)
}

// changedEndpoint is an endpoint as a change leaves it.
func (r *Registry) changedEndpoint(ctx context.Context, id string, change EndpointChange) (persistence.Endpoint, error) {
	record, err := r.endpoint(ctx, id)
	if err != nil {
		return record, err
	}
	target, other := change.URL, change.Target
	if record.Kind != persistence.EndpointWebhook {
		target, other = other, target
	}
	if other != nil {
		return record, api.Fault(targetField(record.Kind), api.RuleMissing, "", "the other member is not for kind "+string(record.Kind))
	}
	set(&record.Name, change.Name)
	set(&record.Target, target)
	set(&record.Paused, change.Paused)
	if change.Types != nil {
		record.Types = change.Types
	}
	if target != nil || change.Paused != nil && !*change.Paused {
		record.Disabled = ""
	}
	return record, r.checkEndpoint(&record)
}

// RotateEndpoint gives an endpoint a new secret.
func (r *Registry) RotateEndpoint(ctx context.Context, id string, rotation EndpointRotation) (Endpoint, error) {
	fresh, secret, err := r.freshEndpoint(ctx, id, rotation)
	if err == nil {
		err = r.reach(ctx, fresh)
	}
	if err != nil {
		return Endpoint{}, err
	}
	r.turn.Lock()
	defer r.turn.Unlock()
	record, err := r.endpoint(ctx, id)
	if err != nil {
		return Endpoint{}, err
	}
	now := time.Now()
	from := venues.At(now)
	record.Next, record.NextFrom, record.Disabled = nil, venues.Time{}, ""
	if rotation.SwitchAt.After(now) {
		from = rotation.SwitchAt
		record.Next, record.NextFrom = fresh.Sealed, from
	} else {
		record.Sealed = fresh.Sealed
	}
	return r.putEndpoint(ctx, record, secret, field("action", "rotate"), field("from", from.UTC().Format(venues.TimeFormat)))
}

// freshEndpoint is an endpoint with the new secret of a rotation, and what is shown of
// that.
func (r *Registry) freshEndpoint(ctx context.Context, id string, rotation EndpointRotation) (record persistence.Endpoint, secret string, err error) {
	if record, err = r.endpoint(ctx, id); err != nil {
		return record, "", err
	}
	if record.HookID != "" {
		return record, "", venues.Errorf(venues.CodeInvalidRequest, "the hook %s signs for this endpoint; rotate that", record.HookID)
	}
	wait := time.Until(rotation.SwitchAt.Time)
	if !rotation.SwitchAt.IsZero() && (wait > switchMax || record.Kind != persistence.EndpointWebhook) {
		return record, "", api.Fault("switchAt", api.RuleOutOfRange, "", "for kind webhook, at most "+switchMax.String()+" ahead")
	}
	record.Next, record.NextFrom, record.Disabled = nil, venues.Time{}, ""
	secret, err = r.sealEndpoint(&record, rotation.Secret)
	return record, secret, err
}

// RemoveEndpoint ends an endpoint for good, and what waits for it.
func (r *Registry) RemoveEndpoint(ctx context.Context, id string) (Endpoint, error) {
	r.turn.Lock()
	defer r.turn.Unlock()
	record, err := r.endpoint(ctx, id)
	if err != nil {
		return Endpoint{}, err
	}
	record.RemovedAt, record.Sealed, record.Next = venues.At(time.Now()), nil, nil
	return r.putEndpoint(ctx, record, "", field("action", "remove"))
}

func (r *Registry) putEndpoint(ctx context.Context, record persistence.Endpoint, secret string, fields ...persistence.JournalField) (Endpoint, error) {
	if err := r.putPart(ctx, kindEndpoint, record, record.ID, fields); err != nil {
		return Endpoint{}, err
	}
	return endpointOf(record, secret), nil
}

// endpoint finds one that was not removed, without what has ended.
func (r *Registry) endpoint(ctx context.Context, id string) (persistence.Endpoint, error) {
	found, err := r.endpoints().find(ctx, func(e *persistence.Endpoint) bool { return e.ID == id })
	forgetEndedEndpoint(&found, time.Now())
	return found, err
}

func endpointOf(record persistence.Endpoint, secret string) Endpoint {
	e := Endpoint{
		ID: record.ID, Customer: record.Customer, Kind: record.Kind, Name: record.Name, Target: record.Target, Types: record.Types,
		HookID: record.HookID, Paused: record.Paused, Disabled: record.Disabled, NextFrom: record.NextFrom,
		CreatedAt: record.CreatedAt, RemovedAt: record.RemovedAt, Secret: secret,
	}
	if record.Kind == persistence.EndpointWebhook {
		e.URL, e.Target = record.Target, ""
	}
	return e
}

func endpointFields(action string, record *persistence.Endpoint) []persistence.JournalField {
	return []persistence.JournalField{
		field("action", action), field("customer", record.Customer), field("kind", string(record.Kind)), field("target", record.Target),
		field("types", joinTypes(record.Types)), field("hookId", record.HookID), field("paused", strconv.FormatBool(record.Paused)),
	}
}

func joinTypes(types []persistence.EventType) string {
	texts := make([]string, len(types))
	for i, t := range types {
		texts[i] = string(t)
	}
	return strings.Join(texts, " ")
}
