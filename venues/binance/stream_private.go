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
	"venuegate/venues/internal/rejection"
	"venuegate/venues/internal/restclient"
	"venuegate/venues/internal/session"
	"venuegate/venues/internal/wsclient"
)

const (
	listenKeyPath = "/fapi/v1/listenKey"
	// A listen key expires an hour after its last extension.
	keepAliveInterval = 30 * time.Minute
	keepAliveRetry    = time.Minute
	keepAliveMax      = 55 * time.Minute
	keepAliveTimeout  = 15 * time.Second
	// readyTimeout is how long a new connection may take to answer before it is assumed
	// ready.
	readyTimeout = 2 * time.Second
)

// listSubscriptions requests an answer, which shows that the connection is served, so
// that no event after it is missed.
const listSubscriptions = `{"method":"LIST_SUBSCRIPTIONS","id":1}`

// privateEvents are the subscribed events.
var privateEvents = strings.Join([]string{
	"ORDER_TRADE_UPDATE", "ACCOUNT_UPDATE", "ALGO_UPDATE", "ACCOUNT_CONFIG_UPDATE",
	"MARGIN_CALL", "TRADE_LITE", "CONDITIONAL_ORDER_TRIGGER_REJECT", "listenKeyExpired",
}, "/")

// errListenKeyExpired is a reason for closing a private stream.
var errListenKeyExpired = errors.New("listen key expired")

// privateFeed is the private stream of an account.
type privateFeed struct {
	account    *Account
	sink       venues.PrivateSink
	log        *zap.Logger
	session    *session.Session
	connection *session.Connection
	closeEntry func()
	ctx        context.Context
	cancel     context.CancelFunc
	workers    sync.WaitGroup
	parser     fastjson.Parser

	mu        sync.Mutex
	extended  time.Time // when the listen key was made or extended
	attempted time.Time // when the last attempt began
	extending bool
}

// OpenPrivate starts the private stream and, if OrderEntry selects it, the connection for
// orders. It creates a listen key for each connection and extends it. It never deletes
// one, because all processes of the account share it.
func (a *Account) OpenPrivate(sink venues.PrivateSink) venues.PrivateFeed {
	f := a.newPrivateFeed(sink)
	f.session.Start()
	if a.c.options.OrderEntry == venues.OrderEntryWebSocket {
		f.closeEntry = a.openEntry()
	}
	return f
}

func (a *Account) newPrivateFeed(sink venues.PrivateSink) *privateFeed {
	o := a.c.options
	f := &privateFeed{account: a, sink: sink, log: o.Log, closeEntry: func() {}}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	f.session = session.New(session.Options{
		Sink: sink, LastAck: &a.lastAck, EventSilenceMax: o.EventSilenceMax, AssumeReadyAfter: readyTimeout, Log: o.Log,
	})
	f.connection = f.session.Add(a.c.linkOptions(f.address, "/private"), f)
	return f
}

// Close closes the stream and the connection for orders, and returns when the sink is no
// longer called.
func (f *privateFeed) Close() {
	f.closeEntry()
	f.cancel()
	f.session.Close()
	f.workers.Wait()
}

// address creates a listen key, or extends the existing one, for a new connection.
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
		priority: restclient.PriorityReconcile, weight: 1,
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

// Greeting requests an answer of any kind.
func (f *privateFeed) Greeting() []byte { return []byte(listSubscriptions) }

// Message decodes one event. The first message of a connection shows that it is served.
func (f *privateFeed) Message(message []byte, _ time.Time) error {
	f.connection.Ready()
	if f.connection.Repeated() {
		return nil
	}
	return f.handle(message)
}

// Lost invalidates the leverages, because changes of them may be missed. The next
// connection has a listen key of its own.
func (f *privateFeed) Lost() { f.account.leverages.invalidate() }

// Tick extends the listen key in time.
func (f *privateFeed) Tick(now time.Time, ready bool) {
	if ready {
		f.keepAlive(now)
	}
}

func (f *privateFeed) keepAlive(now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now.Sub(f.extended) > keepAliveMax {
		f.extended = now // only once
		f.connection.GiveUp(errListenKeyExpired)
		return
	}
	if f.extending || now.Sub(f.extended) < keepAliveInterval || now.Sub(f.attempted) < keepAliveRetry {
		return
	}
	f.extending, f.attempted = true, now
	conn := f.connection.Conn()
	f.workers.Go(func() { f.extend(conn) })
}

// extend extends the listen key of a connection.
func (f *privateFeed) extend(conn *wsclient.Conn) {
	ctx, cancel := context.WithTimeout(f.ctx, keepAliveTimeout)
	defer cancel()
	err := f.listenKey(ctx, http.MethodPut, nil)
	f.noteExtended(err)
	switch {
	case err == nil:
	case rejection.Is(err, codeListenKeyUnknown):
		conn.Abort(errListenKeyExpired)
	default:
		f.log.Warn("private stream: listen key not extended", zap.Error(err))
	}
}
