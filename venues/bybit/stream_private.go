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

// errRefused is why a private stream is given up.
var errRefused = errors.New("subscription was refused")

// privateFeed is the private stream of an account, with its connection for orders
// where there is one.
type privateFeed struct {
	account *Account
	sink    venues.PrivateSink
	log     *zap.Logger
	session *session.Session
	wire    *session.Wire
	login   login
	entry   *orderEntry // nil if orders go by REST
	join    fillJoin
}

// OpenPrivate starts the private stream. The sink hears of a connection when the
// venue has confirmed the subscription: what is read after that misses nothing.
func (a *Account) OpenPrivate(sink venues.PrivateSink) venues.PrivateFeed {
	f := a.newPrivateFeed(sink)
	if a.c.options.OrderEntry == venues.OrderEntryWebSocket {
		f.entry = a.openEntry()
	}
	f.session.Start()
	return f
}

func (a *Account) newPrivateFeed(sink venues.PrivateSink) *privateFeed {
	o := a.c.options
	f := &privateFeed{account: a, sink: sink, log: o.Log, login: login{account: a}}
	f.session = session.New(session.Options{
		Sink: sink, Acknowledged: &a.acknowledged, EventSilenceMax: o.EventSilenceMax, Log: o.Log,
	})
	link := a.c.linkOptions(f.address, "private")
	link.Authenticate = f.login.authenticate
	f.wire = f.session.Add(link, f)
	return f
}

// Close ends the stream, and waits until the sink is silent, and the connection
// for orders: from here on they go by REST.
func (f *privateFeed) Close() {
	f.entry.close()
	f.session.Close()
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

// Greeting subscribes.
func (f *privateFeed) Greeting() []byte {
	return controlMessage(subscribeID, "subscribe", []string{topicOrder, topicExecution, topicPosition, topicWallet})
}

// Message decodes one event.
func (f *privateFeed) Message(message []byte, now time.Time) error { return f.handle(message, now) }

// Lost tells of the executions that wait for their orders' messages: nothing else
// will come.
func (f *privateFeed) Lost() { f.tell(f.join.flush(time.Time{})) }

// Tick ends the waits of executions for their orders.
func (f *privateFeed) Tick(now time.Time, _ bool) { f.tell(f.join.flush(now)) }
