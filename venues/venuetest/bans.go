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
	// banLength is the ban that connectors assume where a venue names no time.
	banLength = 10 * time.Minute
	// banOver is how long the streams may take to connect.
	banOver = time.Minute
)

// RunBans checks, in virtual time, that a connector whose address the venue has banned
// opens no connection before the ban ends, and all its connections afterwards. up
// reports whether the order entry connection of an account is open.
func RunBans(t *testing.T, h Harness, up func(venues.Account) bool) {
	for name, c := range map[string]struct {
		ban func(*banTest)
		// discovery is how long connections may take to find the ban by a failed
		// handshake.
		discovery time.Duration
	}{
		"by the answer to a request": {(*banTest).banByRequest, 0},
		"by a failed handshake":      {(*banTest).banByOther, 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBanTest(t, h)
				b.awaitAll(up, 1)
				c.ban(b)
				over, before := time.Now().Add(banLength), b.network.dialled()
				b.network.cut()
				if c.discovery > 0 {
					time.Sleep(c.discovery)
					before = b.network.dialled()
				}
				time.Sleep(time.Until(over) - time.Second)
				if n := b.network.dialled() - before; n != 0 {
					t.Errorf("%d connections during the ban, want 0", n)
				}
				b.awaitAll(up, 2)
			})
		})
	}
}

// banTest is a connector with a stream of each kind, and its venue in memory.
type banTest struct {
	t       *testing.T
	harness Harness
	sim     Simulator
	venue   *simtest.Memory
	network *countingDialer
	account venues.Account
	sink    *sink
	books   *books
}

func newBanTest(t *testing.T, h Harness) *banTest {
	t.Helper()
	sim, err := h.Simulate(Conditions{})
	if err != nil {
		t.Fatal(err)
	}
	b := &banTest{t: t, harness: h, sim: sim, venue: simtest.NewMemory("venue:80"), sink: newSink(), books: newBooks()}
	sim.Serve(b.venue, simtest.NewMemory("control:80"))
	t.Cleanup(func() {
		if err := sim.Close(); err != nil {
			t.Error(err)
		}
		time.Sleep(simtest.HousekeepingMax)
	})
	b.network = &countingDialer{dial: b.venue.Dial}
	connector := h.Connect("http://venue", "ws://venue", Conditions{
		Dial: b.network.Dial, OrderEntry: venues.OrderEntryWebSocket, Timeout: waitMax, SilenceMax: time.Hour,
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
	private := b.account.OpenPrivate(b.sink)
	t.Cleanup(private.Close)
	return b
}

// awaitAll waits until every stream has connected the given number of times.
func (b *banTest) awaitAll(up func(venues.Account) bool, times int) {
	b.t.Helper()
	time.Sleep(banOver)
	synctest.Wait()
	b.sink.mu.Lock()
	private := b.sink.connected
	b.sink.mu.Unlock()
	b.books.mu.Lock()
	public := b.books.resumed[venues.FeedTopic{Kind: venues.FeedBook, Symbol: symbol}]
	b.books.mu.Unlock()
	if private != times || public != times || !up(b.account) {
		b.t.Fatalf("private stream %d times, public %d, want %d; connection for orders: %v", private, public, times, up(b.account))
	}
}

// banByRequest bans the address in the answer to a request of the connector.
func (b *banTest) banByRequest() {
	b.ban(b.harness.Wire.OpenOrders)
	_, err := b.account.OpenOrders(b.t.Context())
	e, ok := errors.AsType[*venues.Error](err)
	if !ok || e.Code != venues.CodeRateLimited || e.RetryAfter < banLength || e.RetryAfter > banLength+2*time.Second {
		b.t.Fatalf("error = %v, want rate_limited for %s", err, banLength)
	}
}

// banByOther bans the address for a request of another client at the same address.
func (b *banTest) banByOther() {
	route := b.harness.Wire.Instruments
	b.ban(route)
	client := &http.Client{Transport: &http.Transport{DialContext: b.venue.Dial, DisableKeepAlives: true}}
	request, err := http.NewRequestWithContext(b.t.Context(), route.Method, "http://venue"+route.Path, http.NoBody)
	if err != nil {
		b.t.Fatal(err)
	}
	answer, err := client.Do(request)
	if err != nil || answer.StatusCode < http.StatusBadRequest {
		b.t.Fatalf("answer = %v, %v, want the ban", answer, err)
	}
	_ = answer.Body.Close()
}

func (b *banTest) ban(route Route) {
	b.t.Helper()
	_, err := b.sim.Control().AddFault(simcore.FaultRequest{
		Match: simcore.FaultMatch{Path: route.Path, Op: route.Method}, Do: simcore.FaultBan, Times: 1,
		Args: simcore.FaultArgs{DelayMs: int(banLength / time.Millisecond)},
	})
	if err != nil {
		b.t.Fatal(err)
	}
}

// countingDialer opens, counts and cuts connections.
type countingDialer struct {
	dial func(ctx context.Context, network, address string) (net.Conn, error)

	mu    sync.Mutex
	conns []net.Conn
	count int
}

func (p *countingDialer) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := p.dial(ctx, network, address)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count++
	if err == nil {
		p.conns = append(p.conns, conn)
	}
	return conn, err
}

func (p *countingDialer) dialled() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.count
}

func (p *countingDialer) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range p.conns {
		_ = conn.Close()
	}
	p.conns = nil
}
