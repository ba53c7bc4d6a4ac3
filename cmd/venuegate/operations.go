package main

import (
	"context"
	"fmt"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"venuegate/actors"
	"venuegate/actors/book"
	"venuegate/transport/operations"
	"venuegate/venues"
)

// operationsOf reports the state of an engine to its operators. It implements
// operations.Source.
type operationsOf struct{ *engine }

// Actors implements operations.Source.
func (o operationsOf) Actors() operations.Actors {
	now, running := time.Now(), o.system.Actors()
	list := make([]operations.Actor, len(running))
	for i, a := range running {
		list[i] = operations.Actor{
			Path: a.Path, Parent: a.Parent, Kind: a.Kind, Running: a.Actors > 0,
			Waiting: a.Waiting, WaitingMax: a.WaitingMax, Messages: a.Messages, BusyUs: a.Busy.Microseconds(),
			Rejections: a.Rejections, Failures: a.Failures, Restarts: a.Restarts, CreatedAt: venues.At(a.CreatedAt), StartedAt: venues.At(a.StartedAt),
		}
	}
	return operations.NewActors(venues.At(now), list)
}

// Incidents implements operations.Source.
func (o operationsOf) Incidents() operations.Incidents {
	recent := o.system.Incidents()
	return operations.Incidents{
		Failures: mapped(recent.Failures, func(i actors.Incident) operations.Failure {
			return operations.Failure{At: venues.At(i.At), Actor: i.Path, Cause: redact(i.Text)}
		}),
		DeadLetters: mapped(recent.DeadLetters, func(i actors.Incident) operations.DeadLetter {
			return operations.DeadLetter{At: venues.At(i.At), Actor: i.Path, Message: i.Text}
		}),
	}
}

// Venues implements operations.Source.
func (o operationsOf) Venues() []operations.Venue {
	list := make([]operations.Venue, 0, len(o.venueStats))
	for _, exchange := range venues.All() {
		if _, connected := o.venueStats[exchange]; connected {
			list = append(list, o.venue(exchange))
		}
	}
	return list
}

func (o operationsOf) venue(exchange venues.Venue) operations.Venue {
	source, connector, configured := o.venueStats[exchange], o.connectors[exchange], o.config.Venues[exchange]
	s, congestion := source.Stats(), connector.Congestion()
	return operations.Venue{
		Exchange: exchange, Environment: configured.Environment, OrderEntry: string(configured.OrderEntry),
		Status: string(s.Status), Since: venues.At(s.Since), Reason: textOrNil(s.Reason), LastError: textOrNil(redact(s.LastError)), LastErrorAt: venues.At(s.LastErrorAt),
		Instruments: s.Instruments, InstrumentsAt: venues.At(s.InstrumentsAt), ClockAt: venues.At(s.ClockAt), ClockOffsetMs: s.ClockOffset.Milliseconds(),
		Public:        operations.Connections{Wanted: s.Feed.Topics, Connected: s.Feed.Topics - s.Feed.Interrupted},
		Private:       operations.Connections{Wanted: s.Private.Wanted, Connected: s.Private.Connected},
		Interruptions: source.Connection().Interruptions, Books: s.Books, FrozenUntil: venues.At(congestion.FrozenUntil),
		Limits: mapped(connector.RateLimits(), func(l venues.RateLimit) operations.RateLimit {
			return operations.RateLimit{Name: l.Name, Used: l.Used, Limit: l.Limit, FrozenUntil: venues.At(l.ExhaustedUntil)}
		}),
		Waiting: mapped(congestion.Waiting, func(w venues.WaitingRequests) operations.Waiting { return operations.Waiting(w) }),
	}
}

// Books implements operations.Source.
func (o operationsOf) Books() []operations.Book {
	list := []operations.Book{}
	for _, exchange := range venues.All() {
		source, connected := o.venueStats[exchange]
		if !connected {
			continue
		}
		list = append(list, mapped(source.Books(), func(b book.Stats) operations.Book {
			return operations.Book{
				Exchange: exchange, Symbol: b.Symbol, Phase: b.Phase.String(), PhaseMs: b.PhaseAge.Milliseconds(), SilentMs: b.Silence.Milliseconds(),
				Subscribers: b.Subscribers, Updates: b.Updates, Duplicates: b.Duplicates, Gaps: b.Gaps, Crossings: b.Crossings, Overruns: b.Overruns,
				Resyncs: b.Resyncs, Snapshots: b.Snapshots, Mismatches: b.ChecksMismatched,
			}
		})...)
	}
	return list
}

// Streams implements operations.Source.
func (o operationsOf) Streams() operations.Streams {
	h, keys := o.hub.Stats(), o.hub.Keys()
	s := operations.Streams{
		Connections: h.Connections, Unauthenticated: h.Unauthenticated, Subscriptions: h.Subscriptions, Topics: h.Topics, QueuedBytes: h.QueuedBytes,
		Refused: h.Refused, SlowWrites: h.SlowWrites, Conflations: h.Conflations, Dropped: h.Dropped,
	}
	list := make([]operations.StreamKey, len(keys))
	for i, k := range keys {
		list[i] = operations.StreamKey{
			Customer: k.Customer, Key: k.KeyID, Connections: k.Connections, Subscriptions: k.Subscriptions,
			QueuedBytes: k.QueuedBytes, MostQueuedBytes: k.MostQueuedBytes, OldestOpenedAt: venues.At(k.OldestOpenedAt),
		}
	}
	s.Show(list)
	return s
}

// Store implements operations.Source.
func (o operationsOf) Store(ctx context.Context) (operations.Store, error) {
	usage, err := o.store.Usage()
	if err != nil {
		return operations.Store{}, fmt.Errorf("read the size of the store: %w", err)
	}
	last, err := o.registry.LastBackup(ctx)
	if err != nil {
		return operations.Store{}, err
	}
	fingerprint, err := o.vault.Fingerprint()
	if err != nil {
		return operations.Store{}, err
	}
	health := storeReadiness(o.store)
	return operations.Store{
		Ready: health.Ready, Reason: health.Reason, Bytes: usage.Bytes, FreeBytes: usage.FreeBytes,
		Commits: o.commits.report(), LastBackupAt: last, KeyFingerprint: fingerprint,
	}, nil
}

// Config implements operations.Source.
func (o operationsOf) Config() (operations.Config, error) {
	shown := o.config
	shown.KeyFile = o.config.keyFile()
	values, err := settingsByKey(shown)
	if err != nil {
		return operations.Config{}, err
	}
	defaults, err := settingsByKey(DefaultConfig())
	if err != nil {
		return operations.Config{}, err
	}
	c := operations.Config{Version: version + " " + runtime.Version(), StartedAt: venues.At(o.startedAt), Items: []operations.ConfigValue{}}
	for _, key := range values.Keys() {
		c.Items = append(c.Items, operations.ConfigValue{Key: key, Value: settingText(values.Get(key)), Default: settingText(defaults.Get(key))})
	}
	return c, nil
}

// settingText returns a value of the configuration as text, without passwords and secrets.
func settingText(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case []any:
		return strings.Join(mapped(v, settingText), ", ")
	}
	text := fmt.Sprint(value)
	if u, err := url.Parse(text); err == nil && u.User != nil {
		text = u.Redacted()
	}
	return redact(text)
}

// finishBackup notes that a backup was written to its end. A store that cannot take the row
// does not spoil the backup.
func (e *engine) finishBackup(ctx context.Context) {
	if err := e.registry.FinishBackup(ctx); err != nil {
		e.log.Warn("the end of a backup was not recorded", zap.Error(err))
	}
}

// commitsMax is the number of the newest groups of commits whose durations are kept.
const commitsMax = 1024

// commits has the durations of the newest groups of commits. It is safe for concurrent use.
type commits struct {
	mu    sync.Mutex
	ring  []int64 // microseconds
	count int     // since the start
}

func (c *commits) add(took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.ring) < commitsMax {
		c.ring = append(c.ring, took.Microseconds())
	} else {
		c.ring[c.count%commitsMax] = took.Microseconds()
	}
	c.count++
}

func (c *commits) report() operations.Commits {
	c.mu.Lock()
	newest := slices.Clone(c.ring)
	c.mu.Unlock()
	p := percentiles("", newest)
	return operations.Commits{Groups: p.Orders, P50: p.P50, P99: p.P99, Max: p.Max}
}

// mapped returns the results of a function for each item.
func mapped[In, Out any](items []In, convert func(In) Out) []Out {
	out := make([]Out, len(items))
	for i, item := range items {
		out[i] = convert(item)
	}
	return out
}

// textOrNil returns nil for an empty text.
func textOrNil(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
