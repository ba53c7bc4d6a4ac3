package admin

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
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
	// overlapMax is how long the secret before may still be good.
	overlapMax = 24 * time.Hour
	// secretBytes are what a secret, a token and a secret address hold.
	secretBytes = 32
	// secretPrefix begins a signing secret. The whole text is the key.
	secretPrefix = "whsec_"
)

// Hook is an inbound channel as the administration shows it.
type Hook struct {
	ID       string                  `json:"id"`
	Customer string                  `json:"customer"`
	Kind     persistence.ChannelKind `json:"kind"`
	Name     string                  `json:"name"`
	TestMode bool                    `json:"testMode"`
	Paused   bool                    `json:"paused"`
	Rules    Rules                   `json:"rules"`
	Allow    []string                `json:"allow"`
	// AllowRepeats lets equal bodies of a chart be signals of their own.
	AllowRepeats bool `json:"allowRepeats"`
	// PreviousUntil is how long the secret before the last rotation is good.
	PreviousUntil venues.Time `json:"previousUntil"`
	CreatedAt     venues.Time `json:"createdAt"`
	// RemovedAt is in the answer that removes it alone.
	RemovedAt venues.Time `json:"removedAt,omitzero"`
	// URL is where signals go. That of a chart is a secret of its own: it is in
	// the answer that made it alone, as are the two below.
	URL          string `json:"url,omitzero"`
	Secret       string `json:"secret,omitzero"`
	ChannelToken string `json:"channelToken,omitzero"`
}

// NewHook asks for a channel.
type NewHook struct {
	Customer     string                  `json:"customer"`
	Kind         persistence.ChannelKind `json:"kind"`
	Name         string                  `json:"name"`
	TestMode     bool                    `json:"testMode"`
	Rules        Rules                   `json:"rules"`
	Allow        []string                `json:"allow"`
	AllowRepeats bool                    `json:"allowRepeats"`
}

// HookChange changes what is given; rules are changed whole.
type HookChange struct {
	Name         *string  `json:"name"`
	TestMode     *bool    `json:"testMode"`
	Paused       *bool    `json:"paused"`
	Rules        *Rules   `json:"rules"`
	Allow        []string `json:"allow"`
	AllowRepeats *bool    `json:"allowRepeats"`
}

// HookRotation asks for a new secret. The one before is good for OverlapSec;
// without it for as long as may be.
type HookRotation struct {
	OverlapSec *int `json:"overlapSec"`
}

// CreateHook makes a channel. Its secrets are in the answer alone.
func (r *Registry) CreateHook(ctx context.Context, n NewHook) (Hook, error) {
	r.turn.Lock()
	defer r.turn.Unlock()
	now := time.Now()
	record := persistence.Channel{
		ID: r.newID(persistence.PrefixChannel, now), Customer: n.Customer, Kind: n.Kind, Name: n.Name,
		TestMode: n.TestMode, Allow: n.Allow, AllowRepeats: n.AllowRepeats, CreatedAt: venues.At(now),
	}
	if err := r.checkHook(&record, n.Rules); err != nil {
		return Hook{}, err
	}
	if err := r.hooks().checkOwner(ctx, record.Customer); err != nil {
		return Hook{}, err
	}
	shown, err := r.giveSecrets(&record)
	if err != nil {
		return Hook{}, err
	}
	return r.putHook(ctx, record, shown, hookFields("create", &record)...)
}

// checkHook holds a channel to the rules of channels, and sets its own.
func (r *Registry) checkHook(record *persistence.Channel, rules Rules) (err error) {
	switch record.Kind {
	case persistence.ChannelWebhook, persistence.ChannelChart:
	default:
		return api.Fault("kind", api.RuleUnknownValue, string(record.Kind), "webhook, chart")
	}
	if record.AllowRepeats && record.Kind != persistence.ChannelChart {
		return api.Fault("allowRepeats", api.RuleNotApplicable, "", "kind chart")
	}
	if record.Name, err = checkName(record.Name); err != nil {
		return err
	}
	if record.Rules, err = r.parseRules(rules); err != nil {
		return err
	}
	return checkPrefixes(record.Allow)
}

// giveSecrets makes those of a new channel and gives what is shown of them.
func (r *Registry) giveSecrets(record *persistence.Channel) (shown Hook, err error) {
	if record.Kind == persistence.ChannelWebhook {
		shown.Secret = secretPrefix + r.newSecret()
		record.Sealed, err = r.Secrets.Seal(venues.Secret(shown.Secret), record.Key())
		return shown, err
	}
	address := r.newSecret()
	shown.ChannelToken = r.newSecret()
	record.AddressHash, record.TokenHash = hashOf(address), hashOf(shown.ChannelToken)
	shown.URL = r.HookURL(*record, venues.Secret(address))
	return shown, nil
}

// newSecret is 256 random bits as text.
func (r *Registry) newSecret() string {
	var random [secretBytes]byte
	_, _ = rand.Read(random[:]) // it never fails
	return base64.RawURLEncoding.EncodeToString(random[:])
}

func hashOf(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

// Hooks lists the channels of a customer, or of all if it is empty.
func (r *Registry) Hooks(ctx context.Context, customer string) ([]Hook, error) {
	return listParts(ctx, r.hooks(), customer, func(c persistence.Channel) Hook { return r.hookOf(c, Hook{}) })
}

func (r *Registry) hooks() parts[persistence.Channel] {
	return parts[persistence.Channel]{r, "hooks", hooksMax, r.Store.Channels, func(c *persistence.Channel) bool { return !c.RemovedAt.IsZero() }}
}

// Hook finds one.
func (r *Registry) Hook(ctx context.Context, id string) (Hook, error) {
	record, err := r.hook(ctx, id)
	if err != nil {
		return Hook{}, err
	}
	return r.hookOf(record, Hook{}), nil
}

// ChangeHook changes a channel. Signals that came before go on under the rules
// that they were taken by.
func (r *Registry) ChangeHook(ctx context.Context, id string, change HookChange) (Hook, error) {
	r.turn.Lock()
	defer r.turn.Unlock()
	record, err := r.hook(ctx, id)
	if err != nil {
		return Hook{}, err
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
	if err := r.checkHook(&record, rules); err != nil {
		return Hook{}, err
	}
	return r.putHook(ctx, record, Hook{}, hookFields("change", &record)...)
}

// RotateHook gives a webhook a new secret and a chart a new token. A chart's
// former token ends at once.
func (r *Registry) RotateHook(ctx context.Context, id string, rotation HookRotation) (Hook, error) {
	r.turn.Lock()
	defer r.turn.Unlock()
	record, err := r.hook(ctx, id)
	if err != nil {
		return Hook{}, err
	}
	var shown Hook
	if record.Kind == persistence.ChannelChart {
		if rotation.OverlapSec != nil {
			return Hook{}, api.Fault("overlapSec", api.RuleNotApplicable, "", "kind webhook")
		}
		shown.ChannelToken = r.newSecret()
		record.TokenHash = hashOf(shown.ChannelToken)
		return r.putHook(ctx, record, shown, field("action", "rotate"))
	}
	overlap, err := rotation.overlap()
	if err != nil {
		return Hook{}, err
	}
	record.Previous, record.PreviousUntil = nil, venues.Time{}
	if overlap > 0 {
		record.Previous, record.PreviousUntil = record.Sealed, venues.At(time.Now().Add(overlap))
	}
	shown.Secret = secretPrefix + r.newSecret()
	if record.Sealed, err = r.Secrets.Seal(venues.Secret(shown.Secret), record.Key()); err != nil {
		return Hook{}, err
	}
	return r.putHook(ctx, record, shown, field("action", "rotate"), field("overlap", overlap.String()))
}

func (h HookRotation) overlap() (time.Duration, error) {
	if h.OverlapSec == nil {
		return overlapMax, nil
	}
	most := int(overlapMax / time.Second)
	if *h.OverlapSec < 0 || *h.OverlapSec > most {
		return 0, api.Fault("overlapSec", api.RuleOutOfRange, strconv.Itoa(*h.OverlapSec), "0 to "+strconv.Itoa(most))
	}
	return time.Duration(*h.OverlapSec) * time.Second, nil
}

// RemoveHook ends a channel for good. Signals under way are given up with it.
func (r *Registry) RemoveHook(ctx context.Context, id string) (Hook, error) {
	r.turn.Lock()
	defer r.turn.Unlock()
	record, err := r.hook(ctx, id)
	if err != nil {
		return Hook{}, err
	}
	record.RemovedAt = venues.At(time.Now())
	record.Sealed, record.Previous, record.AddressHash, record.TokenHash = nil, nil, nil, nil
	return r.putHook(ctx, record, Hook{}, field("action", "remove"))
}

// FireHook sends a channel a signal as if its sender were proven, and gives the
// answer that he would get. It is carried out as any other.
func (r *Registry) FireHook(ctx context.Context, id string, body []byte) (jsontext.Value, error) {
	record, err := r.hook(ctx, id)
	if err != nil {
		return nil, err
	}
	signal, _, err := api.DecodeSignal(body, record.Kind == persistence.ChannelChart)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	signal.Customer, signal.ChannelID, signal.ReceivedAt, signal.Source = record.Customer, record.ID, venues.At(now), venues.SourceWebhook
	signal.Proof = venues.ProofAdministration
	if record.Kind == persistence.ChannelChart {
		signal.Source = venues.SourceChart
	}
	if signal.RequestID == "" {
		signal.Implied, signal.RequestID = true, r.newID("fired", now)
	}
	answer, err := r.Directory.Accept(ctx, signal)
	if err != nil {
		return nil, err
	}
	r.turn.Lock()
	defer r.turn.Unlock()
	err = r.commit(ctx, kindHook, record.ID, []persistence.JournalField{field("action", "fire"), field("requestId", signal.RequestID)})
	return api.AppendSignalAnswer(nil, &answer), err
}

// putHook records through the owner of the customer and leaves a row of what the
// administration did.
func (r *Registry) putHook(ctx context.Context, record persistence.Channel, shown Hook, fields ...persistence.JournalField) (Hook, error) {
	if err := r.putPart(ctx, kindHook, record, record.ID, fields); err != nil {
		return Hook{}, err
	}
	return r.hookOf(record, shown), nil
}

// hook finds a channel that was not removed, without what has ended.
func (r *Registry) hook(ctx context.Context, id string) (persistence.Channel, error) {
	found, err := r.hooks().find(ctx, func(c *persistence.Channel) bool { return c.ID == id })
	forgetEndedHook(&found, time.Now())
	return found, err
}

// set changes what a change names.
func set[T any](into, given *T) {
	if given != nil {
		*into = *given
	}
}

func (r *Registry) hookOf(record persistence.Channel, shown Hook) Hook {
	url := shown.URL
	if record.Kind == persistence.ChannelWebhook {
		url = r.HookURL(record, "")
	}
	return Hook{
		ID: record.ID, Customer: record.Customer, Kind: record.Kind, Name: record.Name, TestMode: record.TestMode,
		Paused: record.Paused, Rules: rulesOf(record.Rules), Allow: record.Allow, AllowRepeats: record.AllowRepeats,
		PreviousUntil: record.PreviousUntil, CreatedAt: record.CreatedAt, RemovedAt: record.RemovedAt,
		URL: url, Secret: shown.Secret, ChannelToken: shown.ChannelToken,
	}
}

func hookFields(action string, record *persistence.Channel) []persistence.JournalField {
	rules := rulesOf(record.Rules)
	return append([]persistence.JournalField{
		field("action", action), field("customer", record.Customer), field("kind", string(record.Kind)), field("name", record.Name),
		field("testMode", strconv.FormatBool(record.TestMode)), field("paused", strconv.FormatBool(record.Paused)),
	}, rules.fields()...)
}
