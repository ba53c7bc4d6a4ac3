package okxsim

import (
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
)

// subscription is one channel of one client.
type subscription struct {
	client *client
	arg    channelArg
	// pace is how often it is told by the clock; zero for never.
	pace time.Duration
	// greeted subscriptions had their first snapshot.
	greeted bool
}

// subsMax bounds the channels of a client.
const subsMax = 1000

// hub knows who listens to what, and sends it. The exchange calls receive under
// its own lock, so the hub asks the exchange nothing while it holds its own.
type hub struct {
	sim *Sim

	mu      sync.Mutex
	clients map[*client]bool
	// topics are the listeners of public channels by channel and instrument, of
	// private ones by channel and account.
	topics simnet.Listeners[*subscription]
	feeds  map[string]*bookFeed
	traded map[string]bool
	// marked are the instruments whose mark or index price moved, away whether the
	// venue was last told to be under maintenance.
	marked  map[string]bool
	away    bool
	changed map[string]*accountChanges
	paces   simnet.Paces
	connSeq uint64
}

func newHub(s *Sim) *hub {
	return &hub{
		sim: s, clients: map[*client]bool{}, topics: simnet.Listeners[*subscription]{}, feeds: map[string]*bookFeed{},
		traded: map[string]bool{}, marked: map[string]bool{}, changed: map[string]*accountChanges{},
	}
}

func (h *hub) enter(cl *client) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.connSeq++
	cl.connID = strconv.FormatUint(0xa4d30000+h.connSeq, 16)
	cl.openedAt = h.sim.Clock.Base()
	cl.toldAt = cl.openedAt
	h.clients[cl] = true
}

func (h *hub) leave(cl *client) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.clients, cl)
	for _, sub := range cl.subs {
		h.drop(sub)
	}
}

func (h *hub) identify(cl *client, account simcore.AccountInfo) {
	h.mu.Lock()
	defer h.mu.Unlock()
	cl.account = account
}

func (h *hub) accountOf(cl *client) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return cl.account.ID
}

// traderOf is the account of a client as it is now.
func (h *hub) traderOf(cl *client) (simcore.AccountInfo, bool) {
	h.mu.Lock()
	key := cl.account.Credentials.APIKey
	h.mu.Unlock()
	if key == "" {
		return simcore.AccountInfo{}, false
	}
	return h.sim.Exchange().AccountByKey(key)
}

// doom closes a client with the next flush: what is queued is sent before.
func (h *hub) doom(cl *client, code int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	cl.doomed = code
}

// key is what makes two subscriptions the same.
func (a channelArg) key() channelArg {
	a.ExtraParams = ""
	return a
}

func topicOf(arg *channelArg, account string) string {
	if _, private := socketOf(arg.Channel); private {
		return arg.Channel + "@" + account
	}
	return arg.Channel + ":" + arg.InstID
}

// subscribe confirms a channel and adds it to those of a client, unless it has too
// many, or too many connections listen to it. Nothing happens between the two: whoever
// has read the confirmation misses nothing.
func (h *hub) subscribe(cl *client, arg channelArg, confirmation []byte) {
	var view simcore.BookView
	if isBook(arg.Channel) {
		view, _ = h.sim.Exchange().Book(arg.InstID, booksDepthMax)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.send(cl, topicCommand, confirmation)
	if old, ok := cl.subs[arg.key()]; ok {
		h.drop(old)
	}
	topic := topicOf(&arg, cl.account.ID)
	switch {
	case len(cl.subs) >= h.sim.limiter.limits.ChannelsPerConn:
		cl.doomed = closeTooManyChannels
		return
	case !h.clients[cl] || !h.admitConn(cl, arg.Channel, topic):
		return
	}
	sub := &subscription{client: cl, arg: arg, pace: arg.pace()}
	cl.subs[arg.key()] = sub
	h.topics.Add(topic, sub)
	switch {
	case isBook(arg.Channel):
		h.greetBook(sub, view)
	case strings.Contains(topic, "@"):
		// The next flush greets whoever was not greeted.
		h.changesOf(cl.account.ID)
	case isReference(arg.Channel):
		h.paces.Hasten(paceMark)
	case arg.Channel == channelMark, arg.Channel == channelTickers, strings.HasPrefix(arg.Channel, candlePrefix):
		h.traded[arg.InstID] = true
		h.paces.Hasten(paceMark)
	}
}

// unsubscribe is the end of a channel: nothing of it follows the confirmation.
func (h *hub) unsubscribe(cl *client, arg channelArg, confirmation []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if sub, ok := cl.subs[arg.key()]; ok {
		h.drop(sub)
	}
	h.send(cl, topicCommand, confirmation)
}

// drop forgets a subscription. The lock is held.
func (h *hub) drop(sub *subscription) {
	delete(sub.client.subs, sub.arg.key())
	last := h.topics.Remove(topicOf(&sub.arg, sub.client.account.ID), sub)
	if last && isBook(sub.arg.Channel) && !h.bookWanted(sub.arg.InstID) {
		delete(h.feeds, sub.arg.InstID)
	}
}

// tell sends a message to one client.
func (h *hub) tell(cl *client, topic string, data []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.send(cl, topic, data)
}

// told notes that a client is told something by other ways.
func (h *hub) told(cl *client) {
	h.mu.Lock()
	defer h.mu.Unlock()
	cl.toldAt = h.sim.Clock.Base()
}

func (h *hub) tellJSON(cl *client, topic string, body any) {
	h.tell(cl, topic, simnet.Encode(body))
}

func (h *hub) send(cl *client, topic string, data []byte) {
	cl.toldAt = h.sim.Clock.Base()
	cl.session.Send(topic, data)
}

// pushBody is a message of a channel.
type pushBody struct {
	Arg       channelArg `json:"arg"`
	Action    string     `json:"action,omitempty"`
	EventType string     `json:"eventType,omitempty"`
	CurPage   int        `json:"curPage,omitempty"`
	LastPage  *bool      `json:"lastPage,omitempty"`
	Data      any        `json:"data"`
}

// faultTopic is what faults match: the channel and the instrument, if any.
func faultTopic(arg *channelArg) string {
	if arg.InstID == "" {
		return arg.Channel
	}
	return arg.Channel + ":" + arg.InstID
}

// publish sends public data to all that listen. The lock is held.
func (h *hub) publish(channel, symbol, action string, data any) {
	arg := channelArg{Channel: channel, InstID: symbol}
	topic := topicOf(&arg, "")
	if len(h.topics[topic]) == 0 {
		return
	}
	raw := simnet.Encode(pushBody{Arg: arg, Action: action, Data: data})
	for sub := range h.topics[topic] {
		h.send(sub.client, faultTopic(&arg), raw)
	}
}

// whisper sends private data to one subscription, under its own argument. The
// lock is held.
func (h *hub) whisper(sub *subscription, push pushBody) {
	push.Arg = sub.arg
	push.Arg.ExtraParams = ""
	push.Arg.UID = uidOf(sub.client.account.ID)
	h.send(sub.client, sub.arg.Channel, simnet.Encode(push))
}

// receive turns an event of the exchange into messages.
func (h *hub) receive(event simcore.Event) {
	switch body := event.Body.(type) {
	case simcore.BookEvent:
		h.bookChanged(&body)
	case simcore.TradeEvent:
		h.tradeHappened(&body)
	case simcore.MarkEvent:
		h.markChanged(event.Time, &body)
	case simcore.CandleEvent:
		h.candleClosed(&body)
	case simcore.StatusEvent:
		h.statusChanged(&body)
	case simcore.OrderEvent:
		h.orderChanged(event.Time, &body)
	case simcore.AccountEvent:
		h.accountChanged(event.Time, &body)
	case simcore.ConfigEvent:
		h.configChanged(&body)
	case simcore.MarginCallEvent:
		h.warned(event.Time, &body)
	}
}

// Paces of what is sent by the clock.
const (
	paceBook    = 100 * time.Millisecond
	paceTicker  = 500 * time.Millisecond
	paceRegular = 5 * time.Second
	paceMark    = 10 * time.Second
)

// flush sends what is due at this moment of the base clock.
func (h *hub) flush(base time.Time) {
	h.closeSilent(base)
	h.closeUpgraded(base)
	h.flushAccounts(base)
	if h.due(paceBook, base) {
		h.flushBooks(base)
	}
	if h.due(paceTicker, base) {
		h.flushMarket()
		h.flushReference(false)
		h.flushStatus(h.sim.Clock.Now())
	}
	if h.due(paceMark, base) {
		h.repeatMarks()
		h.flushReference(true)
	}
}

// due says whether a pace has come round, and begins it anew.
func (h *hub) due(pace time.Duration, base time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.paces.Due(pace, base)
}

// closeSilent closes clients that were told nothing for too long, and those
// that are to go.
func (h *hub) closeSilent(base time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for cl := range h.clients {
		switch limit := h.sim.options.SilenceMax; {
		case cl.doomed != 0:
			cl.session.Close(cl.doomed, closeReasons[cl.doomed])
		case limit > 0 && base.Sub(cl.toldAt) > limit:
			cl.session.Close(closeSilence, closeReasons[closeSilence])
		}
	}
}

// closeUpgraded tells connections that have lived long enough of their end, and
// closes those that were told.
func (h *hub) closeUpgraded(base time.Time) {
	lifetime := h.sim.options.ConnLifetime
	if lifetime == 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for cl := range h.clients {
		switch {
		case cl.socket == socketBusiness || base.Sub(cl.openedAt) < lifetime:
		case cl.noticedAt.IsZero():
			cl.noticedAt = base
			text := "The connection will soon be closed for a service upgrade. Please reconnect."
			h.send(cl, topicCommand, simnet.Encode(eventBody{Event: "notice", Code: "64008", Msg: &text, ConnID: cl.connID}))
		case base.Sub(cl.noticedAt) >= upgradeNotice:
			cl.session.Close(closeGoingAway, "service upgrade")
		}
	}
}

// wanted are the instruments of the channels with a prefix that somebody
// listens to, with their channels, in order.
func (h *hub) wanted(prefix string) []channelArg {
	h.mu.Lock()
	defer h.mu.Unlock()
	var args []channelArg
	for topic := range h.topics {
		if strings.HasPrefix(topic, prefix) {
			channel, symbol, _ := strings.Cut(topic, ":")
			args = append(args, channelArg{Channel: channel, InstID: symbol})
		}
	}
	sort.Slice(args, func(i, j int) bool {
		return args[i].Channel+args[i].InstID < args[j].Channel+args[j].InstID
	})
	return args
}
