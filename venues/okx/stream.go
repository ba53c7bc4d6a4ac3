package okx

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/valyala/fastjson"

	"venuegate/venues"
	"venuegate/venues/internal/feed"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/wsclient"
)

const (
	// Topics per connection. The venue recommends fewer than 30 deep books on one. The
	// other limit is our own: it bounds how many topics a lost connection interrupts.
	booksPerConnMax   = 25
	streamsPerConnMax = 200
	// topicsPerMessageMax keeps control messages far below the venue's limit of 64 KiB.
	topicsPerMessageMax = 100
	// rejectedRetryMax is the longest wait before a rejected topic is requested again.
	// It keeps the requests far below the 480 an hour that a connection may send.
	rejectedRetryMax = 32 * time.Minute
)

// OpenFeed starts a public feed. Connections are made as topics require them.
func (c *Connector) OpenFeed(sink venues.FeedSink) venues.Feed { return feed.Open(c.feedOptions(sink)) }

func (c *Connector) feedOptions(sink venues.FeedSink) feed.Options {
	o := c.FeedOptions(streams{c}, sink)
	o.TopicsPerRequestMax, o.StreamSnapshots, o.RejectedRetryMax = topicsPerMessageMax, true, rejectedRetryMax
	return o
}

// streams implements feed.Protocol for the venue's public streams.
type streams struct{ *Connector }

// Group separates the topics by path, and books from the others.
func (streams) Group(topic venues.FeedTopic) feed.Group {
	g := feed.Group{Path: pathOf(topic.Kind), TopicsMax: streamsPerConnMax}
	if topic.Kind == venues.FeedBook {
		g.TopicsMax = booksPerConnMax
	}
	return g
}

// Link returns the options of a connection for a group.
func (c streams) Link(g feed.Group) wsclient.Options { return c.linkOptions(g.Path) }

// TopicName returns the JSON text of the subscription's argument.
func (c streams) TopicName(topic venues.FeedTopic) string { return c.topicOf(topic).text() }

// topicOf returns the argument for a topic, with the venue symbol of the list or, before
// it was read, derived by rule.
func (c *Connector) topicOf(topic venues.FeedTopic) topicArg {
	name := topicArg{Channel: channelName(topic)}
	if k := c.instruments.Load().find(topic.Symbol); k != nil {
		name.InstID = k.VenueSymbol
		return name
	}
	pair, expiry, dated := strings.Cut(topic.Symbol, "-")
	if !dated {
		expiry = instTypeSwap
	}
	for _, settle := range venues.SettleCurrencies() {
		if base, ok := strings.CutSuffix(pair, settle); ok {
			pair = base + "-" + settle
			break
		}
	}
	name.InstID = pair + "-" + expiry
	return name
}

// Request returns a control message.
func (streams) Request(verb feed.Verb, id uint64, topics []string) []byte {
	args := make([]json.RawMessage, len(topics))
	for n, text := range topics {
		args[n] = json.RawMessage(text)
	}
	return controlMessage(strconv.FormatUint(id, 10), verb.Pick("subscribe", "unsubscribe"), args)
}

// controlMessage returns a message for any stream connection.
func controlMessage[T any](id, op string, args []T) []byte {
	text, err := json.Marshal(struct {
		ID   string `json:"id"`
		Op   string `json:"op"`
		Args []T    `json:"args"`
	}{id, op, args})
	if err != nil {
		panic("okx: control message: " + err.Error()) // strings only
	}
	return text
}

// Split returns the argument of a push, which names its topic, and the complete message,
// which the decoders require.
func (streams) Split(message []byte) (arg, data []byte, ok bool) {
	if arg, ok = scanArg(message); !ok {
		arg, ok = parseArg(message)
	}
	return arg, message, ok
}

// Answer reads a message that is not a push: the confirmation of one topic, an error, which
// names no topic, the notice that the connection will be closed, or a pong.
func (streams) Answer(message []byte) (a feed.Answer, err error) {
	if string(message) == "pong" {
		return a, nil
	}
	var parser fastjson.Parser
	o, err := payload.Parse(&parser, message)
	if err != nil {
		return a, err
	}
	a.ID, _ = strconv.ParseUint(o.OptionalText("id"), 10, 64)
	switch o.OptionalText("event") {
	case "subscribe":
		if arg := o.Value().Get("arg"); arg != nil {
			named := payload.ObjectOf(arg)
			a.Kind = feed.Confirmed
			a.Topic = topicArg{Channel: named.OptionalText("channel"), InstID: named.OptionalText("instId")}.text()
		}
	case "notice":
		a.Kind = feed.Ending
	case "error":
		a.Kind, a.Text = feed.Rejected, payload.Bounded(string(message))
	}
	return a, nil
}

// Trading reports whether an instrument is known to be trading.
func (c streams) Trading(symbol string) bool {
	k := c.instruments.Load().find(symbol)
	return k != nil && k.Status == venues.InstrumentTrading
}
