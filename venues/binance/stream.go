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
	// streamsPerConnMax is how many streams one connection carries. The venue allows
	// more since 2025; a connection that breaks should not take too much with it.
	streamsPerConnMax = 200
	// namesPerMessageMax keeps control messages small.
	namesPerMessageMax = 100
)

// OpenFeed starts a public feed; connections are made as channels need them.
func (c *Connector) OpenFeed(sink venues.FeedSink) venues.Feed { return feed.Open(c.feedOptions(sink)) }

func (c *Connector) feedOptions(sink venues.FeedSink) feed.Options {
	return feed.Options{
		Protocol: streams{c}, Sink: sink,
		TopicsPerRequestMax: namesPerMessageMax, RefusedRetryMax: time.Minute,
		BookSilenceMax: c.options.BookSilenceMax, MarkSilenceMax: c.options.MarkSilenceMax,
		Log: c.options.Log,
	}
}

// streams is the protocol of the venue's public streams.
type streams struct{ *Connector }

// Group is the category of the venue: the host path that has the stream.
func (streams) Group(channel venues.FeedChannel) feed.Group {
	return feed.Group{Path: category(channel.Kind), ChannelsMax: streamsPerConnMax}
}

// Link has nothing of its own.
func (c streams) Link(g feed.Group) wsclient.Options {
	url := func(context.Context) (string, error) { return c.options.StreamURL + g.Path + "/stream", nil }
	return c.linkOptions(url, g.Path)
}

// Topic is the stream's name.
func (c streams) Topic(channel venues.FeedChannel) string {
	return streamName(channel, c.venueSymbol(channel.Symbol))
}

// Request is a control message.
func (streams) Request(verb feed.Verb, id uint64, names []string) []byte {
	text, err := json.Marshal(struct {
		Method string   `json:"method"`
		Params []string `json:"params"`
		ID     uint64   `json:"id"`
	}{verb.Word("SUBSCRIBE", "UNSUBSCRIBE"), names, id})
	if err != nil {
		panic("binance: control message: " + err.Error()) // strings and a number
	}
	return text
}

// combined is how a message of the combined form begins.
var (
	combinedHead = []byte(`{"stream":"`)
	combinedBody = []byte(`","data":`)
)

// Split cuts a message of the combined form into stream name and data.
func (streams) Split(message []byte) (name, data []byte, ok bool) {
	rest, ok := bytes.CutPrefix(message, combinedHead)
	if name, data, cut := bytes.Cut(rest, combinedBody); ok && cut && len(data) > 0 && data[len(data)-1] == '}' {
		return name, data[:len(data)-1], true
	}
	return parseCombined(message)
}

// parseCombined is Split for members in another order, or beside others.
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
			a.Verdict = feed.Ending
		}
	case o.Has("error"), o.Has("code"):
		a.Verdict, a.Text = feed.Failed, payload.Bounded(string(message))
	case o.Has("id"):
		a.Verdict, a.ID = feed.Confirmed, o.Sequence("id")
	}
	return a, nil
}

// Trading says whether an instrument is known to trade.
func (c streams) Trading(symbol string) bool {
	i, ok := c.catalogue.Load().Find(symbol)
	return ok && i.Status == venues.InstrumentTrading
}
