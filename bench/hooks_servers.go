package bench

import (
	"context"
	"crypto/rand"
	"errors"
	"net/netip"
	"os"
	"time"

	"github.com/gofiber/fiber/v2"
	"go.uber.org/zap"

	"venuegate/actors"
	"venuegate/actors/channel"
	"venuegate/actors/journal"
	"venuegate/actors/signalqueue"
	"venuegate/persistence"
	"venuegate/persistence/badgerstore"
	"venuegate/transport/auth"
	"venuegate/transport/hooks"
	"venuegate/transport/signing"
	"venuegate/venues"
)

const (
	hookCustomer = "cus_bench"
	hookChannel  = "hook_01M7W4110V0000000000000000"
	hookSecret   = "whsec_bench"
	// hookStepsMax bounds the running steps of signals.
	hookStepsMax = 64
)

func hookApp() *fiber.App {
	return fiber.New(fiber.Config{Immutable: true, DisableStartupMessage: true, StrictRouting: true, CaseSensitive: true})
}

// openHookEdge opens the service's edge without a channel.
func openHookEdge(context.Context) (*hookServer, error) {
	return serveHook(hookEdge(acceptAll{}), func() error { return nil })
}

// openHookInbox opens the edge with a channel, its signal queue and the store. The
// channel is in test mode, so that no venue is measured.
func openHookInbox(ctx context.Context) (*hookServer, error) {
	dir, err := os.MkdirTemp("", "venuegate-bench-")
	if err != nil {
		return nil, err
	}
	store, err := badgerstore.Open(dir, badgerstore.Options{})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	system := actors.New(zap.NewNop())
	end := func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), hookAnswerMax)
		defer cancel()
		return errors.Join(system.Stop(ctx), store.Close(), os.RemoveAll(dir))
	}
	client, err := startHookChannel(ctx, system, store)
	if err != nil {
		return nil, errors.Join(err, end())
	}
	return serveHook(hookEdge(client), end)
}

func startHookChannel(ctx context.Context, system *actors.System, store *badgerstore.Store) (channel.Client, error) {
	log := journal.NewClient(store)
	fence, err := log.Own(ctx, hookCustomer)
	if err != nil {
		return channel.Client{}, err
	}
	queue, err := system.Start(signalqueue.Child())
	if err != nil {
		return channel.Client{}, err
	}
	record := persistence.Channel{ID: hookChannel, Customer: hookCustomer, Kind: persistence.ChannelWebhook, TestMode: true}
	if err := log.Commit(ctx, persistence.Batch{Fence: fence, Puts: []persistence.Record{record}}); err != nil {
		return channel.Client{}, err
	}
	dryRun := func(*persistence.Channel) channel.Executor { return channel.DryRun{Reader: flat{store}} }
	ref, err := system.Start(channel.Child(channel.Deps{
		Channel: record, Fence: fence, Store: store, Journal: log.CommitQueue(hookCustomer, record.ID),
		Executor: dryRun, SignalQueue: signalqueue.NewClient(queue), Pool: system.NewCallPool("signals", hookStepsMax, hookSignals),
		NewID: func(prefix string, at time.Time) string { return persistence.NewID(prefix, at, rand.Reader) },
	}))
	return channel.NewClient(ref, record, store, hookMarket{hookInstruments()}), err
}

func hookEdge(signals hooks.Signals) *fiber.App {
	app := hookApp()
	edge := hooks.New(hooks.Deps{
		Channels: oneHook{signing.NewKey(hookSecret)}, Signals: signals, Limiter: unlimited{}, Failures: noFailures{},
		Headers: signing.NewHeaders(""), Source: func(*fiber.Ctx) netip.Addr { return netip.Addr{} },
	})
	app.Post(hooks.WebhookPath, edge.Webhook)
	return app
}

// acceptAll accepts every signal and stores none.
type acceptAll struct{}

func (acceptAll) Accept(_ context.Context, s venues.Signal) (venues.SignalResponse, error) {
	return venues.SignalResponse{RequestID: s.RequestID, Status: string(persistence.SignalTested)}, nil
}

// oneHook is a set of one channel.
type oneHook struct{ key *signing.Key }

func (o oneHook) Channel(id string) (hooks.Channel, error) {
	if id != hookChannel {
		return hooks.Channel{}, venues.Errorf(venues.CodeNotFound, "no such channel")
	}
	return hooks.Channel{
		Channel: persistence.Channel{ID: id, Customer: hookCustomer, Kind: persistence.ChannelWebhook}, Keys: []*signing.Key{o.key},
	}, nil
}

// unlimited is a limiter without a limit.
type unlimited struct{}

func (unlimited) Take(context.Context, string, auth.Class, time.Time) (auth.Decision, error) {
	return auth.Decision{Allowed: true, Limit: auth.Signals.Limit}, nil
}

type noFailures struct{}

func (noFailures) Fail(context.Context, netip.Addr) *venues.Error {
	return venues.Errorf(venues.CodeUnauthorized, "the sender is not authenticated")
}

// flat reads orders from the store and has no position.
type flat struct{ persistence.Reader }

func (flat) Positions(context.Context, venues.ReadAccount) ([]venues.Position, []venues.VenueFailure, error) {
	return nil, nil, nil
}

// hookMarket has an instrument for each sender, because signals of one instrument are
// executed one after the other.
type hookMarket struct{ set *venues.InstrumentSet }

func (m hookMarket) Instruments(exchange venues.Venue) (*venues.InstrumentSet, bool) {
	return m.set, exchange == venues.Binance
}

func hookInstruments() *venues.InstrumentSet {
	list := make([]venues.Instrument, hookSenders)
	for i := range list {
		list[i] = venues.Instrument{Symbol: hookSymbol(i), VenueSymbol: hookSymbol(i), Exchange: venues.Binance}
	}
	return venues.NewInstrumentSet(list)
}
