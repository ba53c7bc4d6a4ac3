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
	// Streams per connection: the venue asks for less than thirty deep books on one;
	// of the lighter streams a connection that breaks should not take too many.
	booksPerConnMax   = 25
	streamsPerConnMax = 200
	// topicsPerMessageMax keeps control messages far below the venue's 64 KiB.
	topicsPerMessageMax = 100
	// refusedRetryMax keeps questions about what is not listed far below the 480 an
	// hour that a connection may ask.
	refusedRetryMax = 32 * time.Minute
)

// OpenFeed starts a public feed; connections are made as channels need them.
func (c *Connector) OpenFeed(sink venues.FeedSink) venues.Feed { return feed.Open(c.feedOptions(sink)) }

func (c *Connector) feedOptions(sink venues.FeedSink) feed.Options {
	return feed.Options{
		Protocol: streams{c}, Sink: sink,
		TopicsPerRequestMax: topicsPerMessageMax, StreamSnapshots: true, RefusedRetryMax: refusedRetryMax,
		BookSilenceMax: c.options.BookSilenceMax, MarkSilenceMax: c.options.MarkSilenceMax,
		Log: c.options.Log,
	}
}

// streams is the protocol of the venue's public streams.
type streams struct{ *Connector }

// Group is a path of the venue, and books apart from what is lighter.
func (streams) Group(channel venues.FeedChannel) feed.Group {
	g := feed.Group{Path: pathOf(channel.Kind), ChannelsMax: streamsPerConnMax}
	if channel.Kind == venues.FeedBook {
		g.ChannelsMax = booksPerConnMax
	}
	return g
}

// Link has nothing of its own.
func (c streams) Link(g feed.Group) wsclient.Options { return c.linkOptions(g.Path) }

// Topic is the JSON text of the subscription's argument.
func (c streams) Topic(channel venues.FeedChannel) string { return c.topicOf(channel).text() }

// topicOf is the venue's name of a channel: by the catalogue, or by rule where
// that has not been read.
func (c *Connector) topicOf(channel venues.FeedChannel) topic {
	name := topic{Channel: channelName(channel)}
	if k := c.catalogue.Load().find(channel.Symbol); k != nil {
		name.InstID = k.VenueSymbol
		return name
	}
	pair, expiry, dated := strings.Cut(channel.Symbol, "-")
	if !dated {
		expiry = instTypeSwap
	}
	for _, settle := range []string{"USDT", "USDC"} {
		if base, ok := strings.CutSuffix(pair, settle); ok {
			pair = base + "-" + settle
			break
		}
	}
	name.InstID = pair + "-" + expiry
	return name
}

// Request is a control message.
func (streams) Request(verb feed.Verb, id uint64, topics []string) []byte {
	args := make([]json.RawMessage, len(topics))
	for n, text := range topics {
		args[n] = json.RawMessage(text)
	}
	return controlMessage(strconv.FormatUint(id, 10), verb.Word("subscribe", "unsubscribe"), args)
}

// controlMessage is a message of ours on any stream connection.
func controlMessage[T any](id, op string, args []T) []byte {
	text, err := json.Marshal(struct {
		ID   string `json:"id"`
		Op   string `json:"op"`
		Args []T    `json:"args"`
	}{id, op, args})
	if err != nil {
		panic("okx: control message: " + err.Error()) // strings alone
	}
	return text
}

// Split finds the argument of a push; the decoders want the message whole.
func (streams) Split(message []byte) (arg, data []byte, ok bool) {
	if arg, ok = splitPush(message); !ok {
		arg, ok = parsePush(message)
	}
	return arg, message, ok
}

// Answer reads a confirmation, which is of one topic, an error, which names none, a
// notice of an end or a pong.
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
			named := payload.Of(arg)
			a.Verdict = feed.Confirmed
			a.Topic = topic{Channel: named.OptionalText("channel"), InstID: named.OptionalText("instId")}.text()
		}
	case "notice":
		a.Verdict = feed.Ending
	case "error":
		a.Verdict, a.Text = feed.Refused, payload.Bounded(string(message))
	}
	return a, nil
}

// Trading says whether an instrument is known to trade.
func (c streams) Trading(symbol string) bool {
	k := c.catalogue.Load().find(symbol)
	return k != nil && k.Status == venues.InstrumentTrading
}
