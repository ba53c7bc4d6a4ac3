package binance

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fastjson"
	"go.uber.org/zap"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
	"venuegate/venues/internal/wsclient"
)

const (
	listenKeyPath = "/fapi/v1/listenKey"
	// A listen key lives for an hour after its last extension.
	keepAliveInterval = 30 * time.Minute
	keepAliveRetry    = time.Minute
	keepAliveMax      = 55 * time.Minute
	keepAliveTimeout  = 15 * time.Second
	// proofTimeout is how long a new connection may take to answer at all before
	// it counts as up without that.
	proofTimeout = 2 * time.Second
)

// listSubscriptions makes the venue speak: its answer shows that the connection
// is served, so that no event after it is missed.
const listSubscriptions = `{"method":"LIST_SUBSCRIPTIONS","id":1}`

// privateEvents are the events that the stream is asked for.
var privateEvents = strings.Join([]string{
	"ORDER_TRADE_UPDATE", "ACCOUNT_UPDATE", "ALGO_UPDATE", "ACCOUNT_CONFIG_UPDATE",
	"MARGIN_CALL", "TRADE_LITE", "CONDITIONAL_ORDER_TRIGGER_REJECT", "listenKeyExpired",
}, "/")

// Causes of a lost private stream.
var (
	errListenKeyExpired = errors.New("listen key expired")
	errPrivateMute      = errors.New("private stream told nothing of an acknowledged order")
)

// privateFeed is the private stream of an account.
type privateFeed struct {
	account *Account
	sink    venues.PrivateSink
	log     *zap.Logger
	link    *wsclient.Link
	entry   *orderEntry // nil if orders go by REST
	ctx     context.Context
	cancel  context.CancelFunc
	workers sync.WaitGroup

	// heardAt is when the last event came, in unix nanoseconds.
	heardAt atomic.Int64

	// deliver makes sure that the sink hears one thing at a time.
	deliver   sync.Mutex
	parser    fastjson.Parser
	connected bool      // the sink was told
	openedAt  time.Time // of a connection that has not spoken; zero otherwise

	mu        sync.Mutex
	extended  time.Time // when the listen key was made or extended
	attempted time.Time // when that was last tried
	extending bool
}

// OpenPrivate starts the private stream, and the connection for orders where they
// go that way. It makes a listen key for each connection and keeps it alive; it never
// deletes one, because all processes of the account share it.
func (a *Account) OpenPrivate(sink venues.PrivateSink) venues.PrivateFeed {
	o := a.c.options
	f := &privateFeed{account: a, sink: sink, log: o.Log}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	f.link = wsclient.New(wsclient.Options{
		URL:      f.address,
		Handler:  f,
		Lifetime: o.ConnLifetime, RenewOverlap: o.RenewOverlap,
		BackoffMin: o.BackoffMin, BackoffMax: o.BackoffMax, TickInterval: o.tickInterval,
		Log: o.Log.With(zap.String("category", "/private")),
	})
	f.link.Start()
	if o.OrderEntry == venues.OrderEntryWebSocket {
		f.entry = a.openEntry()
	}
	return f
}

// Close ends the stream and the connection for orders, and waits until the sink is
// silent.
func (f *privateFeed) Close() {
	f.entry.close()
	f.cancel()
	f.link.Close()
	f.workers.Wait()
}

// address makes a listen key, or extends the one there is, for a new connection.
func (f *privateFeed) address(ctx context.Context) (string, error) {
	var answer struct {
		ListenKey string `json:"listenKey"`
	}
	if err := f.listenKey(ctx, http.MethodPost, &answer); err != nil {
		return "", err
	}
	if answer.ListenKey == "" {
		return "", payload.Missing("listenKey")
	}
	f.noteExtended(nil)
	o := f.account.c.options
	path := strings.NewReplacer(
		"{listenKey}", url.QueryEscape(answer.ListenKey), "{events}", privateEvents).Replace(o.PrivatePath)
	return o.StreamURL + path, nil
}

func (f *privateFeed) listenKey(ctx context.Context, method string, out any) error {
	return f.account.c.call(ctx, request{
		method: method, path: listenKeyPath, security: keyed, account: f.account,
		lane: restclient.LaneReconcile, weight: 1,
	}, out)
}

func (f *privateFeed) noteExtended(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.extending = false
	if err == nil {
		f.extended = time.Now()
		f.attempted = f.extended
	}
}

// Opened waits for the connection's first word before the sink is told, unless
// the stream was up already and is only renewed.
func (f *privateFeed) Opened(c *wsclient.Conn) {
	c.Send([]byte(listSubscriptions))
	f.deliver.Lock()
	defer f.deliver.Unlock()
	if !f.connected {
		f.openedAt = time.Now()
	}
}

// serving tells the sink that the stream is up; deliver is held.
func (f *privateFeed) serving() {
	if !f.openedAt.IsZero() {
		f.openedAt, f.connected = time.Time{}, true
		f.sink.Connected()
	}
}

// Lost tells the sink.
func (f *privateFeed) Lost(cause error) {
	f.deliver.Lock()
	defer f.deliver.Unlock()
	f.openedAt = time.Time{}
	if f.connected {
		f.connected = false
		f.sink.Lost(cause)
	}
}

// Message decodes one event. One that cannot be understood but might concern
// orders or positions counts as a loss: the account reads its state anew.
func (f *privateFeed) Message(_ *wsclient.Conn, message []byte) {
	f.deliver.Lock()
	defer f.deliver.Unlock()
	f.serving()
	if err := f.handle(message); err != nil {
		f.log.Error("private stream: undecodable event", zap.Error(err))
		f.sink.Lost(err)
		f.sink.Connected()
	}
}

// Tick extends the listen key in time and notices a stream that is mute.
func (f *privateFeed) Tick(now time.Time) {
	if f.isUp(now) {
		f.keepAlive(now)
		f.checkMute(now)
	}
}

func (f *privateFeed) isUp(now time.Time) bool {
	f.deliver.Lock()
	defer f.deliver.Unlock()
	if now.Sub(f.openedAt) > proofTimeout {
		f.serving()
	}
	return f.connected
}

func (f *privateFeed) keepAlive(now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now.Sub(f.extended) > keepAliveMax {
		f.extended = now // once
		f.link.Reconnect(errListenKeyExpired)
		return
	}
	if f.extending || now.Sub(f.extended) < keepAliveInterval || now.Sub(f.attempted) < keepAliveRetry {
		return
	}
	f.extending, f.attempted = true, now
	f.workers.Go(f.extend)
}

func (f *privateFeed) extend() {
	ctx, cancel := context.WithTimeout(f.ctx, keepAliveTimeout)
	defer cancel()
	err := f.listenKey(ctx, http.MethodPut, nil)
	f.noteExtended(err)
	switch {
	case err == nil:
	case isRefusal(err, codeListenKeyUnknown):
		f.link.Reconnect(errListenKeyExpired)
	default:
		f.log.Warn("private stream: listen key not extended", zap.Error(err))
	}
}

// checkMute holds the last acknowledged order against the last event.
func (f *privateFeed) checkMute(now time.Time) {
	acknowledged := f.account.acknowledged.Load()
	if acknowledged == 0 || f.heardAt.Load() >= acknowledged {
		return
	}
	if now.UnixNano()-acknowledged > int64(f.account.c.options.EventSilenceMax) {
		f.account.acknowledged.CompareAndSwap(acknowledged, 0)
		f.link.Reconnect(errPrivateMute)
	}
}
