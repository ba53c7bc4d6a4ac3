package feed

import (
	"errors"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/wsclient"
)

// Protocol is what a venue's public streams have of their own. Its methods are
// called from several goroutines and keep nothing.
type Protocol interface {
	// Group says which connections may carry a channel.
	Group(venues.FeedChannel) Group
	// Link says how a connection of the group is made and watched over. Its
	// Handler is the feed's.
	Link(Group) wsclient.Options
	// Topic is the venue's name of a channel, spelled as Split finds it.
	Topic(venues.FeedChannel) string
	// Request is the message that subscribes or unsubscribes topics.
	Request(verb Verb, id uint64, topics []string) []byte
	// Split finds the topic of a message and the part of it that is decoded; false
	// if it is an Answer. It is called for each message and must not allocate for
	// those of the usual form.
	Split(message []byte) (topic, data []byte, ok bool)
	// Answer reads a message that Split does not know. After an error the connection
	// is given up: nobody knows what was lost.
	Answer(message []byte) (Answer, error)
	// Decoders begins a connection: it makes a decoder for each channel that the
	// connection carries. They are used one at a time and may share what they need.
	Decoders() func(channel venues.FeedChannel, topic string) Decoder
	// Trading says whether an instrument is known to trade, so that silence means
	// something.
	Trading(symbol string) bool
}

// Group is what shares connections.
type Group struct {
	// Path of the venue that has the group's streams.
	Path string
	// ChannelsMax is how many channels one connection carries.
	ChannelsMax int
}

// Verb of a Request.
type Verb bool

// Verbs. Only a Subscribe must be answered.
const (
	Subscribe   Verb = true
	Unsubscribe Verb = false
)

// Word picks the venue's word for the verb.
func (v Verb) Word(subscribe, unsubscribe string) string {
	if v == Subscribe {
		return subscribe
	}
	return unsubscribe
}

// Answer is what a venue says besides data.
type Answer struct {
	Verdict Verdict
	// ID is the request that is answered, 0 if it is not named.
	ID uint64
	// Topic is set where the venue confirms each topic by itself, whatever the ID.
	Topic string
	// Text says why, in the venue's words, bounded.
	Text string
}

// Verdict of an Answer.
type Verdict uint8

// Verdicts.
const (
	// Nothing: a pong, a confirmation that nobody waits for.
	Nothing Verdict = iota
	// Confirmed: the topic, or all those of the request, are subscribed.
	Confirmed
	// Repeated: the request asks for a topic that is subscribed already.
	Repeated
	// Refused: the request asks for a topic that is not to be had.
	Refused
	// Failed: something is wrong with the connection, which is given up.
	Failed
	// Ending: the venue is about to close the connection, which is renewed.
	Ending
)

// Decoder reads the messages of one channel. Its calls are never concurrent.
type Decoder interface {
	// Decode reads the data of a message and passes what it says to the stream. An
	// error that is not ErrStale interrupts the channel.
	Decode(data []byte, received time.Time, to *Stream) error
	// Restart says that what follows is of a new subscription, though some messages
	// of the old one may still be on their way.
	Restart()
}

// ErrStale is what Decode returns of a message of a subscription that is over. The
// message is dropped and is no sign of life.
var ErrStale = errors.New("message of an older subscription")
