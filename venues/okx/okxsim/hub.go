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

// subscription is a channel of a client.
type subscription struct {
	client *client
	arg    channelArg
	// pace is the interval of periodic messages, zero for none.
	pace time.Duration
	// snapshotSent reports whether the first snapshot was sent.
	snapshotSent bool
}

// subsMax bounds the subscriptions of a client.
const subsMax = 1000

// hub publishes events to the subscriptions of all clients. The exchange calls
// receive under its own lock, so the hub must not call the exchange while it holds
// its lock.
type hub struct {
	sim *Sim

	mu      sync.Mutex
	clients map[*client]bool
	// topics are the listeners of public channels by channel and instrument, of
	// private ones by channel and account.
	topics simnet.Topics[*subscription]
	feeds  map[string]*bookFeed
	traded map[string]bool
	// marked are the instruments whose mark or index price moved.
	marked map[string]bool
	// underMaintenance is the state that the status channel last published.
	underMaintenance bool
	changed          map[string]*accountChanges
	paces            simnet.Schedule
	connSeq          uint64
}

func newHub(s *Sim) *hub {
	return &hub{
		sim: s, clients: map[*client]bool{}, topics: simnet.Topics[*subscription]{}, feeds: map[string]*bookFeed{},
		traded: map[string]bool{}, marked: map[string]bool{}, changed: map[string]*accountChanges{},
	}
}

func (h *hub) add(cl *client) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.connSeq++
	cl.connID = strconv.FormatUint(0xa4d30000+h.connSeq, 16)
	cl.openedAt = h.sim.Clock.Base()
	cl.lastSentAt = cl.openedAt
	h.clients[cl] = true
}

func (h *hub) remove(cl *client) {
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

// traderOf returns the present account of a client.
func (h *hub) traderOf(cl *client) (simcore.AccountInfo, bool) {
	h.mu.Lock()
	key := cl.account.Credentials.APIKey
	h.mu.Unlock()
	if key == "" {
		return simcore.AccountInfo{}, false
	}
	return h.sim.Exchange().AccountByKey(key)
}

// closeAfterFlush closes a client with the next flush, after its queued messages.
func (h *hub) closeAfterFlush(cl *client, code int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	cl.closeCode = code
}

// key returns the argument without what does not distinguish subscriptions.
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

// subscribe confirms a channel and adds it to the subscriptions of a client, unless
// the client or the channel has too many. No event falls between the two, so a client
// that has read the confirmation misses nothing.
func (h *hub) subscribe(cl *client, arg channelArg, confirmation []byte) {
	var view simcore.BookView
	if isBook(arg.Channel) {
		view, _ = h.sim.Exchange().Book(arg.InstID, booksDepthMax)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sendLocked(cl, topicCommand, confirmation)
	if old, ok := cl.subs[arg.key()]; ok {
		h.drop(old)
	}
	topic := topicOf(&arg, cl.account.ID)
	switch {
	case len(cl.subs) >= h.sim.limiter.limits.ChannelsPerConn:
		cl.closeCode = closeTooManyChannels
		return
	case !h.clients[cl] || !h.admitConn(cl, arg.Channel, topic):
		return
	}
	sub := &subscription{client: cl, arg: arg, pace: arg.pace()}
	cl.subs[arg.key()] = sub
	h.topics.Add(topic, sub)
	switch {
	case isBook(arg.Channel):
		h.sendBookSnapshot(sub, view)
	case strings.Contains(topic, "@"):
		// The next flush sends the snapshot.
		h.changesOf(cl.account.ID)
	case isReference(arg.Channel):
		h.paces.MakeDue(paceMark)
	case arg.Channel == channelMark, arg.Channel == channelTickers, strings.HasPrefix(arg.Channel, candlePrefix):
		h.traded[arg.InstID] = true
		h.paces.MakeDue(paceMark)
	}
}

// unsubscribe ends a subscription. None of its messages follows the confirmation.
func (h *hub) unsubscribe(cl *client, arg channelArg, confirmation []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if sub, ok := cl.subs[arg.key()]; ok {
		h.drop(sub)
	}
	h.sendLocked(cl, topicCommand, confirmation)
}

// drop removes a subscription. The lock is held.
func (h *hub) drop(sub *subscription) {
	delete(sub.client.subs, sub.arg.key())
	last := h.topics.Remove(topicOf(&sub.arg, sub.client.account.ID), sub)
	if last && isBook(sub.arg.Channel) && !h.bookWanted(sub.arg.InstID) {
		delete(h.feeds, sub.arg.InstID)
	}
}

// send sends a message to a client.
func (h *hub) send(cl *client, topic string, data []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sendLocked(cl, topic, data)
}

// markSent records that a client gets a message that bypasses the hub.
func (h *hub) markSent(cl *client) {
	h.mu.Lock()
	defer h.mu.Unlock()
	cl.lastSentAt = h.sim.Clock.Base()
}

func (h *hub) sendJSON(cl *client, topic string, body any) {
	h.send(cl, topic, simnet.Encode(body))
}

func (h *hub) sendLocked(cl *client, topic string, data []byte) {
	cl.lastSentAt = h.sim.Clock.Base()
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

// faultTopic returns the topic for faults: the channel and the instrument, if any.
func faultTopic(arg *channelArg) string {
	if arg.InstID == "" {
		return arg.Channel
	}
	return arg.Channel + ":" + arg.InstID
}

// publish sends public data to the subscriptions of a channel. The lock is held.
func (h *hub) publish(channel, symbol, action string, data any) {
	arg := channelArg{Channel: channel, InstID: symbol}
	topic := topicOf(&arg, "")
	if !h.topics.Has(topic) {
		return
	}
	raw := simnet.Encode(pushBody{Arg: arg, Action: action, Data: data})
	for sub := range h.topics[topic] {
		h.sendLocked(sub.client, faultTopic(&arg), raw)
	}
}

// sendPrivate sends private data to one subscription, under its own argument. The
// lock is held.
func (h *hub) sendPrivate(sub *subscription, push pushBody) {
	push.Arg = sub.arg
	push.Arg.ExtraParams = ""
	push.Arg.UID = uidOf(sub.client.account.ID)
	h.sendLocked(sub.client, sub.arg.Channel, simnet.Encode(push))
}

// receive converts an event of the exchange into messages.
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
		h.marginCalled(event.Time, &body)
	}
}

// Intervals of periodic messages.
const (
	paceBook    = 100 * time.Millisecond
	paceTicker  = 500 * time.Millisecond
	paceRegular = 5 * time.Second
	paceMark    = 10 * time.Second
)

// flush sends what is due at a time of the base clock.
func (h *hub) flush(base time.Time) {
	h.closeSilent(base)
	h.closeUpgraded(base)
	h.flushAccounts(base)
	if h.sim.options.Pace.IsEager() || h.due(paceBook, base) {
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

// due reports whether an interval has passed, and starts the next one.
func (h *hub) due(pace time.Duration, base time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.paces.Due(pace, base)
}

// closeSilent closes clients without outgoing messages for too long, and those that
// closeAfterFlush has marked.
func (h *hub) closeSilent(base time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for cl := range h.clients {
		switch limit := h.sim.options.SilenceMax; {
		case cl.closeCode != 0:
			cl.session.CloseAfterQueue(cl.closeCode, closeReasons[cl.closeCode])
		case limit > 0 && base.Sub(cl.lastSentAt) > limit:
			cl.session.Close(closeSilence, closeReasons[closeSilence])
		}
	}
}

// closeUpgraded sends a notice to connections past their lifetime and closes them a
// minute later.
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
			h.sendLocked(cl, topicCommand, simnet.Encode(eventBody{Event: "notice", Code: "64008", Msg: &text, ConnID: cl.connID}))
		case base.Sub(cl.noticedAt) >= upgradeNotice:
			cl.session.Close(closeGoingAway, "service upgrade")
		}
	}
}

// wanted returns the subscribed channels with a prefix and their instruments, sorted.
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
