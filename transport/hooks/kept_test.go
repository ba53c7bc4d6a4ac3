package hooks_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"venuegate/transport/reusetest"
	"venuegate/venues"
)

// Nothing of a signal points into the request that brought it: its actor has the
// signal long after that was answered.
func TestKeptMemoryIsNotTheRequests(t *testing.T) {
	e := newEdge(t)
	var kept reusetest.Kept
	e.asked = func(id string) { kept.Keep("channel id", id) }
	const signal = `{"action":"order","exchange":"binance","symbol":"MARKUSDT","side":"buy","qty":"1","requestId":"r-MARK","comment":"MARK","MARK":1}`
	for mark := range reusetest.Marks() {
		body := strings.ReplaceAll(signal, "MARK", mark)
		e.signed(body).want(http.StatusAccepted, "")
		kept.Keep("signed signal", e.accepted[len(e.accepted)-1])
		e.charted(strings.TrimSuffix(body, "}")+`,"channelToken":"`+token+`"}`).want(http.StatusAccepted, "")
		kept.Keep("chart signal", e.accepted[len(e.accepted)-1])
		e.post("/v1/hooks/in/hook_"+mark, body, sign(secret, body, time.Now())...).want(http.StatusNotFound, venues.CodeNotFound)
	}
	kept.Check(t, "signed signal", "chart signal", "channel id")
}
