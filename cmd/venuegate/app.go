package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"go.uber.org/zap"

	"venuegate/transport/admin"
	"venuegate/venues"
)

// drainMax bounds how long requests in progress may take once the service is
// stopping.
const drainMax = 10 * time.Second

// App is the whole service; tests start the same one. OpenApp opens it, Run
// serves and closes it; Close closes one that was never run.
type App struct {
	config Config
	log    *zap.Logger
	// out is where the demo prints its addresses and what to try.
	out io.Writer

	dir    *dataDir
	token  venues.Secret
	public net.Listener
	admin  net.Listener
	// certificate is that of the public listener; nil without TLS.
	certificate *x509.Certificate

	simulated    map[venues.Venue]SimVenue
	previousDemo DemoFile
	receiver     *receiver

	engine      *engine
	adminServer *admin.Server
	// owned closes what open has opened, last first.
	owned closers
}

// OpenApp locks the data directory, opens both listeners and the store, and
// starts the actors, which reconcile with the venues. No request is served
// before Run.
func OpenApp(ctx context.Context, config Config, log *zap.Logger, announce io.Writer) (*App, error) {
	a := &App{config: config, log: log, out: announce}
	if err := a.open(ctx); err != nil {
		return nil, errors.Join(err, a.owned.Close())
	}
	return a, nil
}

func (a *App) open(ctx context.Context) (err error) {
	if a.dir, err = openDataDir(a.config.Data); err != nil {
		return err
	}
	a.owned.add(a.dir.Close)
	if err = a.dir.checkHalted(); err != nil {
		return err
	}
	if a.token, err = a.dir.adminToken(); err != nil {
		return err
	}
	if err = a.listen(ctx); err != nil {
		return err
	}
	if a.config.Demo {
		err = a.openDemo(ctx)
	} else {
		err = moveDemoFile(a.config.Data) // commands would call the demo of earlier
	}
	if err != nil {
		return err
	}
	metrics := prometheus.NewRegistry()
	metrics.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if a.engine, err = openEngine(ctx, a.config, publicSide{cmp.Or(a.config.PublicURL, a.BaseURL()), a.adminURL(), a.config.publicHosts(a.certificate)}, a.dir, metrics, a.log); err != nil {
		return err
	}
	a.owned.add(a.engine.Close)
	a.adminServer = admin.NewServer(admin.ServerOptions{
		Registry: a.engine.registry, Token: a.token, Readiness: a.engine.Readiness, Operations: operationsOf{a.engine},
		Backup:  a.engine.backup,
		Metrics: metrics, Console: a.engine.operatorConsole(), Log: a.log.Named("admin"),
	})
	return nil
}

func (a *App) listen(ctx context.Context) (err error) {
	var network net.ListenConfig
	if a.public, err = network.Listen(ctx, "tcp", a.config.Listen); err != nil {
		return fmt.Errorf("listen for clients: %w", err)
	}
	a.public = newOnceListener(a.public)
	a.owned.add(a.public.Close)
	if a.config.TLS.Cert != "" {
		pair, err := tls.LoadX509KeyPair(a.config.TLS.Cert, a.config.TLS.Key)
		if err != nil {
			return fmt.Errorf("load certificate: %w", err)
		}
		a.certificate = pair.Leaf
		a.public = tls.NewListener(a.public, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12})
	}
	if a.admin, err = network.Listen(ctx, "tcp", a.config.AdminListen); err != nil {
		return fmt.Errorf("listen for administration: %w", err)
	}
	a.admin = newOnceListener(a.admin)
	a.owned.add(a.admin.Close)
	return nil
}

// openDemo starts the receiver of events and connects to the simulated venues,
// or starts them. They replace the configured venues.
func (a *App) openDemo(ctx context.Context) (err error) {
	if a.previousDemo, err = retireDemoFile(a.config.Data); err != nil {
		return err
	}
	if err = a.dir.lockDemo(); err != nil {
		return err
	}
	if a.receiver, err = openReceiver(ctx, a.config.HeaderPrefix, a.previousDemo.Receiver.Secret); err != nil {
		return fmt.Errorf("listen for the demo's events: %w", err)
	}
	a.owned.add(a.receiver.Close)
	if a.config.Sim != "" {
		a.simulated, err = readSimFile(a.config.Sim)
	} else {
		var sims *simulators
		sims, err = startSimulators(simOptions{Listen: "127.0.0.1:0", Seed: simSeed, StateDir: a.dir.file(simStateName), Log: a.log.Named("sim")})
		if err == nil {
			a.owned.add(sims.Close)
			a.simulated = sims.venues
		}
	}
	if err != nil {
		return err
	}
	a.config.useSimulators(a.simulated)
	return nil
}

// Run serves until ctx ends or a listener fails, then closes the service. It
// returns nil when ctx was cancelled.
func (a *App) Run(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	served := make(chan struct{}, 2)
	serve := func(name string, server func(net.Listener) error, listener net.Listener) {
		defer func() { served <- struct{}{} }()
		if err := server(listener); err != nil && !errors.Is(err, net.ErrClosed) {
			stop(fmt.Errorf("%s listener: %w", name, err))
		}
	}
	go serve("administration", a.adminServer.Serve, a.admin)
	go serve("public", a.engine.Serve, a.public)
	a.log.Info("serving", zap.Stringer("listen", a.public.Addr()), zap.Stringer("admin_listen", a.admin.Addr()), zap.String("version", version))

	var failure error
	if a.config.Demo {
		failure = a.runDemo(ctx)
	}
	if failure == nil {
		<-ctx.Done()
		failure = serverFailure(ctx)
	}
	stop(nil)
	a.log.Info("stopping")
	began := time.Now()
	a.shutdown()
	failure = errors.Join(failure, a.Close())
	<-served
	<-served
	a.log.Info("stopped", zap.Duration("took", time.Since(began)))
	return failure
}

// serverFailure returns the error that ended ctx, nil if its parent ended it.
func serverFailure(ctx context.Context) error {
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) && !errors.Is(cause, context.DeadlineExceeded) {
		return cause
	}
	return nil
}

// shutdown stops accepting connections and lets requests in progress end. Those
// that take longer than drainMax are cut off; their clients repeat them, as after
// any broken connection.
func (a *App) shutdown() {
	ctx, cancel := context.WithTimeout(context.Background(), drainMax)
	defer cancel()
	err := together(
		func() error { return a.engine.Shutdown(ctx) },
		func() error { return a.adminServer.Shutdown(ctx) },
	)
	if err != nil {
		a.log.Warn("not all connections ended in time", zap.Error(err))
	}
}

// Close closes everything that OpenApp opened: actors, connections, store, in
// this order. A second call does nothing.
func (a *App) Close() error { return a.owned.Close() }

// BaseURL returns the URL of the public listener.
func (a *App) BaseURL() string {
	scheme := "http://"
	if a.config.TLS.Cert != "" {
		scheme = "https://"
	}
	return scheme + a.public.Addr().String()
}

// adminURL returns the URL of the administration listener.
func (a *App) adminURL() string { return "http://" + a.admin.Addr().String() }

// runDemo creates the demo's records, waits until its accounts are ready, and
// prints its description.
func (a *App) runDemo(ctx context.Context) error {
	demoCtx, cancel := context.WithTimeout(ctx, demoReadyMax)
	defer cancel()
	setup := demoSetup{
		store: a.engine.store, registry: a.engine.registry, vault: a.engine.vault, venues: a.simulated, previous: a.previousDemo,
		baseURL: a.BaseURL(), receiver: a.receiver, secretOf: a.engine.endpointSecret, ready: a.engine.AccountReady,
		passwords: a.engine.consoles.passwords, consoleURL: a.engine.consoleURL(""),
	}
	d, err := setup.prepare(demoCtx)
	switch {
	case ctx.Err() != nil:
		return serverFailure(ctx)
	case err != nil:
		return fmt.Errorf("start the demo: %w", err)
	}
	d.BaseURL = a.BaseURL()
	d.WSURL = "ws" + d.BaseURL[len("http"):] + streamPath
	d.AdminURL = a.adminURL()
	d.AdminToken = a.token.Reveal()
	if err := writeDemoFile(a.config.Data, d); err != nil {
		return err
	}
	printDemo(a.out, a.config, d)
	return nil
}
