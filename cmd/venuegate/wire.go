package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"venuegate/actors"
	"venuegate/actors/root"
	"venuegate/persistence"
	"venuegate/persistence/badgerstore"
	"venuegate/transport/admin"
	"venuegate/transport/api"
	"venuegate/transport/auth"
	"venuegate/transport/rest"
	"venuegate/transport/stream"
	"venuegate/venues"
)

const (
	streamPath = "/v1/stream"
	// subscribeMax bounds the wait of a stream session for the owner of a topic.
	subscribeMax = 5 * time.Second
	// stopMax bounds the wait for all actors to put down what they hold. Nothing in
	// it waits for anybody else: calls under way end with an unknown outcome, which
	// the next start finds out.
	stopMax = 5 * time.Second
	// limiterKeysMax bounds the keys whose requests are counted.
	limiterKeysMax = 65536
)

// engine is what is between the listeners: store, actors and edges.
type engine struct {
	config Config
	log    *zap.Logger
	// baseURL is where clients find the service.
	baseURL  string
	store    *badgerstore.Store
	vault    credentialVault
	outbound outbound
	system   *actors.System
	auth     *auth.Authenticator
	limiter  auth.Limiter
	tree     *root.Tree
	// venueStats tell how each venue stands.
	venueStats map[venues.Venue]venueStats
	registry   *admin.Registry
	rest       *rest.Server
	hub        *stream.Hub
	closers
}

// openEngine builds from the bottom up: store, connectors, actors, edges. The
// actors begin to reconcile at once.
func openEngine(ctx context.Context, config Config, baseURL string, dir *dataDir, metrics prometheus.Registerer, log *zap.Logger) (*engine, error) {
	e := &engine{config: config, baseURL: baseURL, log: log}
	if err := e.open(ctx, dir, metrics); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

func (e *engine) open(ctx context.Context, dir *dataDir, metrics prometheus.Registerer) (err error) {
	if e.store, err = badgerstore.Open(dir.file(storeName), badgerstore.Options{Logger: e.log.Named("store")}); err != nil {
		return err
	}
	e.add(e.store.Close)
	if e.vault, err = openVault(ctx, e.config.keyFile(), e.store); err != nil {
		return err
	}
	connectors, closeConnectors, err := openConnectors(e.config, e.log)
	if err != nil {
		return err
	}
	e.add(func() error { closeConnectors(); return nil })
	if err := keepListings(ctx, e.store, e.config, connectors, e.log); err != nil {
		return err
	}
	if err := e.openOutbound(); err != nil {
		return err
	}
	times := newTimes(metrics)
	if err := e.startActors(ctx, connectors, times); err != nil {
		return fmt.Errorf("start actors: %w", err)
	}
	e.auth = auth.NewAuthenticator(e.store)
	e.limiter = auth.NewMemoryLimiter(limiterKeysMax)
	e.registry = admin.NewRegistry(admin.Options{
		Store: e.store, Directory: e, Vault: e.vault, Secrets: e.secrets(), Examiner: examiner{connectors, e.config.Venues},
		Environments: environments(e.config), HookURL: e.hookURL, Targets: e.outbound.targets(), Files: e.outbound.workbook,
	})
	if err := e.openEdges(ctx, times); err != nil {
		return fmt.Errorf("open edges: %w", err)
	}
	metrics.MustRegister(engineMetrics{ready: e.Ready, venues: e.venueStats, hub: e.hub.Stats, actors: e.system.Stats})
	return nil
}

// startActors starts the tree over the store and the venues.
func (e *engine) startActors(ctx context.Context, connectors map[venues.Venue]venues.Connector, times times) error {
	prefix, err := installationSetting(ctx, e.store, settingClientIDPrefix, newClientIDPrefix)
	if err != nil {
		return err
	}
	e.system = actors.New(e.log)
	e.add(func() error {
		ctx, cancel := context.WithTimeout(context.Background(), stopMax)
		defer cancel()
		return e.system.Stop(ctx)
	})
	markets, err := e.startMarkets(connectors)
	if err != nil {
		return err
	}
	e.tree, err = root.Start(ctx, root.Deps{
		System: e.system, Store: e.store, Connectors: connectors, Markets: markets,
		Encoder: api.StreamEncoder{}, Unseal: e.unseal, UnsealSecret: e.secrets().Open, ClientIDPrefix: string(prefix),
		Protection: e.config.Protection.policy(),
		Senders:    times.deliveriesOf(e.outbound.senders()), Schedule: e.config.Delivery.schedule(),
		NewID:      func(prefix string, at time.Time) string { return persistence.NewID(prefix, at, rand.Reader) },
		EventsKeep: e.config.Retention.Events, JournalKeep: e.config.Retention.Journal,
	})
	return err
}

// startMarkets starts the public side of each venue.
func (e *engine) startMarkets(connectors map[venues.Venue]venues.Connector) (map[venues.Venue]root.Market, error) {
	markets := make(map[venues.Venue]root.Market, len(connectors))
	e.venueStats = make(map[venues.Venue]venueStats, len(connectors))
	for code, connector := range connectors {
		exchange, child := root.MarketData(e.system, connector, root.MarketOptions{Encoder: api.StreamEncoder{}})
		if _, err := e.system.Start(child); err != nil {
			return nil, fmt.Errorf("start %s: %w", code, err)
		}
		markets[code], e.venueStats[code] = exchange, exchange
	}
	return markets, nil
}

// unseal opens an account's credentials, for the environment that they are for:
// keys of a real account are not shown to a simulator.
func (e *engine) unseal(account persistence.VenueAccount) (venues.Credentials, error) {
	if configured := e.config.Venues[account.Exchange].Environment; configured != account.Environment {
		return venues.Credentials{}, fmt.Errorf("the account is for %s, %s is configured for %s", account.Environment, account.Exchange, configured)
	}
	return e.vault.Open(account.Customer, account.Exchange, account.Sealed)
}

// openEdges builds the public server: REST, and the stream on it.
func (e *engine) openEdges(ctx context.Context, times times) error {
	secret, err := installationSetting(ctx, e.store, settingCursorSecret, newCursorSecret)
	if err != nil {
		return err
	}
	e.hub, err = stream.New(
		stream.Deps{Feed: feed{e.tree}, Auth: e.auth, Log: e.log.Named("stream")},
		stream.Options{ConnsMax: e.config.Limits.Connections, ConnsPerKeyMax: e.config.Limits.StreamsPerKey},
	)
	if err != nil {
		return err
	}
	unwatch := e.auth.Watch(e.hub.RevokeKey)
	e.add(func() error { unwatch(); return nil })
	e.rest, err = rest.New(rest.Deps{
		Trader: e.tree, Accounts: e.tree, Catalogue: e.tree, Records: e.store, Auth: e.auth,
		Limiter: e.limiter, Ready: e, CursorSecret: secret,
		AsyncAPI: api.AsyncAPI(), Log: e.log.Named("rest"), TrustedProxies: prefixesOf(e.config.TrustedProxies),
		ConnsMax: e.config.Limits.Connections, ConnsPerAddressMax: e.config.Limits.ConnectionsPerSource,
		Observe: times.request,
	})
	if err != nil {
		return err
	}
	e.rest.Mount(http.MethodGet, streamPath, e.hub.Handler)
	e.mountHooks()
	return nil
}

// backup writes all that is durable.
func (e *engine) backup(ctx context.Context, w io.Writer) error {
	return writeBackup(ctx, e.store, e.sheets(), w)
}

// Ready is nil while trading is accepted, else why it is not.
func (e *engine) Ready() error {
	if err := e.store.Integrity(); err != nil {
		return err
	}
	return e.tree.Ready()
}

// AccountReady is nil once an account takes orders. It is asked with an order of
// no instrument, which an account that takes orders refuses for that reason.
func (e *engine) AccountReady(ctx context.Context, customer string, exchange venues.Venue) error {
	if err := e.Ready(); err != nil {
		return err
	}
	_, err := e.tree.Place(ctx, venues.PlaceOrder{Command: venues.Command{Customer: customer}, Exchange: exchange})
	if venues.CodeOf(err) == venues.CodeSymbolNotTradable {
		return nil
	}
	return err
}

// Serve answers clients until Shutdown.
func (e *engine) Serve(listener net.Listener) error { return e.rest.Serve(listener) }

// Shutdown accepts nothing more, tells streams to come again elsewhere, and lets
// requests end.
func (e *engine) Shutdown(ctx context.Context) error {
	return together(
		func() error { return e.hub.Close(ctx) },
		func() error { return e.rest.Shutdown(ctx) },
	)
}

// feed is the tree as the stream asks it.
type feed struct{ tree *root.Tree }

func (f feed) Subscribe(customer string, topic venues.Topic, sink venues.FrameSink) (venues.Subscription, error) {
	ctx, cancel := context.WithTimeout(context.Background(), subscribeMax)
	defer cancel()
	return f.tree.Subscribe(ctx, customer, topic, sink)
}

func environments(config Config) map[venues.Venue]string {
	all := make(map[venues.Venue]string, len(config.Venues))
	for venue, v := range config.Venues {
		all[venue] = v.Environment
	}
	return all
}
