package api

// StreamCode numbers an error frame of the stream. The same numbers are close
// codes of the WebSocket (the range 4000-4999 is left to applications).
type StreamCode int

// Stream codes. Only Closes tells which of them end the connection.
const (
	// StreamBadMessage: a client message is not what the protocol allows. An
	// error frame; the tenth one closes.
	StreamBadMessage StreamCode = 4000
	// StreamUnauthorized: bad, expired or revoked key, or an operation before
	// auth.
	StreamUnauthorized StreamCode = 4001
	// StreamScopeRequired: the key lacks the scope of a channel.
	StreamScopeRequired StreamCode = 4003
	// StreamUnknownChannel: no such channel, symbol or connected exchange.
	StreamUnknownChannel StreamCode = 4004
	// StreamPingTimeout: no client message for 45 s.
	StreamPingTimeout StreamCode = 4008
	// StreamSlowConsumer: the client reads too slowly for what may not be
	// dropped. It re-reads its state through REST.
	StreamSlowConsumer StreamCode = 4009
	// StreamAuthTimeout: no successful auth within 10 s.
	StreamAuthTimeout StreamCode = 4010
	// StreamServerRestart: the service goes away; connect again.
	StreamServerRestart StreamCode = 4012
	// StreamLimit: more than 200 channels on a connection; nothing was changed.
	StreamLimit StreamCode = 4029
)

// streamCodes holds the reason that accompanies a code, in the order of the
// numbers.
var streamCodes = []struct {
	code   StreamCode
	name   string
	closes bool
}{
	{StreamBadMessage, "bad message", true},
	{StreamUnauthorized, "unauthorized", true},
	{StreamScopeRequired, "scope_required", false},
	{StreamUnknownChannel, "unknown channel", false},
	{StreamPingTimeout, "ping time-out", true},
	{StreamSlowConsumer, "slow consumer", true},
	{StreamAuthTimeout, "auth time-out", true},
	{StreamServerRestart, "server restart", true},
	{StreamLimit, "limit", false},
}

// StreamCodes lists every code in ascending order.
func StreamCodes() []StreamCode {
	list := make([]StreamCode, len(streamCodes))
	for i, c := range streamCodes {
		list[i] = c.code
	}
	return list
}

// String is the reason that accompanies the code in a close frame.
func (c StreamCode) String() string {
	for _, known := range streamCodes {
		if known.code == c {
			return known.name
		}
	}
	return "unknown"
}

// Closes says whether the code can be a close code. StreamBadMessage is one
// only after ten error frames.
func (c StreamCode) Closes() bool {
	for _, known := range streamCodes {
		if known.code == c {
			return known.closes
		}
	}
	return false
}
