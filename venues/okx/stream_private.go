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

// eventsOnly asks for changes alone, without a repetition every few seconds.
const eventsOnly = `{"updateInterval":"0"}`

// privateTopics are what each path of the private stream is asked for.
var privateTopics = map[string][]privateTopic{
	pathPrivate: {
		{Channel: channelOrders, InstType: "ANY"},
		{Channel: channelPositions, InstType: "ANY", ExtraParams: eventsOnly},
		{Channel: channelAccount, ExtraParams: eventsOnly},
	},
	pathBusiness: {{Channel: channelAlgos, InstType: "ANY"}},
}

// errTooManyStreams is a connection beyond those that the venue gives an account.
var errTooManyStreams = errors.New("private stream: the account has as many as the venue gives it")

// privateFeed is the private stream of an account: two connections that are up
// only together.
type privateFeed struct {
	account *Account
	sink    venues.PrivateSink
	log     *zap.Logger
	session *session.Session
	entry   *orderEntry        // nil if orders go by REST
	cancel  context.CancelFunc // of whatever waits for the venue on Close
	// snapshot is the newest one of positions.
	snapshot snapshot
}

// wire is one connection of a private stream.
type wire struct {
	*session.Wire
	feed *privateFeed
	path string
	// waiting are the channels that the newest connection has not confirmed.
	waiting map[string]bool
}

// OpenPrivate starts the private stream. The sink hears that it is connected once
// every channel of both connections is confirmed: no event after that is missed.
// With order entry over WebSocket a third connection is made for orders, apart
// from the events, which are then never behind answers; the sink hears nothing of
// it.
func (a *Account) OpenPrivate(sink venues.PrivateSink) venues.PrivateFeed {
	ctx, cancel := context.WithCancel(context.Background())
	o := a.c.options
	f := &privateFeed{account: a, sink: sink, log: o.Log, cancel: cancel}
	f.session = session.New(session.Options{
		Sink: sink, Acknowledged: &a.acknowledged, EventSilenceMax: o.EventSilenceMax, Log: o.Log,
	})
	for _, path := range []string{pathPrivate, pathBusiness} {
		w := &wire{feed: f, path: path}
		w.Wire = f.session.Add(a.privateLink(ctx, path), w)
	}
	if o.OrderEntry == venues.OrderEntryWebSocket {
		f.entry = a.openEntry(ctx)
	}
	f.session.Start()
	return f
}

// privateLink are the options of a connection that logs in. ctx ends what waits
// for the venue.
func (a *Account) privateLink(ctx context.Context, path string) wsclient.Options {
	o := a.c.linkOptions(path)
	o.URL = func(ctx context.Context) (string, error) {
		a.c.clock.Measure(ctx, a.c.serverTime) // a login bears the time
		return a.c.options.StreamURL + path, nil
	}
	o.Authenticate = func(s *wsclient.Session) error { return a.login(ctx, s) }
	return o
}

// Close ends the stream, waits until the sink is silent, and ends the socket for
// orders.
func (f *privateFeed) Close() {
	f.cancel()
	f.entry.close()
	f.session.Close()
}

// privateMessage is whatever a private stream says: a push, or an event about the
// stream itself.
type privateMessage struct {
	Event string `json:"event"`
	Code  string `json:"code"`
	Msg   string `json:"msg"`
	Arg   struct {
		Channel string `json:"channel"`
	} `json:"arg"`
	Channel   string          `json:"channel"` // of a count of connections
	EventType string          `json:"eventType"`
	CurPage   int             `json:"curPage"`
	LastPage  *bool           `json:"lastPage"`
	Data      json.RawMessage `json:"data"`
}

// Greeting subscribes the wire's channels.
func (w *wire) Greeting() []byte {
	w.waiting = make(map[string]bool)
	for _, t := range privateTopics[w.path] {
		w.waiting[t.Channel] = true
	}
	return controlMessage("1", "subscribe", privateTopics[w.path])
}

// confirmed notes an answer to a subscription.
func (w *wire) confirmed(channel string) {
	delete(w.waiting, channel)
	if len(w.waiting) == 0 {
		w.Ready()
	}
}

// Message decodes one message.
func (w *wire) Message(message []byte, now time.Time) error {
	if string(message) == "pong" {
		return nil
	}
	var m privateMessage
	if err := payload.Decode(message, &m); err != nil {
		return err
	}
	if m.Event != "" {
		w.notice(m)
		return nil
	}
	// What is repeated of positions follows the snapshot of the new connection, which
	// may be older.
	if w.Repeated() && m.Arg.Channel != channelPositions {
		return nil
	}
	if err := w.feed.push(m, now); err != nil {
		return fmt.Errorf("event of %s: %w", payload.Bounded(m.Arg.Channel), err)
	}
	return nil
}

// Lost changes nothing here.
func (w *wire) Lost() {}

// Tick has nothing to do.
func (w *wire) Tick(time.Time, bool) {}

// notice handles what the venue says about the stream itself.
func (w *wire) notice(m privateMessage) {
	switch m.Event {
	case "subscribe":
		w.confirmed(m.Arg.Channel)
	case "notice":
		w.Renew()
	case "channel-conn-count-error":
		w.waiting[m.Channel] = true // what was confirmed is over
		w.GiveUp(errTooManyStreams)
	case "error":
		w.GiveUp(fmt.Errorf("private stream: %s %s %s", m.Event, payload.Bounded(m.Code), payload.Bounded(m.Msg)))
	}
}
