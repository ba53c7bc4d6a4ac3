package binance

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/valyala/fastjson"
	"go.uber.org/zap"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/refusal"
	"venuegate/venues/internal/restclient"
	"venuegate/venues/internal/session"
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

// errListenKeyExpired is why a private stream is given up.
var errListenKeyExpired = errors.New("listen key expired")

// privateFeed is the private stream of an account.
type privateFeed struct {
	account *Account
	sink    venues.PrivateSink
	log     *zap.Logger
	session *session.Session
	wire    *session.Wire
	entry   *orderEntry // nil if orders go by REST
	ctx     context.Context
	cancel  context.CancelFunc
	workers sync.WaitGroup
	parser  fastjson.Parser

	mu        sync.Mutex
	extended  time.Time // when the listen key was made or extended
	attempted time.Time // when that was last tried
	extending bool
}

// OpenPrivate starts the private stream, and the connection for orders where they
// go that way. It makes a listen key for each connection and keeps it alive; it never
// deletes one, because all processes of the account share it.
func (a *Account) OpenPrivate(sink venues.PrivateSink) venues.PrivateFeed {
	f := a.newPrivateFeed(sink)
	f.session.Start()
	if a.c.options.OrderEntry == venues.OrderEntryWebSocket {
		f.entry = a.openEntry()
	}
	return f
}

func (a *Account) newPrivateFeed(sink venues.PrivateSink) *privateFeed {
	o := a.c.options
	f := &privateFeed{account: a, sink: sink, log: o.Log}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	f.session = session.New(session.Options{
		Sink: sink, Acknowledged: &a.acknowledged, EventSilenceMax: o.EventSilenceMax, BelievedAfter: proofTimeout, Log: o.Log,
	})
	f.wire = f.session.Add(a.c.linkOptions(f.address, "/private"), f)
	return f
}

// Close ends the stream and the connection for orders, and waits until the sink is
// silent.
func (f *privateFeed) Close() {
	f.entry.close()
	f.cancel()
	f.session.Close()
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

// Greeting asks for an answer of any kind.
func (f *privateFeed) Greeting() []byte { return []byte(listSubscriptions) }

// Message decodes one event. The first word of a connection shows that it is served.
func (f *privateFeed) Message(message []byte, _ time.Time) error {
	f.wire.Ready()
	if f.wire.Repeated() {
		return nil
	}
	return f.handle(message)
}

// Lost lets the leverages be read again: changes of them may go unheard. The next
// connection has a listen key of its own.
func (f *privateFeed) Lost() { f.account.leverages.forget() }

// Tick extends the listen key in time.
func (f *privateFeed) Tick(now time.Time, served bool) {
	if served {
		f.keepAlive(now)
	}
}

func (f *privateFeed) keepAlive(now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now.Sub(f.extended) > keepAliveMax {
		f.extended = now // once
		f.wire.GiveUp(errListenKeyExpired)
		return
	}
	if f.extending || now.Sub(f.extended) < keepAliveInterval || now.Sub(f.attempted) < keepAliveRetry {
		return
	}
	f.extending, f.attempted = true, now
	conn := f.wire.Conn()
	f.workers.Go(func() { f.extend(conn) })
}

// extend asks for the listen key of a connection to live on.
func (f *privateFeed) extend(conn *wsclient.Conn) {
	ctx, cancel := context.WithTimeout(f.ctx, keepAliveTimeout)
	defer cancel()
	err := f.listenKey(ctx, http.MethodPut, nil)
	f.noteExtended(err)
	switch {
	case err == nil:
	case refusal.Is(err, codeListenKeyUnknown):
		conn.GiveUp(errListenKeyExpired)
	default:
		f.log.Warn("private stream: listen key not extended", zap.Error(err))
	}
}
