package main

import (
	"net/http"
	"strings"
	"sync"
	"time"

	"venuegate/actors/root"
	"venuegate/persistence"
	"venuegate/transport/hooks"
	"venuegate/transport/rest"
	"venuegate/transport/signing"
	"venuegate/venues"
)

// inbound adapts the tree's channels to the hooks edge. It caches the prepared keys
// of each channel, so that a request does not hash a secret first.
type inbound struct {
	tree *root.Tree

	mu       sync.Mutex
	prepared map[string]preparedKeys
}

// preparedKeys are the keys of one state of a channel: of its current secret, and
// of both secrets during a rotation.
type preparedKeys struct {
	of   *root.Inbound
	now  []*signing.Key
	both []*signing.Key
}

func newInbound(tree *root.Tree) *inbound {
	return &inbound{tree: tree, prepared: map[string]preparedKeys{}}
}

// Channel implements hooks.Channels.
func (i *inbound) Channel(id string) (hooks.Channel, error) {
	c, err := i.tree.Channel(id)
	if err != nil {
		i.forget(id)
		return hooks.Channel{}, err
	}
	keys := i.keys(c)
	if c.Previous != "" && time.Now().Before(c.PreviousUntil.Time) {
		return hooks.Channel{Channel: c.Channel, Keys: keys.both}, nil
	}
	return hooks.Channel{Channel: c.Channel, Keys: keys.now}, nil
}

func (i *inbound) keys(c *root.Inbound) preparedKeys {
	i.mu.Lock()
	defer i.mu.Unlock()
	if p, known := i.prepared[c.ID]; known && p.of == c {
		return p
	}
	p := preparedKeys{of: c}
	if c.Secret != "" {
		p.now = []*signing.Key{signing.NewKey(c.Secret.Reveal())}
		p.both = p.now
	}
	if c.Previous != "" {
		p.both = append(p.now[:len(p.now):len(p.now)], signing.NewKey(c.Previous.Reveal()))
	}
	i.prepared[c.ID] = p
	return p
}

func (i *inbound) forget(id string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.prepared, id)
}

// mountHooks adds the routes of inbound channels to the public server.
func (e *engine) mountHooks(observe func(persistence.ChannelKind, string)) {
	edge := hooks.New(hooks.Deps{
		Channels: newInbound(e.tree), Signals: e.tree, Limiter: e.limiter, Failures: e.auth, Proofs: e.proofs,
		Headers: signing.NewHeaders(e.config.HeaderPrefix), Source: rest.Source, Observe: observe,
	})
	e.rest.Mount(http.MethodPost, hooks.WebhookPath, edge.Webhook)
	e.rest.Mount(http.MethodPost, hooks.ChartPath, edge.Chart)
}

// hookURL returns the URL for signals to a channel.
func (e *engine) hookURL(c persistence.Channel, address venues.Secret) string {
	if c.Kind == persistence.ChannelChart {
		return e.public.baseURL + strings.Replace(hooks.ChartPath, ":id", hooks.Address(c.ID, address), 1)
	}
	return e.public.baseURL + strings.Replace(hooks.WebhookPath, ":hookId", c.ID, 1)
}
