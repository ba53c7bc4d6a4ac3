//go:build chaos

package chaos

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

// tradePaths are the path prefixes of each venue's order requests, queryPaths those of
// order queries.
var (
	tradePaths = map[venues.Venue]string{
		venues.Binance: "/fapi/v1/order", venues.Bybit: "/v5/order/create", venues.OKX: "/api/v5/trade/order",
	}
	queryPaths = map[venues.Venue]string{
		venues.Binance: "/fapi/v1/order", venues.Bybit: "/v5/order/realtime", venues.OKX: "/api/v5/trade/order",
	}
	// entryPaths and entryOps are the same requests on the connections for orders.
	entryPaths = map[venues.Venue]string{
		venues.Binance: "/ws-fapi/v1", venues.Bybit: "/v5/trade", venues.OKX: "/ws/v5/private",
	}
	entryOps = map[venues.Venue]string{
		venues.Binance: "order.place", venues.Bybit: "order.create", venues.OKX: "op:order",
	}
	// entrySettings send orders over these connections.
	entrySettings = []string{
		"VENUEGATE_VENUES_BINANCE_ORDER_ENTRY=websocket", "VENUEGATE_VENUES_BYBIT_ORDER_ENTRY=websocket", "VENUEGATE_VENUES_OKX_ORDER_ENTRY=websocket",
	}
	// notFoundCodes are each venue's codes of an unknown order.
	notFoundCodes = map[venues.Venue]string{venues.Binance: `-2013`, venues.OKX: `"51603"`}
)

// venueFault is one temporary fault of a venue.
type venueFault struct {
	name string
	// requests is false for faults of streams.
	requests bool
	// probability is in hundredths.
	probability int64
	fault       simcore.FaultRequest
}

const millisecond = 1 // of FaultArgs.DelayMs

var venueFaults = []venueFault{
	{"executed, never answered", true, 30, simcore.FaultRequest{Do: simcore.FaultTimeoutAfter, Args: simcore.FaultArgs{DelayMs: 1500 * millisecond}}},
	{"neither executed nor answered", true, 10, simcore.FaultRequest{Do: simcore.FaultTimeoutBefore, Args: simcore.FaultArgs{DelayMs: 1500 * millisecond}}},
	{"connection dropped after execution", true, 40, simcore.FaultRequest{Do: simcore.FaultDropConnection, Args: simcore.FaultArgs{Executed: true}}},
	{"connection dropped before execution", true, 10, simcore.FaultRequest{Do: simcore.FaultDropConnection}},
	{"503 unknown, executed", true, 40, simcore.FaultRequest{Do: simcore.FaultStatus, Args: simcore.FaultArgs{
		Status: http.StatusServiceUnavailable, Executed: true, Body: json.RawMessage(`{"msg":"Unknown error, please check your request or try again later."}`),
	}}},
	{"500 with a page of HTML, not executed", true, 10, simcore.FaultRequest{Do: simcore.FaultStatus, Args: simcore.FaultArgs{
		Status: http.StatusInternalServerError, Body: json.RawMessage(`"<html>oops</html>"`),
	}}},
	{"late", true, 50, simcore.FaultRequest{Do: simcore.FaultDelay, Args: simcore.FaultArgs{DelayMs: 2500 * millisecond}}},
	{"maintenance", true, 50, simcore.FaultRequest{Do: simcore.FaultMaintenance}},
	{"message twice", false, 30, simcore.FaultRequest{Do: simcore.FaultDuplicate}},
	{"messages out of order", false, 30, simcore.FaultRequest{Do: simcore.FaultReorder}},
	{"message missing", false, 30, simcore.FaultRequest{Do: simcore.FaultGap}},
	{"stream mute", false, 100, simcore.FaultRequest{Do: simcore.FaultStalled}},
	{"stream dropped", false, 5, simcore.FaultRequest{Do: simcore.FaultDropConnection}},
}

// TestVenueFaults injects every fault of the venues, one after the other, under load.
func TestVenueFaults(t *testing.T) {
	t.Parallel() // most of its time is waiting
	sufferFaults(t, newWorld(t, shipped, t.TempDir()+"/data"), tradeRequests)
}

// TestVenueFaultsOfKeptConnections is TestVenueFaults with orders over kept
// connections.
func TestVenueFaultsOfKeptConnections(t *testing.T) {
	t.Parallel() // most of its time is waiting
	sufferFaults(t, newWorld(t, shipped, t.TempDir()+"/data", entrySettings...), entryRequests)
}

// tradeRequests and entryRequests match the placing of orders at a venue.
func tradeRequests(venue venues.Venue) simcore.FaultMatch {
	return simcore.FaultMatch{Path: tradePaths[venue], Op: http.MethodPost}
}

func entryRequests(venue venues.Venue) simcore.FaultMatch {
	return simcore.FaultMatch{Path: entryPaths[venue], Op: entryOps[venue]}
}

// sufferFaults injects every fault into a world whose orders are the matching requests.
func sufferFaults(t *testing.T, w *world, orders func(venues.Venue) simcore.FaultMatch) {
	t.Helper()
	for i, f := range venueFaults {
		for _, venue := range venues.All() {
			w.sim.fault(venue, f.at(orders(venue), w.random.Uint64()))
			if f.fault.Args.Executed || i == 0 {
				w.hideOrders(venue)
			}
		}
		w.loadFor(sized.faultPhase)
		w.endFaults(f.name)
	}
	// One venue reports the duration of its ban; another one's lasts ten minutes.
	w.sim.fault(venues.Binance, simcore.FaultRequest{
		Match: orders(venues.Binance), Do: simcore.FaultBan, Times: 1, Args: simcore.FaultArgs{DelayMs: 3000 * millisecond},
	})
	w.loadFor(sized.faultPhase)
	w.endFaults("ban")
	judgeWorld(t, w)
}

// at returns the fault for the matching orders of a venue.
func (f *venueFault) at(orders simcore.FaultMatch, seed uint64) simcore.FaultRequest {
	request := f.fault
	request.Seed = seed
	request.Probability = &simcore.Decimal{Decimal: decimal.New(f.probability, -2)}
	if f.requests {
		request.Match = orders
	}
	return request
}

// hideOrders makes a venue report half of its orders as unknown when they are queried:
// an order that was not found may still exist.
func (w *world) hideOrders(venue venues.Venue) {
	code, denies := notFoundCodes[venue]
	if !denies {
		return
	}
	w.sim.fault(venue, simcore.FaultRequest{
		Match: simcore.FaultMatch{Path: queryPaths[venue], Op: http.MethodGet}, Do: simcore.FaultReject,
		Probability: &simcore.Decimal{Decimal: decimal.New(50, -2)}, Args: simcore.FaultArgs{Code: json.RawMessage(code), Message: "Order does not exist."},
	})
}

// endFaults counts and removes the faults of the venues.
func (w *world) endFaults(name string) {
	for _, venue := range venues.All() {
		for kind, struck := range w.sim.clearFaults(venue) {
			if kind == string(simcore.FaultReject) {
				total.inject("venue: existing order reported unknown", struck)
				continue
			}
			total.inject("venue: "+name, struck)
		}
	}
	w.loadFor(sized.faultPhase / time.Duration(len(venueFaults)))
}
