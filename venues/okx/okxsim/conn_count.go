package okxsim

import (
	"strconv"

	"venuegate/venues/simcore/simnet"
)

// countedChannels are those to which only so many connections of one account may
// listen.
var countedChannels = map[string]bool{
	channelOrders: true, channelAccount: true, channelPositions: true, channelBalPos: true, channelWarning: true,
}

// admitConn counts a connection that begins to listen to a channel, and tells it
// the count. The one too many is told so; it was acknowledged before and hears
// nothing more. Further arguments of a channel do not count. The lock is held.
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
	h.send(cl, topicCommand, simnet.Encode(event))
	return admitted
}
