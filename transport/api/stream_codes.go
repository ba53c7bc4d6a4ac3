package api

// StreamCode is the code of an error frame of the stream. The same numbers are close
// codes of the WebSocket: RFC 6455 leaves 4000 to 4999 to applications.
type StreamCode int

// Stream codes. Closes reports which of them end the connection.
const (
	// StreamBadMessage: a client message violates the protocol. An error frame; the
	// tenth one closes the connection.
	StreamBadMessage StreamCode = 4000
	// StreamUnauthorized: the key is wrong, expired or revoked, or an operation came
	// before auth.
	StreamUnauthorized StreamCode = 4001
	// StreamScopeRequired: the key lacks the scope of a topic.
	StreamScopeRequired StreamCode = 4003
	// StreamUnknownTopic: no such topic or symbol, or the exchange is not connected.
	StreamUnknownTopic StreamCode = 4004
	// StreamPingTimeout: no client message for 45 s.
	StreamPingTimeout StreamCode = 4008
	// StreamSlowConsumer: the client reads too slowly for messages that may not be
	// dropped. It has to read its state through REST.
	StreamSlowConsumer StreamCode = 4009
	// StreamAuthTimeout: no successful auth within 10 s.
	StreamAuthTimeout StreamCode = 4010
	// StreamServerRestart: the service shuts down; the client should reconnect.
	StreamServerRestart StreamCode = 4012
	// StreamLimit: more than 200 topics on a connection; nothing was changed.
	StreamLimit StreamCode = 4029
)

// streamCodes lists the codes in ascending order, each with the reason that goes
// with it and whether it can close a connection.
var streamCodes = []struct {
	code   StreamCode
	name   string
	closes bool
}{
	{StreamBadMessage, "bad message", true},
	{StreamUnauthorized, "unauthorized", true},
	{StreamScopeRequired, "scope_required", false},
	{StreamUnknownTopic, "unknown channel", false},
	{StreamPingTimeout, "ping time-out", true},
	{StreamSlowConsumer, "slow consumer", true},
	{StreamAuthTimeout, "auth time-out", true},
	{StreamServerRestart, "server restart", true},
	{StreamLimit, "limit", false},
}

// StreamCodes returns every code in ascending order.
func StreamCodes() []StreamCode {
	list := make([]StreamCode, len(streamCodes))
	for i, c := range streamCodes {
		list[i] = c.code
	}
	return list
}

// String returns the reason that goes with the code in a close frame.
func (c StreamCode) String() string {
	for _, known := range streamCodes {
		if known.code == c {
			return known.name
		}
	}
	return "unknown"
}

// Closes reports whether the code can be a close code. StreamBadMessage is one only
// after ten error frames.
func (c StreamCode) Closes() bool {
	for _, known := range streamCodes {
		if known.code == c {
			return known.closes
		}
	}
	return false
}
