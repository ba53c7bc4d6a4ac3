package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"venuegate/actors"
	"venuegate/actors/private"
	"venuegate/actors/root"
	"venuegate/actors/venue"
	"venuegate/persistence"
	"venuegate/persistence/archive"
	"venuegate/persistence/badgerstore"
	"venuegate/transport/api"
	"venuegate/transport/auth"
	"venuegate/transport/docs"
	"venuegate/transport/hooks"
	"venuegate/transport/listen"
	"venuegate/transport/registry"
	"venuegate/transport/rest"
	"venuegate/transport/stream"
	"venuegate/venues"
)

const (
	streamPath = "/v1/stream"
	// subscribeMax bounds how long a stream session waits for the owner of a topic.
	subscribeMax = 5 * time.Second
	// stopMax bounds the stop of all actors. It waits for no venue: calls in
	// progress end with an unknown outcome, which the next start resolves.
	stopMax = 5 * time.Second
	// limiterKeysMax bounds the keys whose requests are counted.
	limiterKeysMax = 65536
)

// engine is the service without its listeners: store, actors and edges.
type engine struct {
	config   Config
	log      *zap.Logger
	public   publicSide
	store    *badgerstore.Store
	vault    credentialVault
	outbound outbound
	system   *actors.System
	auth     *auth.Authenticator
	limiter  auth.Limiter
	proofs   *hooks.Proofs
	tree     *root.Tree
	// venueStats are the sources of each venue's metrics.
	venueStats map[venues.Venue]venueStats
	// connectors are the configured venues.
	connectors map[venues.Venue]venues.Connector
	startedAt  time.Time
	commits    commits
	// streams count the private connections of each venue.
	streams map[venues.Venue]*private.Streams
	// latency has the hops of the newest orders.
	latency *latency
	// traces has the traces of the newest events; spans is nil if tracing is off.
	traces   *eventTraces
	spans    *tracing
	registry *registry.Registry
	rest     *rest.Server
	hub      *stream.Hub
	consoles consoles
	closers
}

// publicSide is how clients reach the public listener.
type publicSide struct {
	baseURL string
	// adminURL is that of the administration listener.
	adminURL string
	hosts    listen.Hosts
}

// openEngine builds from the bottom up: store, connectors, actors, edges. The
// actors begin to reconcile immediately.
func openEngine(ctx context.Context, config Config, public publicSide, dir *dataDir, metrics prometheus.Registerer, log *zap.Logger) (*engine, error) {
	e := &engine{config: config, public: public, log: log, startedAt: time.Now()}
	if err := e.open(ctx, dir, metrics); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

func (e *engine) open(ctx context.Context, dir *dataDir, metrics prometheus.Registerer) (err error) {
	storeOptions := badgerstore.Options{Logger: e.log.Named("store"), ObserveGroup: observeGroups(metrics, &e.commits)}
	if e.store, err = badgerstore.Open(dir.file(storeName), storeOptions); err != nil {
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
	e.connectors = connectors
	if err := openListings(ctx, e.store, e.config, connectors, e.log); err != nil {
		return err
	}
	if err := e.openOutbound(); err != nil {
		return err
	}
	times := newTimes(metrics)
	e.latency, e.traces = newLatency(metrics), newEventTraces()
	if e.spans, err = openTracing(ctx, e.config.Tracing); err != nil {
		return err
	}
	if e.spans != nil {
		e.add(e.spans.Close)
	}
	if err := e.startActors(ctx, observeConnectors(connectors, newCalls(metrics)), times); err != nil {
		return fmt.Errorf("start actors: %w", err)
	}
	e.auth = auth.NewAuthenticator(e.store)
	e.limiter = auth.NewMemoryLimiter(limiterKeysMax)
	e.proofs = hooks.NewProofs()
	e.registry = registry.New(registry.Options{
		Store: e.store, Service: e.tree, Sessions: e.auth, Vault: e.vault, Secrets: e.secrets(), Examiner: examiner{connectors, e.config.Venues},
		Environments: environments(e.config), HookURL: e.hookURL, ConsoleURL: e.consoleURL, Targets: e.outbound.targets(), Bots: e.outbound.telegram, Files: e.outbound.workbook,
		Trades: tradeReader{e.store}, Latency: e.latency, Venues: e.Venues, FailedProofs: e.proofs.Failed,
	})
	e.recordUses()
	if err := e.openEdges(ctx, times, countSignals(metrics)); err != nil {
		return fmt.Errorf("open edges: %w", err)
	}
	metrics.MustRegister(
		engineMetrics{ready: e.Readiness, venues: e.venueStats, hub: e.hub.Stats, actors: e.system.Stats},
		tradingMetrics{tree: e.tree, venues: connectors, store: e.store},
	)
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
		Protection: e.config.Protection.policy(), Streams: e.streams, ObserveOrder: e.observeOrder, TraceEvent: e.traces.note,
		Senders: times.deliveriesOf(e.outbound.senders(), e.traces, e.spans), Schedule: e.config.Delivery.schedule(),
		NewID:      func(prefix string, at time.Time) string { return persistence.NewID(prefix, at, rand.Reader) },
		EventsKeep: e.config.Retention.Events, JournalKeep: e.config.Retention.Journal,
		OrdersKeep: e.config.Retention.Orders, FillsKeep: e.config.Retention.Fills, Archive: archive.Dir{Path: filepath.Join(e.config.Data, archiveName)},
	})
	return err
}

// startMarkets starts the public side of each venue.
func (e *engine) startMarkets(connectors map[venues.Venue]venues.Connector) (map[venues.Venue]root.Market, error) {
	markets := make(map[venues.Venue]root.Market, len(connectors))
	e.venueStats = make(map[venues.Venue]venueStats, len(connectors))
	e.streams = make(map[venues.Venue]*private.Streams, len(connectors))
	for code, connector := range connectors {
		exchange, child := root.MarketData(e.system, connector, root.MarketOptions{Encoder: api.StreamEncoder{}})
		if _, err := e.system.Start(child); err != nil {
			return nil, fmt.Errorf("start %s: %w", code, err)
		}
		markets[code], e.venueStats[code] = exchange, exchange
		e.streams[code] = private.NewStreams(func(wanted, connected int) {
			exchange.ReportPrivate(venue.Streams{Wanted: wanted, Connected: connected})
		})
	}
	return markets, nil
}

// unseal opens an account's credentials. It fails if the venue is configured for
// another environment: keys of a real account are never sent to a simulator.
func (e *engine) unseal(account persistence.VenueAccount) (venues.Credentials, error) {
	if configured := e.config.Venues[account.Exchange].Environment; configured != account.Environment {
		return venues.Credentials{}, fmt.Errorf("the account is for %s, %s is configured for %s", account.Environment, account.Exchange, configured)
	}
	return e.vault.Open(account.Customer, account.Exchange, account.Sealed)
}

// openEdges builds the public server: REST, stream and hooks.
func (e *engine) openEdges(ctx context.Context, times times, signals func(persistence.ChannelKind, string)) error {
	secret, err := installationSetting(ctx, e.store, settingCursorSecret, newCursorSecret)
	if err != nil {
		return err
	}
	e.hub, err = stream.New(
		stream.Deps{Feed: feed{e.tree}, Auth: e.auth, Log: e.log.Named("stream")},
		stream.Options{
			ConnsMax: e.config.Limits.Connections, ConnsPerKeyMax: e.config.Limits.StreamsPerKey,
			AllowedOrigins: e.streamOrigins(), Compression: e.config.Streams.Compression, AgeMax: e.config.Streams.MaxAge,
		},
	)
	if err != nil {
		return err
	}
	unwatch := e.auth.Watch(e.hub.RevokeKey)
	e.add(func() error { unwatch(); return nil })
	e.rest, err = rest.New(rest.Deps{
		Trader: e.tree, Accounts: e.tree, Instruments: e.tree, Market: e.tree, Records: e.store, Auth: e.auth,
		Limiter: e.limiter, Ready: e, CursorSecret: secret,
		OpenAPI: e.openAPI(), AsyncAPI: api.AsyncAPI(), Log: e.log.Named("rest"), TrustedProxies: prefixesOf(e.config.TrustedProxies),
		Hosts: e.public.hosts, CORSOrigins: e.config.CORS.Origins, ConnsMax: e.config.Limits.Connections, ConnsPerAddressMax: e.config.Limits.ConnectionsPerSource,
		Observe: times.request, NewTraceparent: e.newTraceparent(),
	})
	if err != nil {
		return err
	}
	e.rest.Mount(http.MethodGet, streamPath, e.hub.Handler)
	e.mountHooks(signals)
	if err := e.openConsoles(); err != nil {
		return err
	}
	e.mountDocs()
	times.expectRequests(e.rest.Routes())
	return nil
}

// openAPI returns the document of the public interface with the names of this service's headers.
func (e *engine) openAPI() []byte {
	return []byte(api.WithHeaderPrefix(string(api.OpenAPI()), e.config.HeaderPrefix))
}

// mountDocs adds the documentation to the public server.
func (e *engine) mountDocs() {
	site := docs.New(e.openAPI(), api.AsyncAPI(), e.config.HeaderPrefix)
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		e.rest.Mount(method, docs.Path, site.Handle)
		e.rest.Mount(method, docs.Path+"/*", site.Handle)
	}
}

// backup writes a backup of the store and the files of endpoints.
func (e *engine) backup(ctx context.Context, w io.Writer) error {
	if err := writeBackup(ctx, e.store, e.sheets(), w); err != nil {
		return err
	}
	e.finishBackup(ctx)
	return nil
}

// AccountReady returns nil while an account accepts orders, else the reason.
func (e *engine) AccountReady(ctx context.Context, customer string, exchange venues.Venue) error {
	if err := e.tree.Ready(); err != nil {
		return err
	}
	return e.tree.AccountReady(ctx, customer, exchange)
}

// observeOrder receives the hops of an order that was answered.
func (e *engine) observeOrder(exchange venues.Venue, orderID string, cmd *venues.Command) {
	e.latency.order(exchange, cmd.Customer, orderID, cmd.Hops)
	e.spans.order(exchange, orderID, cmd.Origin, cmd.Hops)
}

// newTraceparent returns the source of the traces of requests; nil if tracing is off.
func (e *engine) newTraceparent() func() string {
	if e.spans == nil {
		return nil
	}
	return e.spans.newTraceparent
}

// Serve accepts connections until Shutdown.
func (e *engine) Serve(listener net.Listener) error { return e.rest.Serve(listener) }

// Shutdown stops accepting connections, asks stream clients to reconnect, and
// waits for requests in progress until ctx ends.
func (e *engine) Shutdown(ctx context.Context) error {
	return together(
		func() error { return e.hub.Close(ctx) },
		func() error { return e.rest.Shutdown(ctx) },
	)
}

// feed adapts the tree to the interface of the stream.
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
