package feed

import (
	"errors"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/wsclient"
)

// Protocol is the venue's part of its public streams. Its methods are called from several
// goroutines and must not keep their arguments.
type Protocol interface {
	// Group returns the group of connections that carry a topic.
	Group(venues.FeedTopic) Group
	// Link returns how a connection of the group is made and monitored. The feed is its
	// Handler.
	Link(Group) wsclient.Options
	// TopicName returns the venue's name of a topic, spelled as Split returns it.
	TopicName(venues.FeedTopic) string
	// Request returns the message that subscribes or unsubscribes topics.
	Request(verb Verb, id uint64, topics []string) []byte
	// Split returns the topic of a message and the part of it to decode; false if it is
	// an Answer. It is called for each message and must not allocate for those of the
	// usual form.
	Split(message []byte) (topic, data []byte, ok bool)
	// Answer reads a message that Split does not recognize. After an error the connection
	// is replaced, because any message may have been lost.
	Answer(message []byte) (Answer, error)
	// Decoders is called once for each connection. The result makes a decoder for each
	// topic of the connection. The decoders are used one at a time and may share state.
	Decoders() func(topic venues.FeedTopic, name string) Decoder
	// Trading reports whether an instrument is known to be trading, so that silence means
	// an outage.
	Trading(symbol string) bool
}

// Group is a set of topics that share connections.
type Group struct {
	// Path is the venue's path for the topics of the group.
	Path string
	// TopicsMax is the number of topics of one connection.
	TopicsMax int
}

// Verb of a Request.
type Verb bool

// Verbs. Only a Subscribe requires an answer.
const (
	Subscribe   Verb = true
	Unsubscribe Verb = false
)

// Pick returns the venue's name of the verb.
func (v Verb) Pick(subscribe, unsubscribe string) string {
	if v == Subscribe {
		return subscribe
	}
	return unsubscribe
}

// Answer is a message of the venue that is not data.
type Answer struct {
	Kind AnswerKind
	// ID is the id of the answered request; 0 if the venue does not name it.
	ID uint64
	// Topic is set where the venue confirms each topic separately, whatever the ID.
	Topic string
	// Text is the venue's explanation, bounded.
	Text string
}

// AnswerKind is the kind of an Answer.
type AnswerKind uint8

// Kinds of answer.
const (
	// Ignored: a pong, or a confirmation that is not awaited.
	Ignored AnswerKind = iota
	// Confirmed: the topic, or all topics of the request, are subscribed.
	Confirmed
	// AlreadySubscribed: a topic of the request is already subscribed.
	AlreadySubscribed
	// Rejected: a topic of the request does not exist.
	Rejected
	// Failed: the connection is faulty and is replaced.
	Failed
	// Ending: the venue is about to close the connection, which is renewed.
	Ending
)

// Decoder decodes the messages of one topic. Its methods are never called concurrently.
type Decoder interface {
	// Decode decodes the data of a message and passes the content to the stream. An error
	// other than ErrStale interrupts the topic.
	Decode(data []byte, received time.Time, to *Stream) error
	// Restart reports that a new subscription begins. Messages of the old one may still
	// arrive.
	Restart()
}

// ErrStale is returned by Decode for a message of an earlier subscription. The message is
// dropped and does not count as activity.
var ErrStale = errors.New("message of an older subscription")
