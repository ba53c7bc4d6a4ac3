package api

import (
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"venuegate/venues"
)

// StreamOp names an operation of the stream: the request of a client, or the
// reply or error that the service sends.
type StreamOp string

// Operations. Clients send auth, subscribe, unsubscribe and ping; the service
// sends the others.
const (
	OpAuth        StreamOp = "auth"
	OpSubscribe   StreamOp = "subscribe"
	OpUnsubscribe StreamOp = "unsubscribe"
	OpPing        StreamOp = "ping"

	OpWelcome StreamOp = "welcome"
	OpPong    StreamOp = "pong"
	OpError   StreamOp = "error"
)

// StreamClientOps returns the operations that clients send.
func StreamClientOps() []StreamOp { return []StreamOp{OpAuth, OpSubscribe, OpUnsubscribe, OpPing} }

// StreamServerOps returns the operations that the service sends.
func StreamServerOps() []StreamOp {
	return []StreamOp{OpWelcome, OpAuth, OpSubscribe, OpUnsubscribe, OpPong, OpError}
}

const (
	// streamIDCharsMax bounds the id of a client message, which the reply repeats.
	streamIDCharsMax = 64
	// streamTokenCharsMax is far above the length of an API key.
	streamTokenCharsMax = 512
)

// StreamRequest is one decoded client message.
type StreamRequest struct {
	Op StreamOp
	// ID is the client's id of the message, as the JSON of a string or an integer;
	// empty if the message has none.
	ID string
	// Token comes with auth.
	Token venues.Secret
	// Topics come with subscribe and unsubscribe, in the spelling of the client.
	Topics []string
}

const streamTokenField, streamTopicsField = "token", "channels"

// streamRequestFields is a client message.
var streamRequestFields = fieldsOf([]field[StreamRequest]{
	{"op", required, func(b *body, r *StreamRequest) { r.Op = oneOf(b, StreamClientOps()...) }},
	{"id", optional, func(b *body, r *StreamRequest) { r.ID = b.messageID() }},
	{streamTokenField, optional, func(b *body, r *StreamRequest) { r.Token = venues.Secret(b.text(streamTokenCharsMax)) }},
	{streamTopicsField, optional, func(b *body, r *StreamRequest) { r.Topics = b.texts() }},
})

// DecodeStreamRequest decodes one client message under the same rules as a
// request body. The error is a *venues.Error invalid_request that names the wrong
// fields; the request then still holds the id, if that could be read.
func DecodeStreamRequest(message []byte) (StreamRequest, error) {
	var r StreamRequest
	b := streamRequestFields.open(message)
	streamRequestFields.decode(b, &r)
	switch r.Op {
	case OpAuth:
		b.require(streamTokenField)
	case OpSubscribe, OpUnsubscribe:
		b.require(streamTopicsField)
	default: // nothing else is required
	}
	return r, b.err()
}

// messageID reads a string or an integer and returns its JSON.
func (b *body) messageID() string {
	const want = "a string of at most 64 characters or an integer"
	kind, value := b.kind, b.value
	if kind != jsontext.KindString && kind != jsontext.KindNumber {
		b.rejectType(want)
		return ""
	}
	if kind == jsontext.KindString && utf8.RuneCountInString(value) <= streamIDCharsMax {
		return string(quote(nil, value))
	}
	if n, err := strconv.ParseInt(value, 10, 64); kind == jsontext.KindNumber && err == nil && strconv.FormatInt(n, 10) == value {
		return value
	}
	b.Add(b.name(), RuleWrongType, value, want)
	return ""
}

// texts reads an array of strings.
func (b *body) texts() []string {
	const want = "an array of strings"
	if b.kind != jsontext.KindBeginArray {
		b.rejectType(want)
		return nil
	}
	list := []string{}
	for _, ok := b.token(); ok && b.readValue() && b.kind != jsontext.KindEndArray; {
		if value, ok := b.stringValue(want); ok {
			list = append(list, value)
		}
	}
	return list
}
