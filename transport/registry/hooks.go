package registry

import (
	"context"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/venues"
)

const (
	// hooksMax bounds the channels of a customer.
	hooksMax = 100
	// overlapMax is how long the previous secret may stay valid.
	overlapMax = 24 * time.Hour
)

// HookStore reads inbound channels.
type HookStore interface {
	Channels(ctx context.Context, customer string) ([]persistence.Channel, error)
	Signals(ctx context.Context, q persistence.SignalQuery) (persistence.Page[persistence.SignalRecord], error)
}

// RecordService stores the records that have an actor of their own.
type RecordService interface {
	// ConfigurePart stores a Channel or an Endpoint under the fence of its
	// customer, with a row of its journal, and updates its actor.
	ConfigurePart(ctx context.Context, record persistence.Record, row persistence.JournalEntry) error
	// AddRow adds a row to the journal of a customer, and does not wait.
	AddRow(customer string, row persistence.JournalEntry)
}

// HookService runs inbound channels.
type HookService interface {
	RecordService
	// Accept accepts a signal whose sender is authenticated.
	Accept(ctx context.Context, s venues.Signal) (venues.SignalResponse, error)
	// Preview returns what the channel would do with the signal, and does nothing.
	Preview(ctx context.Context, s venues.Signal) (venues.SignalPreview, error)
}

// Hooks manages the inbound channels of customers.
type Hooks struct {
	scope
	audit       audit
	store       HookStore
	service     HookService
	secrets     Secrets
	instruments instruments
	url         func(channel persistence.Channel, address venues.Secret) string
	// failedProofs returns the number of requests whose sender was not authenticated, and since
	// when they are counted.
	failedProofs func(channel string) (int, time.Time)
}

// Hook is an inbound channel.
type Hook struct {
	ID       string                  `json:"id"`
	Customer string                  `json:"customer"`
	Kind     persistence.ChannelKind `json:"kind"`
	Name     string                  `json:"name"`
	TestMode bool                    `json:"testMode"`
	Paused   bool                    `json:"paused"`
	Rules    Rules                   `json:"rules"`
	Allow    []string                `json:"allow"`
	// AllowRepeats of a chart accepts equal bodies as different signals.
	AllowRepeats bool `json:"allowRepeats"`
	// PreviousUntil is the end of validity of the secret before the last rotation.
	PreviousUntil venues.Time `json:"previousUntil"`
	CreatedAt     venues.Time `json:"createdAt"`
	// RemovedAt is set only in the result of Remove.
	RemovedAt venues.Time `json:"removedAt,omitzero"`
	// URL is the address that signals are sent to. The address of a chart is a secret:
	// like the next two members it is only in the result of the call that created it.
	URL          string `json:"url,omitzero"`
	Secret       string `json:"secret,omitzero"`
	ChannelToken string `json:"channelToken,omitzero"`
}

// NewHook is the request for a channel.
type NewHook struct {
	Customer     string                  `json:"customer"`
	Kind         persistence.ChannelKind `json:"kind"`
	Name         string                  `json:"name"`
	TestMode     bool                    `json:"testMode"`
	Rules        Rules                   `json:"rules"`
	Allow        []string                `json:"allow"`
	AllowRepeats bool                    `json:"allowRepeats"`
}

// HookChange changes the members that are set. Rules are replaced as a whole.
type HookChange struct {
	Name         *string  `json:"name"`
	TestMode     *bool    `json:"testMode"`
	Paused       *bool    `json:"paused"`
	Rules        *Rules   `json:"rules"`
	Allow        []string `json:"allow"`
	AllowRepeats *bool    `json:"allowRepeats"`
	// Check, if not nil, returns the error of a change to the channel as it is now.
	Check func(Hook) error `json:"-"`
}

// HookRotation is the request for a new secret. The previous one stays valid for
// OverlapSec; nil is the longest overlap.
type HookRotation struct {
	OverlapSec *int `json:"overlapSec"`
}

// Create makes a channel. Only the result contains its secrets.
func (h *Hooks) Create(ctx context.Context, n NewHook) (Hook, error) {
	customer, err := h.resolve(n.Customer)
	if err != nil {
		return Hook{}, err
	}
	h.audit.Lock()
	defer h.audit.Unlock()
	now := time.Now()
	record := persistence.Channel{
		ID: h.audit.newID(persistence.PrefixChannel, now), Customer: customer, Kind: n.Kind, Name: n.Name,
		TestMode: n.TestMode, Allow: n.Allow, AllowRepeats: n.AllowRepeats, CreatedAt: venues.At(now),
	}
	if err := h.validate(&record, n.Rules); err != nil {
		return Hook{}, err
	}
	if err := h.records().checkRoom(ctx, customer); err != nil {
		return Hook{}, err
	}
	made, err := h.makeSecrets(&record)
	if err != nil {
		return Hook{}, err
	}
	return h.put(ctx, record, made, hookFields("create", &record)...)
}

// validate checks a channel and sets its rules.
func (h *Hooks) validate(record *persistence.Channel, rules Rules) (err error) {
	switch record.Kind {
	case persistence.ChannelWebhook, persistence.ChannelChart:
	default:
		return api.FieldError("kind", api.RuleUnknownValue, string(record.Kind), "webhook, chart")
	}
	if record.AllowRepeats && record.Kind != persistence.ChannelChart {
		return api.FieldError("allowRepeats", api.RuleNotApplicable, "", "kind chart")
	}
	if record.Name, err = checkName(record.Name); err != nil {
		return err
	}
	if record.Rules, err = rules.parse(h.instruments); err != nil {
		return err
	}
	return checkPrefixes(record.Allow)
}

// makeSecrets makes the secrets of a new channel and returns them.
func (h *Hooks) makeSecrets(record *persistence.Channel) (made Hook, err error) {
	if record.Kind == persistence.ChannelWebhook {
		made.Secret = newSigningSecret()
		record.Sealed, err = h.secrets.Seal(venues.Secret(made.Secret), record.Key())
		return made, err
	}
	address := newSecret()
	made.ChannelToken = newSecret()
	record.AddressHash, record.TokenHash = hashOf(address), hashOf(made.ChannelToken)
	made.URL = h.url(*record, venues.Secret(address))
	return made, nil
}

// List returns the channels of a customer, or of every customer in the scope if
// customer is empty.
func (h *Hooks) List(ctx context.Context, customer string) ([]Hook, error) {
	return list(ctx, h.records(), customer, func(c persistence.Channel) Hook { return h.hookOf(c, Hook{}) })
}

// Get returns a channel.
func (h *Hooks) Get(ctx context.Context, id string) (Hook, error) {
	record, err := h.read(ctx, id)
	if err != nil {
		return Hook{}, err
	}
	return h.hookOf(record, Hook{}), nil
}

// Change changes a channel. Signals that were accepted before keep the rules they
// were accepted under.
func (h *Hooks) Change(ctx context.Context, id string, change HookChange) (Hook, error) {
	h.audit.Lock()
	defer h.audit.Unlock()
	record, err := h.read(ctx, id)
	if err != nil {
		return Hook{}, err
	}
	if change.Check != nil {
		if err := change.Check(h.hookOf(record, Hook{})); err != nil {
			return Hook{}, err
		}
	}
	rules := rulesOf(record.Rules)
	set(&record.Name, change.Name)
	set(&record.TestMode, change.TestMode)
	set(&record.Paused, change.Paused)
	set(&record.AllowRepeats, change.AllowRepeats)
	set(&rules, change.Rules)
	if change.Allow != nil {
		record.Allow = change.Allow
	}
	if err := h.validate(&record, rules); err != nil {
		return Hook{}, err
	}
	return h.put(ctx, record, Hook{}, hookFields("change", &record)...)
}

// Rotate gives a webhook a new secret and a chart a new token. The previous token
// of a chart is invalid immediately.
func (h *Hooks) Rotate(ctx context.Context, id string, rotation HookRotation) (Hook, error) {
	h.audit.Lock()
	defer h.audit.Unlock()
	record, err := h.read(ctx, id)
	if err != nil {
		return Hook{}, err
	}
	var made Hook
	if record.Kind == persistence.ChannelChart {
		if rotation.OverlapSec != nil {
			return Hook{}, api.FieldError("overlapSec", api.RuleNotApplicable, "", "kind webhook")
		}
		made.ChannelToken = newSecret()
		record.TokenHash = hashOf(made.ChannelToken)
		return h.put(ctx, record, made, field("action", "rotate"))
	}
	overlap, err := rotation.overlap()
	if err != nil {
		return Hook{}, err
	}
	record.Previous, record.PreviousUntil = nil, venues.Time{}
	if overlap > 0 {
		record.Previous, record.PreviousUntil = record.Sealed, venues.At(time.Now().Add(overlap))
	}
	made.Secret = newSigningSecret()
	if record.Sealed, err = h.secrets.Seal(venues.Secret(made.Secret), record.Key()); err != nil {
		return Hook{}, err
	}
	return h.put(ctx, record, made, field("action", "rotate"), field("overlap", overlap.String()))
}

func (r HookRotation) overlap() (time.Duration, error) {
	if r.OverlapSec == nil {
		return overlapMax, nil
	}
	const most = int(overlapMax / time.Second)
	if *r.OverlapSec < 0 || *r.OverlapSec > most {
		return 0, api.FieldError("overlapSec", api.RuleOutOfRange, strconv.Itoa(*r.OverlapSec), "0 to "+strconv.Itoa(most))
	}
	return time.Duration(*r.OverlapSec) * time.Second, nil
}

// Remove ends a channel permanently. Its pending signals are abandoned.
func (h *Hooks) Remove(ctx context.Context, id string) (Hook, error) {
	h.audit.Lock()
	defer h.audit.Unlock()
	record, err := h.read(ctx, id)
	if err != nil {
		return Hook{}, err
	}
	record.RemovedAt = venues.At(time.Now())
	record.Sealed, record.Previous, record.AddressHash, record.TokenHash = nil, nil, nil, nil
	return h.put(ctx, record, Hook{}, field("action", "remove"))
}

// Fire sends a channel a signal as if its sender were authenticated, and returns
// the response that the sender would receive. It is executed like any other signal.
// The row in the journal is stored before, and stays if the signal is rejected: its orders
// may be placed although the outcome is not known.
func (h *Hooks) Fire(ctx context.Context, id string, body []byte) (jsontext.Value, error) {
	signal, err := h.signal(ctx, id, body)
	if err != nil {
		return nil, err
	}
	if err := h.recordFire(ctx, id, signal.RequestID); err != nil {
		return nil, err
	}
	answer, err := h.service.Accept(ctx, signal)
	if err != nil {
		return nil, err
	}
	return api.AppendSignalAnswer(nil, &answer), nil
}

func (h *Hooks) recordFire(ctx context.Context, id, requestID string) error {
	h.audit.Lock()
	defer h.audit.Unlock()
	return h.audit.commit(ctx, kindHook, id, []persistence.JournalField{field("action", "fire"), field("requestId", requestID)})
}

// signal decodes a signal to a channel as if its sender were authenticated.
func (h *Hooks) signal(ctx context.Context, id string, body []byte) (venues.Signal, error) {
	record, err := h.read(ctx, id)
	if err != nil {
		return venues.Signal{}, err
	}
	signal, _, err := api.DecodeSignal(body, api.SignalForm{BareNumbers: record.Kind == persistence.ChannelChart, Timed: record.ReadsTime()})
	if err != nil {
		return venues.Signal{}, err
	}
	now := time.Now()
	signal.Customer, signal.ChannelID, signal.ReceivedAt, signal.Source = record.Customer, record.ID, venues.At(now), venues.SourceWebhook
	signal.Auth, signal.Origin = venues.AuthAdministrator, venues.OriginOf(ctx)
	if record.Kind == persistence.ChannelChart {
		signal.Source = venues.SourceChart
	}
	if signal.RequestID == "" {
		signal.Implied, signal.RequestID = true, h.audit.newID("fired", now)
	}
	return signal, nil
}

// put stores a channel. The result has the secrets that were created.
func (h *Hooks) put(ctx context.Context, record persistence.Channel, made Hook, fields ...persistence.JournalField) (Hook, error) {
	if err := putRecord(ctx, h.audit, h.service, kindHook, record, record.ID, fields); err != nil {
		return Hook{}, err
	}
	return h.hookOf(record, made), nil
}

// read returns a channel that was not removed, without an expired secret.
func (h *Hooks) read(ctx context.Context, id string) (persistence.Channel, error) {
	record, err := h.records().find(ctx, func(c *persistence.Channel) bool { return c.ID == id })
	dropExpiredSecret(&record, time.Now())
	return record, err
}

func (h *Hooks) records() collection[persistence.Channel] {
	return collection[persistence.Channel]{h.scope, "hooks", hooksMax, h.store.Channels, func(c *persistence.Channel) bool { return !c.RemovedAt.IsZero() }}
}

func (h *Hooks) hookOf(record persistence.Channel, made Hook) Hook {
	url := made.URL
	if record.Kind == persistence.ChannelWebhook {
		url = h.url(record, "")
	}
	return Hook{
		ID: record.ID, Customer: record.Customer, Kind: record.Kind, Name: record.Name, TestMode: record.TestMode,
		Paused: record.Paused, Rules: rulesOf(record.Rules), Allow: record.Allow, AllowRepeats: record.AllowRepeats,
		PreviousUntil: record.PreviousUntil, CreatedAt: record.CreatedAt, RemovedAt: record.RemovedAt,
		URL: url, Secret: made.Secret, ChannelToken: made.ChannelToken,
	}
}

func hookFields(action string, record *persistence.Channel) []persistence.JournalField {
	rules := rulesOf(record.Rules)
	return append([]persistence.JournalField{
		field("action", action), field("customer", record.Customer), field("kind", string(record.Kind)), field("name", record.Name),
		field("testMode", strconv.FormatBool(record.TestMode)), field("paused", strconv.FormatBool(record.Paused)),
	}, rules.fields()...)
}
