package venuetest

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues"
	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simtest"
)

const (
	// banLength is what connectors believe where a venue names no time.
	banLength = 10 * time.Minute
	// banOver is how long the streams may take to be there.
	banOver = time.Minute
)

// RunBans checks, in virtual time, that a connector whose address its venue has banned
// makes no connection of any kind until the ban is over, whoever was told of it, and
// all that it had afterwards. up says whether the connection for orders of an account
// is there.
func RunBans(t *testing.T, h Harness, up func(venues.Account) bool) {
	for name, c := range map[string]struct {
		ban func(*shutOut)
		// unheard is for how long links may find out by themselves.
		unheard time.Duration
	}{
		"told a request":   {(*shutOut).asked, 0},
		"told a handshake": {(*shutOut).unasked, 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newShutOut(t, h)
				b.awaitAll(up, 1)
				c.ban(b)
				over, before := time.Now().Add(banLength), b.network.dialled()
				b.network.cut()
				if c.unheard > 0 {
					time.Sleep(c.unheard)
					before = b.network.dialled()
				}
				time.Sleep(time.Until(over) - time.Second)
				if n := b.network.dialled() - before; n != 0 {
					t.Errorf("%d connections were made during the ban", n)
				}
				b.awaitAll(up, 2)
			})
		})
	}
}

// shutOut is a connector with a stream of each kind, and its venue in memory.
type shutOut struct {
	t       *testing.T
	harness Harness
	sim     Simulator
	venue   *simtest.Memory
	network *pipeline
	account venues.Account
	heard   *heard
	books   *books
}

func newShutOut(t *testing.T, h Harness) *shutOut {
	t.Helper()
	sim, err := h.Simulate(Conditions{})
	if err != nil {
		t.Fatal(err)
	}
	b := &shutOut{t: t, harness: h, sim: sim, venue: simtest.NewMemory("venue:80"), heard: newHeard(), books: newBooks()}
	sim.Serve(b.venue, simtest.NewMemory("control:80"))
	t.Cleanup(func() {
		if err := sim.Close(); err != nil {
			t.Error(err)
		}
		time.Sleep(simtest.HousekeepingMax)
	})
	b.network = &pipeline{dial: b.venue.Dial}
	connector := h.Connect("http://venue", "ws://venue", Conditions{
		Dial: b.network.Dial, OrderEntry: venues.OrderEntryWebSocket, Timeout: patience, SilenceMax: time.Hour,
	})
	t.Cleanup(connector.Close)
	if _, err := connector.Instruments(t.Context()); err != nil {
		t.Fatal(err)
	}
	feed := connector.OpenFeed(b.books)
	t.Cleanup(feed.Close)
	feed.Subscribe(venues.FeedTopic{Kind: venues.FeedBook, Symbol: symbol})
	keys := sim.DemoAccount().Credentials
	b.account, err = connector.OpenAccount(venues.Credentials{
		APIKey: venues.Secret(keys.APIKey), APISecret: venues.Secret(keys.APISecret), Passphrase: venues.Secret(keys.Passphrase),
	})
	if err != nil {
		t.Fatal(err)
	}
	private := b.account.OpenPrivate(b.heard)
	t.Cleanup(private.Close)
	return b
}

// awaitAll waits until every stream has come up so many times.
func (b *shutOut) awaitAll(up func(venues.Account) bool, times int) {
	b.t.Helper()
	time.Sleep(banOver)
	synctest.Wait()
	b.heard.mu.Lock()
	private := b.heard.connected
	b.heard.mu.Unlock()
	b.books.mu.Lock()
	public := b.books.resumed[venues.FeedTopic{Kind: venues.FeedBook, Symbol: symbol}]
	b.books.mu.Unlock()
	if private != times || public != times || !up(b.account) {
		b.t.Fatalf("private stream %d times, public %d, want %d; connection for orders: %v", private, public, times, up(b.account))
	}
}

// asked bans the address, and answers so to a request of the connector.
func (b *shutOut) asked() {
	b.ban(b.harness.Wire.OpenOrders)
	_, err := b.account.OpenOrders(b.t.Context())
	e, ok := errors.AsType[*venues.Error](err)
	if !ok || e.Code != venues.CodeRateLimited || e.RetryAfter < banLength || e.RetryAfter > banLength+2*time.Second {
		b.t.Fatalf("%v", err)
	}
}

// unasked bans the address for what another client there has sent.
func (b *shutOut) unasked() {
	route := b.harness.Wire.Instruments
	b.ban(route)
	client := &http.Client{Transport: &http.Transport{DialContext: b.venue.Dial, DisableKeepAlives: true}}
	request, err := http.NewRequestWithContext(b.t.Context(), route.Method, "http://venue"+route.Path, http.NoBody)
	if err != nil {
		b.t.Fatal(err)
	}
	answer, err := client.Do(request)
	if err != nil || answer.StatusCode < http.StatusBadRequest {
		b.t.Fatalf("%v %v", answer, err)
	}
	_ = answer.Body.Close()
}

func (b *shutOut) ban(route Route) {
	b.t.Helper()
	_, err := b.sim.Control().AddFault(simcore.FaultRequest{
		Match: simcore.FaultMatch{Path: route.Path, Op: route.Method}, Do: simcore.FaultBan, Times: 1,
		Args: simcore.FaultArgs{DelayMs: int(banLength / time.Millisecond)},
	})
	if err != nil {
		b.t.Fatal(err)
	}
}

// pipeline makes connections, counts them and cuts them.
type pipeline struct {
	dial func(ctx context.Context, network, address string) (net.Conn, error)

	mu    sync.Mutex
	conns []net.Conn
	count int
}

func (p *pipeline) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := p.dial(ctx, network, address)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count++
	if err == nil {
		p.conns = append(p.conns, conn)
	}
	return conn, err
}

func (p *pipeline) dialled() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.count
}

func (p *pipeline) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range p.conns {
		_ = conn.Close()
	}
	p.conns = nil
}
