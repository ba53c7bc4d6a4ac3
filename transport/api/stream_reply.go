package api

import (
	"strconv"
	"time"

	"venuegate/venues"
)

// StreamRejection is a topic that a subscribe or unsubscribe did not change.
type StreamRejection struct {
	// Topic is the name in the spelling of the client.
	Topic   string
	Code    StreamCode
	Message string
	// Reason is the code of the same error on REST.
	Reason venues.Code
}

// AppendWelcome appends the first frame of every connection.
func AppendWelcome(dst []byte, connID string, at time.Time) []byte {
	dst = appendOp(dst, OpWelcome, "")
	dst = textField(dst, "connId", connID)
	dst = append(venues.AppendTime(fieldName(dst, "serverTime"), at), ',')
	dst = intField(dst, "pingSec", Seconds(StreamPingInterval))
	dst = intField(dst, "maxChannels", StreamTopicsMax)
	return closeObject(dst)
}

// AppendAuthReply appends the reply to a successful auth. id, here and below, is the
// client's id of the request as JSON, or empty.
func AppendAuthReply(dst []byte, id string, scopes []string) []byte {
	dst = boolField(appendOp(dst, OpAuth, id), "ok", true)
	dst = append(AppendArray(fieldName(dst, "scopes"), scopes, appendText), ',')
	return closeObject(dst)
}

// AppendTopicsReply appends the reply to a subscribe or unsubscribe: the canonical
// names of the topics that are now subscribed (or no longer are), and the rejected
// ones.
func AppendTopicsReply(dst []byte, op StreamOp, id string, topics []string, rejected []StreamRejection) []byte {
	dst = boolField(appendOp(dst, op, id), "ok", true)
	dst = append(AppendArray(fieldName(dst, "channels"), topics, appendText), ',')
	dst = append(AppendArray(fieldName(dst, "rejected"), rejected, appendRejection), ',')
	return closeObject(dst)
}

// AppendPong appends the reply to a ping.
func AppendPong(dst []byte, id string, at time.Time) []byte {
	dst = appendOp(dst, OpPong, id)
	return append(venues.AppendTime(fieldName(dst, "serverTime"), at), '}')
}

// AppendStreamError appends the reply to a client message that was not carried out.
func AppendStreamError(dst []byte, id string, code StreamCode, message string, details map[string]any) []byte {
	dst = intField(appendOp(dst, OpError, id), "code", int64(code))
	dst = textField(dst, "message", message)
	return append(appendDetails(fieldName(dst, "details"), &venues.Error{Details: details}), '}')
}

// appendOp appends the fields that all replies begin with and leaves the object
// open.
func appendOp(dst []byte, op StreamOp, id string) []byte {
	dst = textField(append(dst, '{'), "op", string(op))
	if id == "" {
		return dst
	}
	return append(append(fieldName(dst, "id"), id...), ',')
}

func appendRejection(dst []byte, r *StreamRejection) []byte {
	dst = textField(append(dst, '{'), "channel", r.Topic)
	dst = intField(dst, "code", int64(r.Code))
	dst = textField(dst, "message", r.Message)
	dst = textField(dst, "reason", string(r.Reason))
	return closeObject(dst)
}

func appendText(dst []byte, value *string) []byte { return quote(dst, *value) }

func intField(dst []byte, name string, value int64) []byte {
	return append(strconv.AppendInt(fieldName(dst, name), value, 10), ',')
}
