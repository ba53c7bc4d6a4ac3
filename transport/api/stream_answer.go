package api

import (
	"strconv"
	"time"

	"venuegate/venues"
)

// StreamRejection is a channel that a subscribe or unsubscribe left alone.
type StreamRejection struct {
	// Channel is the name as the client spelt it.
	Channel string
	Code    StreamCode
	Message string
	// Reason is the code by which REST answers the same question.
	Reason venues.Code
}

// AppendWelcome writes the first frame of every connection.
func AppendWelcome(dst []byte, connID string, at time.Time) []byte {
	dst = appendOp(dst, OpWelcome, "")
	dst = text(dst, "connId", connID)
	dst = append(AppendTime(name(dst, "serverTime"), at), ',')
	dst = integer(dst, "pingSec", Seconds(StreamPingInterval))
	dst = integer(dst, "maxChannels", StreamChannelsMax)
	return closeObject(dst)
}

// AppendAuthAnswer answers a successful auth. id is the client's, as JSON, or
// empty; likewise below.
func AppendAuthAnswer(dst []byte, id string, scopes []string) []byte {
	dst = boolean(appendOp(dst, OpAuth, id), "ok", true)
	dst = append(AppendArray(name(dst, "scopes"), scopes, appendText), ',')
	return closeObject(dst)
}

// AppendChannelsAnswer answers a subscribe or unsubscribe: the canonical names
// of the channels that are now subscribed (or no longer are), and those that
// were left alone.
func AppendChannelsAnswer(dst []byte, op StreamOp, id string, channels []string, rejected []StreamRejection) []byte {
	dst = boolean(appendOp(dst, op, id), "ok", true)
	dst = append(AppendArray(name(dst, "channels"), channels, appendText), ',')
	dst = append(AppendArray(name(dst, "rejected"), rejected, appendRejection), ',')
	return closeObject(dst)
}

// AppendPong answers a ping.
func AppendPong(dst []byte, id string, at time.Time) []byte {
	dst = appendOp(dst, OpPong, id)
	return append(AppendTime(name(dst, "serverTime"), at), '}')
}

// AppendStreamError answers a client message that was not carried out.
func AppendStreamError(dst []byte, id string, code StreamCode, message string, details map[string]any) []byte {
	dst = integer(appendOp(dst, OpError, id), "code", int64(code))
	dst = text(dst, "message", message)
	return append(appendDetails(name(dst, "details"), &venues.Error{Details: details}), '}')
}

// appendOp begins an answer; the object stays open.
func appendOp(dst []byte, op StreamOp, id string) []byte {
	dst = text(append(dst, '{'), "op", string(op))
	if id == "" {
		return dst
	}
	return append(append(name(dst, "id"), id...), ',')
}

func appendRejection(dst []byte, r *StreamRejection) []byte {
	dst = text(append(dst, '{'), "channel", r.Channel)
	dst = integer(dst, "code", int64(r.Code))
	dst = text(dst, "message", r.Message)
	dst = text(dst, "reason", string(r.Reason))
	return closeObject(dst)
}

func appendText(dst []byte, value *string) []byte { return quote(dst, *value) }

func integer(dst []byte, member string, value int64) []byte {
	return append(strconv.AppendInt(name(dst, member), value, 10), ',')
}
