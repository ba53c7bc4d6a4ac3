package bybit

import (
	"context"
	"encoding/json"
	"errors"
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
	// streamsPerConnMax is the number of topics of one connection. The venue allows more,
	// but a broken connection should not affect too many.
	streamsPerConnMax = 200
	// topicsPerMessageMax keeps control messages small.
	topicsPerMessageMax = 50
	// rejectedRetryMax is the interval at which an unknown topic is requested again: it
	// may be a new listing that starts later.
	rejectedRetryMax = time.Minute
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

// Group returns the same group for all topics.
func (streams) Group(venues.FeedTopic) feed.Group {
	return feed.Group{Path: streamPath, TopicsMax: streamsPerConnMax}
}

// Link returns the options of a connection for a group.
func (c streams) Link(g feed.Group) wsclient.Options {
	return c.linkOptions(func(context.Context) (string, error) { return c.options.StreamURL + g.Path, nil }, "public")
}

// TopicName returns the venue's topic.
func (c streams) TopicName(topic venues.FeedTopic) string {
	return topicName(topic, c.venueSymbol(topic.Symbol))
}

// Request returns a control message.
func (streams) Request(verb feed.Verb, id uint64, topics []string) []byte {
	return controlMessage(strconv.FormatUint(id, 10), verb.Pick("subscribe", "unsubscribe"), topics)
}

// controlMessage returns a message for any stream connection.
func controlMessage[T any](id, op string, args []T) []byte {
	text, err := json.Marshal(struct {
		ID   string `json:"req_id"`
		Op   string `json:"op"`
		Args []T    `json:"args"`
	}{id, op, args})
	if err != nil {
		panic("bybit: control message: " + err.Error()) // strings and numbers
	}
	return text
}

// Split finds the topic. The decoders need the whole message.
func (streams) Split(message []byte) (topic, data []byte, ok bool) {
	topic, ok = topicOf(message)
	return topic, message, ok
}

var errNoID = errors.New("answer without a request id")

// Answer reads a confirmation, a rejection or a pong. One bad topic fails the whole
// request. The venue may answer in plain text.
func (streams) Answer(message []byte) (a feed.Answer, err error) {
	var parser fastjson.Parser
	o, err := payload.Parse(&parser, message)
	if err != nil || o.OptionalText("op") != "subscribe" {
		return a, err
	}
	if a.ID, err = strconv.ParseUint(o.OptionalText("req_id"), 10, 64); err != nil {
		return a, errNoID // not an answer to a request of the feed; a missing confirmation is noticed
	}
	a.Text = payload.Bounded(o.OptionalText("ret_msg"))
	switch {
	case o.Flag("success"):
		a.Kind = feed.Confirmed
	case strings.Contains(o.OptionalText("ret_msg"), "already subscribed"):
		a.Kind = feed.AlreadySubscribed
	default:
		a.Kind = feed.Rejected
	}
	return a, nil
}

// Trading reports whether an instrument is known to be trading.
func (c streams) Trading(symbol string) bool { return c.instruments.Trading(symbol) }
