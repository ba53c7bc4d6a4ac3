package okxsim

import (
	"strconv"

	"venuegate/venues/simcore/simnet"
)

// countedChannels have a limit of connections of one account.
var countedChannels = map[string]bool{
	channelOrders: true, channelAccount: true, channelPositions: true, channelBalPos: true, channelWarning: true,
}

// admitConn counts a connection that subscribes to a channel and sends it the count,
// or the error beyond the limit. It reports whether the limit allows the connection.
// Further arguments of a channel do not count. The lock is held.
func (h *hub) admitConn(cl *client, channel, topic string) bool {
	if !countedChannels[channel] {
		return true
	}
	others := map[*client]bool{}
	for sub := range h.topics[topic] {
		if sub.client == cl {
			return true
		}
		others[sub.client] = true
	}
	event := eventBody{Event: "channel-conn-count", Channel: channel, ConnID: cl.connID, ConnCount: strconv.Itoa(len(others) + 1)}
	admitted := h.sim.limiter.admitsConn(len(others) + 1)
	if !admitted {
		event.Event, event.ConnCount = "channel-conn-count-error", strconv.Itoa(len(others))
	}
	h.sendLocked(cl, topicCommand, simnet.Encode(event))
	return admitted
}
