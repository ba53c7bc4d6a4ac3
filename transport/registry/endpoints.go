package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/venues"
)

// endpointsMax bounds the endpoints of a customer.
const endpointsMax = 50

// EndpointStore reads endpoints.
type EndpointStore interface {
	Endpoints(ctx context.Context, customer string) ([]persistence.Endpoint, error)
}

// EndpointService runs the delivery queues of endpoints.
type EndpointService interface {
	RecordService
	// Resend restarts the delivery of an event.
	Resend(ctx context.Context, customer, endpoint, eventID string) error
	// ResendUndelivered restarts the undelivered deliveries that were queued at since or
	// later, or all if since is zero, and returns their number.
	ResendUndelivered(ctx context.Context, customer, endpoint string, since time.Time) (int, error)
	// TestEndpoint sends a test event. A failed attempt is not an error.
	TestEndpoint(ctx context.Context, customer, endpoint string) (eventID string, attempt persistence.Attempt, took time.Duration, err error)
}

// Target validates the targets of one kind of endpoint. Its errors are those of
// requests: invalid_request with the member at fault.
type Target struct {
	// Check returns an error for a text that cannot be a target.
	Check func(target string) error
	// Reach, unless it is nil, returns an error if events would not arrive.
	Reach func(ctx context.Context, e persistence.Endpoint) error
}

// Endpoints manages the endpoints that customers' events are sent to.
type Endpoints struct {
	scope
	audit   audit
	store   EndpointStore
	service EndpointService
	secrets Secrets
	targets map[persistence.EndpointKind]Target
	bots    Bots
	hooks   *Hooks
}

// Endpoint is an endpoint that receives events.
type Endpoint struct {
	ID       string                   `json:"id"`
	Customer string                   `json:"customer"`
	Kind     persistence.EndpointKind `json:"kind"`
	Name     string                   `json:"name"`
	// URL of a webhook; Target of every other kind: chat, spreadsheet, file.
	URL    string                  `json:"url,omitzero"`
	Target string                  `json:"target,omitzero"`
	Types  []persistence.EventType `json:"types"`
	// HookID is the hook whose secret signs if the endpoint has none of its own.
	HookID string `json:"hookId,omitzero"`
	Paused bool   `json:"paused"`
	// Disabled is the reason why nothing is sent any more.
	Disabled string `json:"disabled"`
	// NextFrom is when the newest secret begins to sign.
	NextFrom  venues.Time `json:"nextFrom"`
	CreatedAt venues.Time `json:"createdAt"`
	// RemovedAt is set only in the result of Remove.
	RemovedAt venues.Time `json:"removedAt,omitzero"`
	// Secret is the signing secret, only in the result of the call that created it.
	Secret string `json:"secret,omitzero"`
}

// NewEndpoint is the request for an endpoint. A webhook has a url and gets its
// secret, unless hookId names the hook whose secret signs. Every other kind has a
// target and, where the receiver requires one, a secret.
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

// EndpointChange changes the members that are set. Paused false enables a disabled
// endpoint as well.
type EndpointChange struct {
	Name   *string                 `json:"name"`
	URL    *string                 `json:"url"`
	Target *string                 `json:"target"`
	Types  []persistence.EventType `json:"types"`
	Paused *bool                   `json:"paused"`
	// Check, if not nil, returns the error of a change to the endpoint as it is now.
	Check func(Endpoint) error `json:"-"`
}

// Tested is the result of sending a test event.
type Tested struct {
	EventID    string `json:"eventId"`
	Delivered  bool   `json:"delivered"`
	Status     int    `json:"status"`
	DurationMS int64  `json:"durationMs"`
	Answer     string `json:"answer"`
	Error      string `json:"error"`
}

// Create makes an endpoint. It receives the events from now on.
func (e *Endpoints) Create(ctx context.Context, n NewEndpoint) (Endpoint, error) {
	record, secret, err := e.draft(ctx, n)
	if err != nil {
		return Endpoint{}, err
	}
	if err := e.reach(ctx, record); err != nil {
		return Endpoint{}, err
	}
	e.audit.Lock()
	defer e.audit.Unlock()
	if err := e.records().checkRoom(ctx, record.Customer); err != nil { // others may have been made meanwhile
		return Endpoint{}, err
	}
	return e.put(ctx, record, secret, endpointFields("create", &record)...)
}

// draft returns the requested endpoint and the secret that was created for it.
func (e *Endpoints) draft(ctx context.Context, n NewEndpoint) (record persistence.Endpoint, secret string, err error) {
	customer, err := e.resolve(n.Customer)
	if err != nil {
		return record, "", err
	}
	now := time.Now()
	record = persistence.Endpoint{
		ID: e.audit.newID(persistence.PrefixEndpoint, now), Customer: customer, Kind: n.Kind, Name: strings.TrimSpace(n.Name),
		Target: n.Target, Types: n.Types, HookID: n.HookID, CreatedAt: venues.At(now),
	}
	if record.Kind == "" {
		record.Kind = persistence.EndpointWebhook
	}
	if record.Kind == persistence.EndpointWebhook {
		record.Target = n.URL
	}
	if err := e.records().checkRoom(ctx, customer); err != nil {
		return record, "", err
	}
	if err := e.validate(&record); err != nil {
		return record, "", err
	}
	if err := e.checkSigner(ctx, &record); err != nil {
		return record, "", err
	}
	secret, err = e.seal(&record, n.Secret)
	return record, secret, err
}

func (e *Endpoints) validate(record *persistence.Endpoint) (err error) {
	target, served := e.targets[record.Kind]
	if !served {
		kinds := make([]persistence.EndpointKind, 0, len(e.targets))
		for kind := range e.targets {
			kinds = append(kinds, kind)
		}
		slices.Sort(kinds)
		return api.FieldError("kind", api.RuleUnknownValue, string(record.Kind), join(kinds))
	}
	if record.Name != "" {
		if record.Name, err = checkName(record.Name); err != nil {
			return err
		}
	}
	if err := target.Check(record.Target); err != nil {
		return err
	}
	return sortTypes(record)
}

// checkSigner validates the hook whose secret is to sign. It may be removed later:
// then nothing is sent.
func (e *Endpoints) checkSigner(ctx context.Context, record *persistence.Endpoint) error {
	if record.HookID == "" {
		return nil
	}
	hook, err := e.hooks.read(ctx, record.HookID)
	if err != nil && !e.all {
		return err
	}
	if err != nil || hook.Customer != record.Customer || hook.Kind != persistence.ChannelWebhook || record.Kind != persistence.EndpointWebhook {
		return api.FieldError("hookId", api.RuleUnknownValue, record.HookID, "a webhook hook of the customer, for an endpoint of kind webhook")
	}
	return nil
}

// reach returns an error for an endpoint at which no event would arrive. It calls
// the receiver: the caller must not hold the mutex.
func (e *Endpoints) reach(ctx context.Context, record persistence.Endpoint) error {
	reach := e.targets[record.Kind].Reach
	if reach == nil {
		return nil
	}
	return receiverError(reach(ctx, record))
}

// receiverError returns an error of a receiver with a code.
func receiverError(err error) error {
	if _, hasCode := errors.AsType[*venues.Error](err); err == nil || hasCode {
		return err
	}
	return venues.Errorf(venues.CodeMaintenance, "the receiver of the endpoint does not answer now").Because(err)
}

// sortTypes validates and sorts the event types. Every kind of endpoint may name all
// public types, a telegram chat also notifications.
func sortTypes(record *persistence.Endpoint) error {
	allowed := persistence.EndpointWebhook.EventTypes()
	if record.Kind == persistence.EndpointTelegram {
		allowed = record.Kind.EventTypes()
	}
	record.Types = slices.Compact(slices.Sorted(slices.Values(record.Types)))
	for _, t := range record.Types {
		if !slices.Contains(allowed, t) {
			return api.FieldError("types", api.RuleUnknownValue, string(t), join(allowed))
		}
	}
	return nil
}

// List returns the endpoints of a customer, or of every customer in the scope if
// customer is empty.
func (e *Endpoints) List(ctx context.Context, customer string) ([]Endpoint, error) {
	return list(ctx, e.records(), customer, func(r persistence.Endpoint) Endpoint { return endpointOf(r, "") })
}

// Get returns an endpoint.
func (e *Endpoints) Get(ctx context.Context, id string) (Endpoint, error) {
	record, err := e.read(ctx, id)
	if err != nil {
		return Endpoint{}, err
	}
	return endpointOf(record, ""), nil
}

// Change changes an endpoint. Pending deliveries go to the new target.
func (e *Endpoints) Change(ctx context.Context, id string, change EndpointChange) (Endpoint, error) {
	if change.URL != nil || change.Target != nil {
		record, err := e.changed(ctx, id, change)
		if err == nil {
			err = e.reach(ctx, record)
		}
		if err != nil {
			return Endpoint{}, err
		}
	}
	e.audit.Lock()
	defer e.audit.Unlock()
	record, err := e.changed(ctx, id, change)
	if err != nil {
		return Endpoint{}, err
	}
	return e.put(ctx, record, "", endpointFields("change", &record)...)
}

// changed returns an endpoint with a change applied.
func (e *Endpoints) changed(ctx context.Context, id string, change EndpointChange) (persistence.Endpoint, error) {
	record, err := e.read(ctx, id)
	if err == nil && change.Check != nil {
		err = change.Check(endpointOf(record, ""))
	}
	if err != nil {
		return record, err
	}
	member, target, other := "target", change.Target, change.URL
	if record.Kind == persistence.EndpointWebhook {
		member, target, other = "url", change.URL, change.Target
	}
	if other != nil {
		return record, api.FieldError(member, api.RuleMissing, "", "the other member is not for kind "+string(record.Kind))
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
	return record, e.validate(&record)
}

// Remove ends an endpoint permanently, and its pending deliveries.
func (e *Endpoints) Remove(ctx context.Context, id string) (Endpoint, error) {
	e.audit.Lock()
	defer e.audit.Unlock()
	record, err := e.read(ctx, id)
	if err != nil {
		return Endpoint{}, err
	}
	record.RemovedAt, record.Sealed, record.Next = venues.At(time.Now()), nil, nil
	return e.put(ctx, record, "", field("action", "remove"))
}

// Test sends a test event, without retries.
func (e *Endpoints) Test(ctx context.Context, id string) (Tested, error) {
	record, err := e.read(ctx, id)
	if err != nil {
		return Tested{}, err
	}
	eventID, attempt, took, err := e.service.TestEndpoint(ctx, record.Customer, record.ID)
	if err != nil {
		return Tested{}, fmt.Errorf("test endpoint %s: %w", id, err)
	}
	tested := Tested{
		EventID: eventID, Delivered: attempt.Err == nil, Status: attempt.Code,
		DurationMS: took.Milliseconds(), Answer: string([]rune(string(attempt.Answer))), // valid UTF-8
	}
	if attempt.Err != nil {
		tested.Error = attempt.Err.Error()
	}
	return tested, nil
}

// put stores an endpoint. The result has the secret that was created.
func (e *Endpoints) put(ctx context.Context, record persistence.Endpoint, secret string, fields ...persistence.JournalField) (Endpoint, error) {
	if err := putRecord(ctx, e.audit, e.service, kindEndpoint, record, record.ID, fields); err != nil {
		return Endpoint{}, err
	}
	return endpointOf(record, secret), nil
}

// read returns an endpoint that was not removed, with the secret that signs now.
func (e *Endpoints) read(ctx context.Context, id string) (persistence.Endpoint, error) {
	record, err := e.records().find(ctx, func(r *persistence.Endpoint) bool { return r.ID == id })
	switchSecret(&record, time.Now())
	return record, err
}

// readAny returns an endpoint, which may have been removed.
func (e *Endpoints) readAny(ctx context.Context, id string) (persistence.Endpoint, error) {
	return e.records().findAny(ctx, func(r *persistence.Endpoint) bool { return r.ID == id })
}

func (e *Endpoints) records() collection[persistence.Endpoint] {
	return collection[persistence.Endpoint]{e.scope, "endpoints", endpointsMax, e.store.Endpoints, func(r *persistence.Endpoint) bool { return !r.RemovedAt.IsZero() }}
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
		field("types", join(record.Types)), field("hookId", record.HookID), field("paused", strconv.FormatBool(record.Paused)),
	}
}
