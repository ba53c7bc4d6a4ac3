package okx

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/session"
	"venuegate/venues/internal/wsclient"
)

// Channels of the private streams.
const (
	channelOrders    = "orders"
	channelAlgos     = "orders-algo"
	channelPositions = "positions"
	channelAccount   = "account"
)

// privateTopic is the argument of a private subscription. ExtraParams is JSON
// within a string.
type privateTopic struct {
	Channel     string `json:"channel"`
	InstType    string `json:"instType,omitempty"`
	ExtraParams string `json:"extraParams,omitempty"`
}

// eventsOnly requests changes only. Without it the venue repeats positions and balances
// about every five seconds.
const eventsOnly = `{"updateInterval":"0"}`

// privateTopics are the subscriptions of each path of the private stream.
var privateTopics = map[string][]privateTopic{
	pathPrivate: {
		{Channel: channelOrders, InstType: "ANY"},
		{Channel: channelPositions, InstType: "ANY", ExtraParams: eventsOnly},
		{Channel: channelAccount, ExtraParams: eventsOnly},
	},
	pathBusiness: {{Channel: channelAlgos, InstType: "ANY"}},
}

// errTooManyStreams is the cause when the venue does not accept a channel because of its
// limit of 30 connections per channel and account.
var errTooManyStreams = errors.New("private stream: the account has as many connections as the venue allows")

// privateFeed is the private stream of an account. It has two connections, for the paths
// /private and /business, and is connected only while both are.
type privateFeed struct {
	account    *Account
	sink       venues.PrivateSink
	log        *zap.Logger
	session    *session.Session
	closeEntry func()
	cancel     context.CancelFunc // on Close, cancels the requests for the clock
	// snapshot is the newest snapshot of the channel positions.
	snapshot positionSnapshot
}

// privateConn is one connection of a private stream.
type privateConn struct {
	*session.Connection
	feed *privateFeed
	path string
	// pending are the channels that the newest connection has not confirmed.
	pending map[string]bool
}

// OpenPrivate starts the private stream. The sink's Connected is called once every
// channel of both connections is confirmed: no event after that is missed. With order
// entry over WebSocket there is a third connection, for orders, so that answers never delay
// events. Its losses are not reported to the sink.
func (a *Account) OpenPrivate(sink venues.PrivateSink) venues.PrivateFeed {
	ctx, cancel := context.WithCancel(context.Background())
	o := a.c.options
	f := &privateFeed{account: a, sink: sink, log: o.Log, cancel: cancel, closeEntry: func() {}}
	f.session = session.New(session.Options{
		Sink: sink, LastAck: &a.lastAck, EventSilenceMax: o.EventSilenceMax, Log: o.Log,
	})
	for _, path := range []string{pathPrivate, pathBusiness} {
		p := &privateConn{feed: f, path: path}
		p.Connection = f.session.Add(a.privateLink(ctx, path), p)
	}
	if o.OrderEntry == venues.OrderEntryWebSocket {
		f.closeEntry = a.openEntry(ctx)
	}
	f.session.Start()
	return f
}

// privateLink returns the options of a connection that logs in. ctx cancels
// the requests for the clock.
func (a *Account) privateLink(ctx context.Context, path string) wsclient.Options {
	o := a.c.linkOptions(path)
	o.URL = func(ctx context.Context) (string, error) {
		a.c.Clock.Measure(ctx, a.c.serverTime) // a login has a timestamp
		return a.c.options.StreamURL + path, nil
	}
	o.Authenticate = func(s *wsclient.Handshake) error { return a.login(ctx, s) }
	return o
}

// Close closes the stream, returns when the sink is no longer called, and closes the
// connection for orders.
func (f *privateFeed) Close() {
	f.cancel()
	f.closeEntry()
	f.session.Close()
}

// privateMessage is any message of a private stream: a push, or an event about the stream
// itself.
type privateMessage struct {
	Event string `json:"event"`
	Code  string `json:"code"`
	Msg   string `json:"msg"`
	Arg   struct {
		Channel string `json:"channel"`
	} `json:"arg"`
	Channel   string          `json:"channel"` // in a connection count
	EventType string          `json:"eventType"`
	CurPage   int             `json:"curPage"`
	LastPage  *bool           `json:"lastPage"`
	Data      json.RawMessage `json:"data"`
}

// Greeting returns the message that subscribes the channels of the connection.
func (p *privateConn) Greeting() []byte {
	p.pending = make(map[string]bool)
	for _, t := range privateTopics[p.path] {
		p.pending[t.Channel] = true
	}
	return controlMessage("1", "subscribe", privateTopics[p.path])
}

// confirmed records the confirmation of a channel.
func (p *privateConn) confirmed(channel string) {
	delete(p.pending, channel)
	if len(p.pending) == 0 {
		p.Ready()
	}
}

// Message decodes one message.
func (p *privateConn) Message(message []byte, now time.Time) error {
	if string(message) == "pong" {
		return nil
	}
	var m privateMessage
	if err := payload.Decode(message, &m); err != nil {
		return err
	}
	if m.Event != "" {
		p.notice(m)
		return nil
	}
	// While a successor takes over, both connections deliver each event. Positions are
	// passed on from both, because the snapshot of the new connection may be older than
	// the newest event.
	if p.Repeated() && m.Arg.Channel != channelPositions {
		return nil
	}
	if err := p.feed.push(m, now); err != nil {
		return fmt.Errorf("event of %s: %w", payload.Bounded(m.Arg.Channel), err)
	}
	return nil
}

// Lost does nothing: pending is reset by the next Greeting.
func (p *privateConn) Lost() {}

// Tick does nothing: the venue needs no periodic message besides the ping.
func (p *privateConn) Tick(time.Time, bool) {}

// notice handles an event about the stream itself.
func (p *privateConn) notice(m privateMessage) {
	switch m.Event {
	case "subscribe":
		p.confirmed(m.Arg.Channel)
	case "notice":
		p.Renew()
	case "channel-conn-count-error":
		p.pending[m.Channel] = true // the venue has withdrawn its confirmation
		p.GiveUp(errTooManyStreams)
	case "error":
		p.GiveUp(fmt.Errorf("private stream: %s %s %s", m.Event, payload.Bounded(m.Code), payload.Bounded(m.Msg)))
	}
}
