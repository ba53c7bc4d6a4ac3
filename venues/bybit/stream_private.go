package bybit

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"venuegate/venues"
	"venuegate/venues/internal/wsclient"
)

const (
	privatePath = "/v5/private"
	subscribeID = "subscribe"
	// ackTimeout is how long the venue may take to confirm the subscription.
	ackTimeout = 10 * time.Second
)

// Topics of the private stream.
const (
	topicOrder     = "order"
	topicExecution = "execution"
	topicPosition  = "position"
	topicWallet    = "wallet"
)

// Why a private stream is given up.
var (
	errPrivateMute = errors.New("private stream told nothing of an acknowledged order")
	errNoAck       = errors.New("subscription was not confirmed")
	errRefused     = errors.New("subscription was refused")
)

// privateFeed is the private stream of an account, with its connection for orders
// where there is one.
type privateFeed struct {
	account *Account
	sink    venues.PrivateSink
	log     *zap.Logger
	link    *wsclient.Link
	login   login
	entry   *orderEntry // nil if orders go by REST

	// heardAt is when the last event came, in unix nanoseconds.
	heardAt atomic.Int64

	// deliver makes sure that the sink hears one thing at a time.
	deliver   sync.Mutex
	join      fillJoin
	connected bool      // the sink was told
	openedAt  time.Time // of a connection that is not subscribed yet; zero otherwise
}

// OpenPrivate starts the private stream. The sink hears of a connection when the
// venue has confirmed the subscription: what is read after that misses nothing.
func (a *Account) OpenPrivate(sink venues.PrivateSink) venues.PrivateFeed {
	o := a.c.options
	f := &privateFeed{account: a, sink: sink, log: o.Log, login: login{account: a}}
	if o.OrderEntry == venues.OrderEntryWebSocket {
		f.entry = a.openEntry()
	}
	f.link = wsclient.New(wsclient.Options{
		URL:          f.address,
		Authenticate: f.login.authenticate,
		Handler:      f,
		Ping:         []byte(heartbeat), PingInterval: o.PingInterval,
		BackoffMin: o.BackoffMin, BackoffMax: o.BackoffMax, TickInterval: o.tickInterval,
		Log: o.Log.With(zap.String("stream", "private")),
	})
	f.link.Start()
	return f
}

// Close ends the stream, and waits until the sink is silent, and the connection
// for orders: from here on they go by REST.
func (f *privateFeed) Close() {
	f.entry.close()
	f.link.Close()
}

// address of the stream.
func (f *privateFeed) address(ctx context.Context) (string, error) {
	f.login.prepare(ctx)
	return f.account.c.options.PrivateURL + privatePath, nil
}

// notice is an answer to a message of ours.
type notice struct {
	Success bool   `json:"success"`
	RetMsg  string `json:"ret_msg"`
	Op      string `json:"op"`
	ReqID   string `json:"req_id"`
}

// Opened subscribes; the sink is told when that is confirmed.
func (f *privateFeed) Opened(c *wsclient.Conn) {
	f.deliver.Lock()
	f.openedAt = time.Now()
	f.deliver.Unlock()
	c.Send(controlMessage(subscribeID, "subscribe", []string{topicOrder, topicExecution, topicPosition, topicWallet}))
}

// Lost tells the sink. Executions that wait for their orders' messages are told
// first: nothing else will come.
func (f *privateFeed) Lost(cause error) {
	f.deliver.Lock()
	defer f.deliver.Unlock()
	f.tell(f.join.flush(time.Time{}))
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
	if err := f.handle(message, time.Now()); err != nil {
		f.log.Error("private stream: undecodable event", zap.Error(err))
		if f.connected {
			f.sink.Lost(err)
			f.sink.Connected()
		}
	}
}

// Tick ends waits: of executions for their orders, of the stream for the venue.
func (f *privateFeed) Tick(now time.Time) {
	f.deliver.Lock()
	f.tell(f.join.flush(now))
	unconfirmed := !f.openedAt.IsZero() && now.Sub(f.openedAt) > ackTimeout
	connected := f.connected
	f.deliver.Unlock()
	switch {
	case unconfirmed:
		f.link.Reconnect(errNoAck)
	case connected:
		f.checkMute(now)
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
