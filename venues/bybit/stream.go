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
	// streamsPerConnMax is how many streams one connection carries. The venue allows
	// more; a connection that breaks should not take too much with it.
	streamsPerConnMax = 200
	// topicsPerMessageMax keeps control messages small.
	topicsPerMessageMax = 50
	// refusedRetryMax is when a stream that the venue does not know is asked for
	// again: a new listing begins to speak some day.
	refusedRetryMax = time.Minute
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

// Group is the same for all.
func (streams) Group(venues.FeedChannel) feed.Group {
	return feed.Group{Path: streamPath, ChannelsMax: streamsPerConnMax}
}

// Link has nothing of its own.
func (c streams) Link(g feed.Group) wsclient.Options {
	return c.linkOptions(func(context.Context) (string, error) { return c.options.StreamURL + g.Path, nil }, "public")
}

// Topic is the venue's word too.
func (c streams) Topic(channel venues.FeedChannel) string {
	return topicName(channel, c.venueSymbol(channel.Symbol))
}

// Request is a control message.
func (streams) Request(verb feed.Verb, id uint64, topics []string) []byte {
	return controlMessage(strconv.FormatUint(id, 10), verb.Word("subscribe", "unsubscribe"), topics)
}

// controlMessage is a message of ours on any stream connection.
func controlMessage[T any](id, op string, args []T) []byte {
	text, err := json.Marshal(struct {
		ID   string `json:"req_id"`
		Op   string `json:"op"`
		Args []T    `json:"args"`
	}{id, op, args})
	if err != nil {
		panic("bybit: control message: " + err.Error()) // texts and numbers
	}
	return text
}

// Split finds the topic; the decoders want the message whole.
func (streams) Split(message []byte) (topic, data []byte, ok bool) {
	topic, ok = topicOf(message)
	return topic, message, ok
}

var errNoID = errors.New("answer names no message")

// Answer reads a confirmation, a refusal or a pong. One bad topic fails a message as
// a whole. The venue may answer in plain text.
func (streams) Answer(message []byte) (a feed.Answer, err error) {
	var parser fastjson.Parser
	o, err := payload.Parse(&parser, message)
	if err != nil || o.OptionalText("op") != "subscribe" {
		return a, err
	}
	if a.ID, err = strconv.ParseUint(o.OptionalText("req_id"), 10, 64); err != nil {
		return a, errNoID // not one of ours; what is missing a confirmation is noticed
	}
	a.Text = payload.Bounded(o.OptionalText("ret_msg"))
	switch {
	case o.Flag("success"):
		a.Verdict = feed.Confirmed
	case strings.Contains(o.OptionalText("ret_msg"), "already subscribed"):
		a.Verdict = feed.Repeated
	default:
		a.Verdict = feed.Refused
	}
	return a, nil
}

// Trading says whether an instrument is known to trade.
func (c streams) Trading(symbol string) bool {
	i, ok := c.catalogue.Load().Find(symbol)
	return ok && i.Status == venues.InstrumentTrading
}
