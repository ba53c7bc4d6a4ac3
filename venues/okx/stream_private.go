package okx

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
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

// ackTimeout is how long the venue may take to confirm the subscriptions.
const ackTimeout = 10 * time.Second

// Causes of a lost private stream.
var (
	errNoAck       = errors.New("subscription was not confirmed")
	errPrivateMute = errors.New("private stream told nothing of an acknowledged order")
	errLogin       = errors.New("the venue refused the login")
)

// privateFeed is the private stream of an account: two connections that are up
// only together.
type privateFeed struct {
	account *Account
	sink    venues.PrivateSink
	log     *zap.Logger
	wires   []*wire
	entry   *orderEntry        // nil if orders go by REST
	cancel  context.CancelFunc // of whatever waits for the venue on Close

	// heardAt is when the last event about an order came, in unix nanoseconds.
	heardAt atomic.Int64

	// deliver guards what follows and the wires, and makes sure that the sink hears
	// one thing at a time.
	deliver   sync.Mutex
	connected bool              // the sink was told
	pages     []venues.Position // of a snapshot of positions under way
}

// wire is one connection of a private stream. Guarded by privateFeed.deliver.
type wire struct {
	feed *privateFeed
	path string
	link *wsclient.Link
	// waiting are the channels that the newest connection has not confirmed since
	// askedAt; serving says that all were, once.
	waiting map[string]bool
	askedAt time.Time
	serving bool
}

// OpenPrivate starts the private stream. The sink hears that it is connected once
// every channel of both connections is confirmed: no event after that is missed.
// With order entry over WebSocket a third connection is made for orders, apart
// from the events, which are then never behind answers; the sink hears nothing of
// it.
func (a *Account) OpenPrivate(sink venues.PrivateSink) venues.PrivateFeed {
	ctx, cancel := context.WithCancel(context.Background())
	f := &privateFeed{account: a, sink: sink, log: a.c.options.Log, cancel: cancel}
	for _, path := range []string{pathPrivate, pathBusiness} {
		w := &wire{feed: f, path: path}
		w.link = wsclient.New(a.privateLink(ctx, path, w))
		f.wires = append(f.wires, w)
	}
	if a.c.options.OrderEntry == venues.OrderEntryWebSocket {
		f.entry = a.openEntry(ctx)
	}
	for _, w := range f.wires {
		w.link.Start()
	}
	return f
}

// privateLink are the options of a connection that logs in. ctx ends what waits
// for the venue.
func (a *Account) privateLink(ctx context.Context, path string, h wsclient.Handler) wsclient.Options {
	o := a.c.linkOptions(path, h)
	o.URL = func(ctx context.Context) (string, error) {
		a.c.measureClock(ctx) // a login bears the time
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
	for _, w := range f.wires {
		w.link.Close()
	}
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
	EventType string          `json:"eventType"`
	CurPage   int             `json:"curPage"`
	LastPage  *bool           `json:"lastPage"`
	Data      json.RawMessage `json:"data"`
}

// login authenticates a connection. A refusal for its time has the clock measured
// again for the next one.
func (a *Account) login(ctx context.Context, s *wsclient.Session) error {
	asked := time.Now()
	text, err := json.Marshal(newLogin(a.credentials, a.c.clock.Now()))
	if err != nil {
		return err
	}
	if err := s.Write(text); err != nil {
		return err
	}
	for {
		answer, err := s.Read()
		if err != nil {
			return err
		}
		var m privateMessage
		if err := json.Unmarshal(answer, &m); err != nil {
			return fmt.Errorf("answer to the login: %w", err)
		}
		switch {
		case m.Event == "login" && m.Code == "0":
			return nil
		case m.Event == "error", m.Event == "login":
			if m.Code == "60004" || m.Code == "60006" {
				err = a.c.clock.Resync(ctx, asked, a.c.serverTime)
			}
			return errors.Join(fmt.Errorf("%w: %s %s", errLogin, payload.Bounded(m.Code), payload.Bounded(m.Msg)), err)
		}
	}
}

// Opened subscribes the wire's channels.
func (w *wire) Opened(c *wsclient.Conn) {
	w.feed.deliver.Lock()
	defer w.feed.deliver.Unlock()
	w.waiting, w.askedAt = make(map[string]bool), time.Now()
	for _, t := range privateTopics[w.path] {
		w.waiting[t.Channel] = true
	}
	c.Send(controlMessage("1", "subscribe", privateTopics[w.path]))
}

// Lost tells the sink.
func (w *wire) Lost(cause error) {
	f := w.feed
	f.deliver.Lock()
	defer f.deliver.Unlock()
	w.serving, w.waiting = false, nil
	if f.connected {
		f.connected = false
		f.sink.Lost(cause)
	}
}

// confirmed notes an answer to a subscription; deliver is held.
func (w *wire) confirmed(channel string) {
	delete(w.waiting, channel)
	if len(w.waiting) > 0 {
		return
	}
	w.serving = true
	f := w.feed
	for _, one := range f.wires {
		if !one.serving {
			return
		}
	}
	if !f.connected {
		f.connected = true
		f.sink.Connected()
	}
}

// Message decodes one message. One that cannot be understood but might concern
// orders or positions counts as a loss: the account reads its state anew.
func (w *wire) Message(_ *wsclient.Conn, message []byte) {
	if string(message) == "pong" {
		return
	}
	f := w.feed
	f.deliver.Lock()
	defer f.deliver.Unlock()
	var m privateMessage
	err := json.Unmarshal(message, &m)
	if err == nil && m.Event != "" {
		w.notice(m)
		return
	}
	if err == nil {
		err = f.push(m)
	}
	if err == nil {
		return
	}
	f.log.Error("private stream: undecodable event", zap.String("channel", payload.Bounded(m.Arg.Channel)), zap.Error(err))
	if f.connected {
		f.sink.Lost(fmt.Errorf("event of %s: %w", payload.Bounded(m.Arg.Channel), err))
		f.sink.Connected()
	}
}

// notice handles what the venue says about the stream itself; deliver is held.
func (w *wire) notice(m privateMessage) {
	switch m.Event {
	case "subscribe":
		w.confirmed(m.Arg.Channel)
	case "notice":
		w.link.Renew()
	case "error", "channel-conn-count-error":
		w.link.Reconnect(fmt.Errorf("private stream: %s %s %s", m.Event, payload.Bounded(m.Code), payload.Bounded(m.Msg)))
	}
}

// Tick notices a subscription without an answer and a stream that is mute.
func (w *wire) Tick(now time.Time) {
	w.feed.deliver.Lock()
	overdue := len(w.waiting) > 0 && now.Sub(w.askedAt) > ackTimeout
	serving := w.serving
	w.feed.deliver.Unlock()
	switch {
	case overdue:
		w.link.Reconnect(errNoAck)
	case serving:
		w.feed.checkMute(now)
	}
}

// checkMute holds the last acknowledged order against the last event.
func (f *privateFeed) checkMute(now time.Time) {
	acknowledged := f.account.acknowledged.Load()
	if acknowledged == 0 || f.heardAt.Load() >= acknowledged {
		return
	}
	if now.UnixNano()-acknowledged <= int64(f.account.c.options.EventSilenceMax) {
		return
	}
	if f.account.acknowledged.CompareAndSwap(acknowledged, 0) {
		for _, w := range f.wires {
			w.link.Reconnect(errPrivateMute)
		}
	}
}
