package bybit

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"venuegate/venues"
	"venuegate/venues/internal/session"
)

const (
	privatePath = "/v5/private"
	subscribeID = "subscribe"
)

// Topics of the private stream.
const (
	topicOrder     = "order"
	topicExecution = "execution"
	topicPosition  = "position"
	topicWallet    = "wallet"
)

// errRejected is a reason for closing a private stream.
var errRejected = errors.New("subscription was rejected")

// privateFeed is the private stream of an account, with its connection for orders if
// there is one.
type privateFeed struct {
	account    *Account
	sink       venues.PrivateSink
	log        *zap.Logger
	session    *session.Session
	connection *session.Connection
	login      login
	closeEntry func()
	join       fillJoin
}

// OpenPrivate starts the private stream. The sink's Connected is called when the venue
// has confirmed the subscription: what is read after that misses no event.
func (a *Account) OpenPrivate(sink venues.PrivateSink) venues.PrivateFeed {
	f := a.newPrivateFeed(sink)
	if a.c.options.OrderEntry == venues.OrderEntryWebSocket {
		f.closeEntry = a.openEntry()
	}
	f.session.Start()
	return f
}

func (a *Account) newPrivateFeed(sink venues.PrivateSink) *privateFeed {
	o := a.c.options
	f := &privateFeed{account: a, sink: sink, log: o.Log, login: login{account: a}, closeEntry: func() {}}
	f.session = session.New(session.Options{
		Sink: sink, LastAck: &a.lastAck, EventSilenceMax: o.EventSilenceMax, Log: o.Log,
	})
	link := a.c.linkOptions(f.address, "private")
	link.Authenticate = f.login.authenticate
	f.connection = f.session.Add(link, f)
	return f
}

// Close closes the stream, returns when the sink is no longer called, and closes the
// connection for orders.
func (f *privateFeed) Close() {
	f.closeEntry()
	f.session.Close()
}

// address returns the address of the stream.
func (f *privateFeed) address(ctx context.Context) (string, error) {
	f.login.prepare(ctx)
	return f.account.c.options.PrivateURL + privatePath, nil
}

// notice is an answer to a message of this side.
type notice struct {
	Success bool   `json:"success"`
	RetMsg  string `json:"ret_msg"`
	Op      string `json:"op"`
	ReqID   string `json:"req_id"`
}

// Greeting subscribes.
func (f *privateFeed) Greeting() []byte {
	return controlMessage(subscribeID, "subscribe", []string{topicOrder, topicExecution, topicPosition, topicWallet})
}

// Message decodes one event.
func (f *privateFeed) Message(message []byte, now time.Time) error { return f.handle(message, now) }

// Lost reports the executions that wait for the messages of their orders, which will not
// come.
func (f *privateFeed) Lost() { f.report(f.join.flush(time.Time{})) }

// Tick ends the waits of executions for their orders.
func (f *privateFeed) Tick(now time.Time, _ bool) { f.report(f.join.flush(now)) }
