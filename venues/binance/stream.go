package binance

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/valyala/fastjson"

	"venuegate/venues"
	"venuegate/venues/internal/feed"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/wsclient"
)

const (
	// streamsPerConnMax is the number of topics of one connection. The venue allows more
	// since 2025, but a broken connection should not affect too many.
	streamsPerConnMax = 200
	// namesPerMessageMax keeps control messages small.
	namesPerMessageMax = 100
)

// OpenFeed starts a public feed. Connections are made as topics require them.
func (c *Connector) OpenFeed(sink venues.FeedSink) venues.Feed { return feed.Open(c.feedOptions(sink)) }

func (c *Connector) feedOptions(sink venues.FeedSink) feed.Options {
	o := c.FeedOptions(streams{c}, sink)
	o.TopicsPerRequestMax, o.RejectedRetryMax = namesPerMessageMax, time.Minute
	return o
}

// streams implements feed.Protocol for the venue's public streams.
type streams struct{ *Connector }

// Group separates the topics by the category of the venue, which is a path.
func (streams) Group(topic venues.FeedTopic) feed.Group {
	return feed.Group{Path: category(topic.Kind), TopicsMax: streamsPerConnMax}
}

// Link returns the options of a connection for a group.
func (c streams) Link(g feed.Group) wsclient.Options {
	url := func(context.Context) (string, error) { return c.options.StreamURL + g.Path + "/stream", nil }
	return c.linkOptions(url, g.Path)
}

// TopicName returns the name of the stream.
func (c streams) TopicName(topic venues.FeedTopic) string {
	return streamName(topic, c.venueSymbol(topic.Symbol))
}

// Request returns a control message.
func (streams) Request(verb feed.Verb, id uint64, names []string) []byte {
	text, err := json.Marshal(struct {
		Method string   `json:"method"`
		Params []string `json:"params"`
		ID     uint64   `json:"id"`
	}{verb.Pick("SUBSCRIBE", "UNSUBSCRIBE"), names, id})
	if err != nil {
		panic("binance: control message: " + err.Error()) // strings and a number
	}
	return text
}

// Parts of a message in the combined form.
var (
	combinedHead = []byte(`{"stream":"`)
	combinedBody = []byte(`","data":`)
	// combinedTail ends a message without further members, whose data is an object.
	combinedTail = []byte(`}}`)
)

// Split splits a message in the combined form into stream name and data.
func (streams) Split(message []byte) (name, data []byte, ok bool) {
	rest, ok := bytes.CutPrefix(message, combinedHead)
	if name, data, cut := bytes.Cut(rest, combinedBody); ok && cut && bytes.HasSuffix(data, combinedTail) {
		return name, data[:len(data)-1], true
	}
	return parseCombined(message)
}

// parseCombined is Split for members in another order, or with further members.
func parseCombined(message []byte) (name, data []byte, ok bool) {
	if !bytes.Contains(message, combinedHead[1:]) {
		return nil, nil, false
	}
	v, err := fastjson.ParseBytes(message)
	if err != nil || !v.Exists("data") {
		return nil, nil, false
	}
	return v.GetStringBytes("stream"), v.Get("data").MarshalTo(nil), true
}

// Answer reads a confirmation, an error, which names no stream, or a notice.
func (streams) Answer(message []byte) (a feed.Answer, err error) {
	var parser fastjson.Parser
	o, err := payload.Parse(&parser, message)
	if err != nil {
		return a, err
	}
	switch {
	case o.Has("event"):
		if o.Object("event").OptionalText("e") == "serverShutdown" {
			a.Kind = feed.Ending
		}
	case o.Has("error"), o.Has("code"):
		a.Kind, a.Text = feed.Failed, payload.Bounded(string(message))
	case o.Has("id"):
		a.Kind, a.ID = feed.Confirmed, o.Sequence("id")
	}
	return a, nil
}

// Trading reports whether an instrument is known to be trading.
func (c streams) Trading(symbol string) bool { return c.instruments.Trading(symbol) }
