package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"venuegate/venues"
)

// suite is a list of scenarios that run on their own accounts; account is the body
// with which the venue's control creates them.
type suite struct {
	name, account string
	// exempt lists the accepted differences.
	exempt    []exemption
	scenarios []scenario
}

// scenario is a sequence of requests that runs on every venue, in a market at
// alikePrice. Every response and message is compared member by member: names, types,
// units and values must be the same on every venue. A scenario leaves no position
// open, except for the last of a suite.
type scenario struct {
	name string
	run  func(*trader)
}

// alikePrice is the market price of BTCUSDT when a scenario begins: the best bid is a
// tick below, the best ask a tick above.
const alikePrice = "65000"

func TestVenuesAreAlike(t *testing.T) {
	for _, p := range []suite{recordSuite, orderSuite, stopSuite, protectionSuite, positionSuite, hedgeSuite, eventSuite, streamSuite, marketSuite, candleSuite} {
		t.Run(p.name, p.run)
	}
}

// run runs a suite on its own venues and service, because the rate limits of a venue
// do not allow all suites at the same time.
func (p *suite) run(t *testing.T) {
	t.Parallel()
	file, _ := startSimProcess(t)
	s := startService(t, t.TempDir(), "--sim", file)
	var traders []*trader
	for _, venue := range venues.All() {
		traders = append(traders, newTrader(t, s, venue, p.account))
	}
	used := map[int]bool{}
	for _, c := range p.scenarios {
		t.Run(c.name, func(t *testing.T) { p.compare(t, runEverywhere(t, traders, c), used) })
	}
	for n, e := range p.exempt {
		if !used[n] && !t.Failed() {
			t.Errorf("%s of %q no longer differs, remove its exemption: %s", e.member, e.observation, e.reason)
		}
	}
}

// runEverywhere runs a scenario on all venues concurrently.
func runEverywhere(t *testing.T, traders []*trader, c scenario) [][]observation {
	t.Helper()
	stories := make([][]observation, len(traders))
	ran := t.Run("venues", func(t *testing.T) {
		for n, w := range traders {
			t.Run(string(w.venue), func(t *testing.T) {
				t.Parallel()
				w.begin(t)
				c.run(w)
				stories[n] = w.observations
			})
		}
	})
	if !ran {
		t.FailNow()
	}
	return stories
}

// trader runs scenarios on one venue, with its own customer and account.
type trader struct {
	*service
	venue        venues.Venue
	control      string
	id           string // of the customer
	observations []observation
	// price is the market price, and soon the mark price.
	price string
	// seenEvents and seenFills are the numbers of events and fills before this step.
	seenEvents, seenFills int
}

func newTrader(t *testing.T, s *service, venue venues.Venue, account string) *trader {
	t.Helper()
	w := &trader{service: &service{process: s.process, t: t, dir: s.dir, demo: s.demo}, venue: venue, control: s.demo.Sim[venue].ControlURL}
	w.id = w.administer(http.StatusCreated, http.MethodPost, "customers", `{"name":"alike"}`).text("id")
	made := post(t, w.control+"/accounts", account)
	w.administer(http.StatusCreated, http.MethodPost, "accounts", fmt.Sprintf(
		`{"customer":%q,"exchange":%q,"apiKey":%q,"apiSecret":%q,"passphrase":%q}`,
		w.id, venue, member(t, made, "apiKey"), member(t, made, "apiSecret"), member(t, made, "passphrase")))
	w.takeKey()
	eventually(t, "the account to accept orders", w.acceptsOrders)
	return w
}

// begin starts a scenario with a new key, whose rate limit is unused.
func (w *trader) begin(t *testing.T) {
	w.t, w.observations = t, nil
	w.takeKey()
	w.move(alikePrice)
	w.seenEvents = len(w.get("/v1/events?limit=500").items())
	w.seenFills = len(w.list("/v1/fills"))
}

func (w *trader) takeKey() {
	w.t.Helper()
	w.demo.APIKey = w.administer(http.StatusCreated, http.MethodPost, "keys", fmt.Sprintf(
		`{"customer":%q,"name":"alike","scopes":["read","trade","account"]}`, w.id)).text("apiKey")
}

// acceptsOrders reports whether the account is reconciled: until then any order is
// rejected with another status than this invalid one.
func (w *trader) acceptsOrders() bool {
	w.t.Helper()
	request, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.demo.BaseURL+"/v1/orders", strings.NewReader(
		fmt.Sprintf(`{"exchange":%q,"symbol":"BTCUSDT","side":"buy","type":"limit","qty":"1","price":"0.05"}`, w.venue)))
	if err != nil {
		w.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+w.demo.APIKey)
	request.Header.Set("Content-Type", "application/json")
	status, _ := do(w.t, request)
	return status == http.StatusBadRequest
}

// flat closes the position and waits for its event.
func (w *trader) flat() {
	w.t.Helper()
	w.send(http.StatusCreated, "/v1/positions/close", "")
	w.freshEvents(func(fresh []record) bool {
		return slices.ContainsFunc(fresh, func(e record) bool { return e.text("type") == "position.closed" })
	})
}

// observe adds a response or a message to the observations.
func (w *trader) observe(name string, what record) {
	w.observations = append(w.observations, observation{name, membersOf(what, w.venue)})
}

// move moves the market to a price.
func (w *trader) move(price string) {
	w.t.Helper()
	post(w.t, w.control+"/market", fmt.Sprintf(`{"symbol":"BTCUSDT","price":%q}`, price))
	w.price = price
}

// marketTrades executes a trade of another participant.
func (w *trader) marketTrades(side, qty string) {
	w.t.Helper()
	post(w.t, w.control+"/market/trade", fmt.Sprintf(`{"symbol":"BTCUSDT","side":%q,"qty":%q}`, side, qty))
}

func (w *trader) get(path string) record {
	w.t.Helper()
	return w.trade(http.StatusOK, http.MethodGet, path, "")
}

// list returns the items of a list, filtered by the venue and BTCUSDT.
func (w *trader) list(path string) []record {
	w.t.Helper()
	mark := "?"
	if strings.Contains(path, "?") {
		mark = "&"
	}
	return w.get(path + mark + "symbol=BTCUSDT&exchange=" + string(w.venue)).items()
}

// send posts a request about BTCUSDT at the venue.
func (w *trader) send(status int, path, members string) record {
	w.t.Helper()
	if members != "" {
		members = "," + members
	}
	return w.trade(status, http.MethodPost, path, fmt.Sprintf(`{"exchange":%q,"symbol":"BTC/USDT:USDT"%s}`, w.venue, members))
}

// place is send for an order that is accepted.
func (w *trader) place(members string) record {
	w.t.Helper()
	return w.send(http.StatusCreated, "/v1/orders", members)
}

// ended returns the final record of an order that is filled or cancelled immediately:
// the response, or the stored order if the response came before its end.
func (w *trader) ended(answer record) record {
	w.t.Helper()
	closed := func(o record) bool { return venues.OrderStatus(o.text("status")).IsClosed() }
	if closed(answer) {
		return answer
	}
	return w.until("the end of an order", func() record { return w.get("/v1/orders/" + answer.text("orderId")) }, closed)
}

// refused observes the rejection of an order.
func (w *trader) refused(name string, status int, path, members string) {
	w.t.Helper()
	w.observe(name, w.send(status, path, members))
}

// fills waits for n executions of the scenario and returns them, newest first.
func (w *trader) fills(n int) []record {
	w.t.Helper()
	var list []record
	eventually(w.t, "the fills", func() bool {
		list = w.list("/v1/fills")
		list = list[:len(list)-w.seenFills]
		return len(list) >= n
	})
	return list
}

// observeFills observes the executions of the scenario.
func (w *trader) observeFills(n int) {
	w.t.Helper()
	for n, fill := range w.fills(n) {
		w.observe(fmt.Sprintf("fill %d", n), fill)
	}
}

func (w *trader) change(order record, members string) record {
	w.t.Helper()
	return w.trade(http.StatusOK, http.MethodPatch, "/v1/orders/"+order.text("orderId"), "{"+members+"}")
}

func (w *trader) cancel(order record) record {
	w.t.Helper()
	return w.trade(http.StatusOK, http.MethodDelete, "/v1/orders/"+order.text("orderId"), "")
}

// opens buys a quantity at exactly alikePrice.
func (w *trader) opens(qty string) record {
	w.t.Helper()
	order := w.place(fmt.Sprintf(`"side":"buy","type":"limit","qty":%q,"price":%q`, qty, alikePrice))
	w.move(alikePrice)
	return w.service.order(order.text("orderId"), "filled")
}

// until waits until the result of read satisfies is.
func (w *trader) until(what string, read func() record, is func(record) bool) record {
	w.t.Helper()
	var found record
	eventually(w.t, what, func() bool {
		found = read()
		return is(found)
	})
	return found
}

// position waits for the final state of the position of a side, including the mark price and
// the fields that arrive after its first event.
func (w *trader) position(side, qty string) record {
	w.t.Helper()
	return w.until("the position", func() record {
		for _, p := range w.list("/v1/positions") {
			if p.text("side") == side {
				return p
			}
		}
		return nil
	}, func(p record) bool {
		return p.text("qty") == qty && p["markPrice"] == w.price && p["leverage"] != nil && p["unrealizedPnl"] != nil
	})
}
