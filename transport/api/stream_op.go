package api

import (
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"venuegate/venues"
)

// StreamOp names an operation of the stream: what a client asks for, and what
// the service's answer begins with.
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

// StreamClientOps lists the operations that a client may ask for.
func StreamClientOps() []StreamOp { return []StreamOp{OpAuth, OpSubscribe, OpUnsubscribe, OpPing} }

// StreamServerOps lists the operations with which the service answers.
func StreamServerOps() []StreamOp {
	return []StreamOp{OpWelcome, OpAuth, OpSubscribe, OpUnsubscribe, OpPong, OpError}
}

const (
	// streamIDCharsMax bounds a client's id of a message, which is echoed.
	streamIDCharsMax = 64
	// streamTokenCharsMax is ample for an API key.
	streamTokenCharsMax = 512
)

// StreamRequest is one decoded client message.
type StreamRequest struct {
	Op StreamOp
	// ID is the client's id of the message as it is echoed: the JSON of a
	// string or an integer, empty if none was given.
	ID string
	// Token is given with auth.
	Token venues.Secret
	// Channels is given with subscribe and unsubscribe, as the client spelt
	// them.
	Channels []string
}

// DecodeStreamRequest reads one client message under the rules of Body. The
// error is a *venues.Error invalid_request that names the faulty fields; the
// request then holds the id, if it could be read.
func DecodeStreamRequest(message []byte) (StreamRequest, error) {
	var r StreamRequest
	body := OpenBody(message, "op", "id", "token", "channels")
	for body.Next() {
		switch body.Name() {
		case "op":
			r.Op = OneOf(body, StreamClientOps()...)
		case "id":
			r.ID = body.messageID()
		case "token":
			r.Token = venues.Secret(body.Text(streamTokenCharsMax))
		case "channels":
			r.Channels = body.texts()
		}
	}
	body.Require("op")
	switch r.Op {
	case OpAuth:
		body.Require("token")
	case OpSubscribe, OpUnsubscribe:
		body.Require("channels")
	default: // needs nothing else
	}
	return r, body.Err()
}

// messageID reads a string or an integer and returns its JSON.
func (b *Body) messageID() string {
	const want = "a string of at most 64 characters or an integer"
	kind := b.dec.PeekKind()
	if kind != jsontext.KindString && kind != jsontext.KindNumber {
		b.wrongType(want)
		return ""
	}
	token, err := b.dec.ReadToken()
	if err != nil {
		b.malformed(err)
		return ""
	}
	value := token.String()
	if kind == jsontext.KindString && utf8.RuneCountInString(value) <= streamIDCharsMax {
		return string(quote(nil, value))
	}
	if n, err := strconv.ParseInt(value, 10, 64); kind == jsontext.KindNumber && err == nil && strconv.FormatInt(n, 10) == value {
		return value
	}
	b.Add(b.Name(), RuleWrongType, value, want)
	return ""
}

// texts reads an array of strings.
func (b *Body) texts() []string {
	const want = "an array of strings"
	if b.dec.PeekKind() != jsontext.KindBeginArray {
		b.wrongType(want)
		return nil
	}
	if _, err := b.dec.ReadToken(); err != nil {
		b.malformed(err)
		return nil
	}
	list := []string{}
	for b.fatal == nil && b.dec.PeekKind() != jsontext.KindEndArray {
		if value, ok := b.stringValue(want); ok {
			list = append(list, value)
		}
	}
	if b.fatal == nil {
		if _, err := b.dec.ReadToken(); err != nil {
			b.malformed(err)
		}
	}
	return list
}
