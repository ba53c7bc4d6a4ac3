package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"venuegate/venues"
)

// A part is told on accounts of its own, made as the venues' control is asked to.
type part struct {
	name, account string
	// exempt lists the differences that stand.
	exempt   []exemption
	chapters []chapter
}

// A chapter is a piece of a trader's day. It is told on every venue alike, in a market
// that stands at alikePrice, and every answer and every message of it is compared
// member by member: names, kinds, units and values are the same, whatever the venue.
// A chapter leaves no position behind, but for the last of its part.
type chapter struct {
	name string
	tell func(*teller)
}

// alikePrice is where the market of BTCUSDT stands when a chapter begins: the house
// bids a tick below and asks a tick above.
const alikePrice = "65000"

func TestVenuesAreAlike(t *testing.T) {
	for _, p := range []part{recordPart, orderPart, stopPart, protectionPart, positionPart, hedgePart, eventPart, streamPart} {
		t.Run(p.name, p.tell)
	}
}

// tell tells a part, on venues and a service of its own: a venue's limits would not
// let all of them be told at once.
func (p *part) tell(t *testing.T) {
	t.Parallel()
	file, _ := startSimProcess(t)
	s := startService(t, t.TempDir(), "--sim", file)
	var tellers []*teller
	for _, venue := range venues.All() {
		tellers = append(tellers, newTeller(t, s, venue, p.account))
	}
	used := map[int]bool{}
	for _, c := range p.chapters {
		t.Run(c.name, func(t *testing.T) { p.compare(t, tellEverywhere(t, tellers, c), used) })
	}
	for n, e := range p.exempt {
		if !used[n] && !t.Failed() {
			t.Errorf("%s of %q is alike by now: %s", e.member, e.scene, e.reason)
		}
	}
}

// tellEverywhere tells a chapter on all venues at once.
func tellEverywhere(t *testing.T, tellers []*teller, c chapter) [][]scene {
	t.Helper()
	stories := make([][]scene, len(tellers))
	told := t.Run("told", func(t *testing.T) {
		for n, w := range tellers {
			t.Run(string(w.venue), func(t *testing.T) {
				t.Parallel()
				w.begin(t)
				c.tell(w)
				stories[n] = w.story
			})
		}
	})
	if !told {
		t.FailNow()
	}
	return stories
}

// teller tells chapters on one venue, with a customer and an account of its own.
type teller struct {
	*service
	venue   venues.Venue
	control string
	id      string // of the customer
	story   []scene
	// heardEvents and seenFills are how many of them are told already.
	heardEvents, seenFills int
}

func newTeller(t *testing.T, s *service, venue venues.Venue, account string) *teller {
	t.Helper()
	w := &teller{service: &service{process: s.process, t: t, dir: s.dir, demo: s.demo}, venue: venue, control: s.demo.Sim[venue].ControlURL}
	w.id = w.administer(http.StatusCreated, http.MethodPost, "customers", `{"name":"alike"}`).text("id")
	made := post(t, w.control+"/accounts", account)
	w.administer(http.StatusCreated, http.MethodPost, "accounts", fmt.Sprintf(
		`{"customer":%q,"exchange":%q,"apiKey":%q,"apiSecret":%q,"passphrase":%q}`,
		w.id, venue, member(t, made, "apiKey"), member(t, made, "apiSecret"), member(t, made, "passphrase")))
	w.takeKey()
	eventually(t, "the account to take orders", w.takesOrders)
	return w
}

// begin starts a chapter, with a key that has its whole allowance.
func (w *teller) begin(t *testing.T) {
	w.t, w.story = t, nil
	w.takeKey()
	w.move(alikePrice)
	w.heardEvents = len(w.get("/v1/events?limit=500").items())
	w.seenFills = len(w.list("/v1/fills"))
}

func (w *teller) takeKey() {
	w.t.Helper()
	w.demo.APIKey = w.administer(http.StatusCreated, http.MethodPost, "keys", fmt.Sprintf(
		`{"customer":%q,"name":"alike","scopes":["read","trade","account"]}`, w.id)).text("apiKey")
}

// takesOrders says whether the account is reconciled: until then an order is refused
// for that, whatever is wrong with it.
func (w *teller) takesOrders() bool {
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

// flat closes the position and waits until that is told.
func (w *teller) flat() {
	w.t.Helper()
	w.send(http.StatusCreated, "/v1/positions/close", "")
	w.freshEvents(func(fresh []record) bool {
		return slices.ContainsFunc(fresh, func(e record) bool { return e.text("type") == "position.closed" })
	})
}

// note adds an answer or a message to the story.
func (w *teller) note(name string, what record) {
	w.story = append(w.story, scene{name, membersOf(what, w.venue)})
}

// move puts the market at a price.
func (w *teller) move(price string) {
	w.t.Helper()
	post(w.t, w.control+"/market", fmt.Sprintf(`{"symbol":"BTCUSDT","price":%q}`, price))
}

// houseTrades lets somebody else take from the book.
func (w *teller) houseTrades(side, qty string) {
	w.t.Helper()
	post(w.t, w.control+"/market/trade", fmt.Sprintf(`{"symbol":"BTCUSDT","side":%q,"qty":%q}`, side, qty))
}

func (w *teller) get(path string) record {
	w.t.Helper()
	return w.trade(http.StatusOK, http.MethodGet, path, "")
}

// list reads the items of a list about the venue and BTCUSDT.
func (w *teller) list(path string) []record {
	w.t.Helper()
	mark := "?"
	if strings.Contains(path, "?") {
		mark = "&"
	}
	return w.get(path + mark + "symbol=BTCUSDT&exchange=" + string(w.venue)).items()
}

// send posts something about BTCUSDT at the venue.
func (w *teller) send(status int, path, members string) record {
	w.t.Helper()
	if members != "" {
		members = "," + members
	}
	return w.trade(status, http.MethodPost, path, fmt.Sprintf(`{"exchange":%q,"symbol":"BTC/USDT:USDT"%s}`, w.venue, members))
}

// place is send for an order that is taken.
func (w *teller) place(members string) record {
	w.t.Helper()
	return w.send(http.StatusCreated, "/v1/orders", members)
}

// ended is an order that takes at once or not at all: the answer to it, or the record
// of its end where the answer could not wait for that.
func (w *teller) ended(answer record) record {
	w.t.Helper()
	closed := func(o record) bool { return venues.OrderStatus(o.text("status")).IsClosed() }
	if closed(answer) {
		return answer
	}
	return w.until("the end of an order", func() record { return w.get("/v1/orders/" + answer.text("orderId")) }, closed)
}

// refused notes why an order is refused.
func (w *teller) refused(name string, status int, path, members string) {
	w.t.Helper()
	w.note(name, w.send(status, path, members))
}

// fills waits for as many executions of the chapter, and gives them newest first.
func (w *teller) fills(n int) []record {
	w.t.Helper()
	var list []record
	eventually(w.t, "the fills", func() bool {
		list = w.list("/v1/fills")
		list = list[:len(list)-w.seenFills]
		return len(list) >= n
	})
	return list
}

// noteFills notes the executions of the chapter.
func (w *teller) noteFills(n int) {
	w.t.Helper()
	for n, fill := range w.fills(n) {
		w.note(fmt.Sprintf("fill %d", n), fill)
	}
}

func (w *teller) change(order record, members string) record {
	w.t.Helper()
	return w.trade(http.StatusOK, http.MethodPatch, "/v1/orders/"+order.text("orderId"), "{"+members+"}")
}

func (w *teller) cancel(order record) record {
	w.t.Helper()
	return w.trade(http.StatusOK, http.MethodDelete, "/v1/orders/"+order.text("orderId"), "")
}

// opens buys at exactly alikePrice, as much as is wanted.
func (w *teller) opens(qty string) record {
	w.t.Helper()
	order := w.place(fmt.Sprintf(`"side":"buy","type":"limit","qty":%q,"price":%q`, qty, alikePrice))
	w.move(alikePrice)
	return w.service.order(order.text("orderId"), "filled")
}

// until waits until a reading is as wanted.
func (w *teller) until(what string, read func() record, is func(record) bool) record {
	w.t.Helper()
	var found record
	eventually(w.t, what, func() bool {
		found = read()
		return is(found)
	})
	return found
}

// position waits for the position of a side as the venue tells it in the end: with
// everything that comes by another way than its first event.
func (w *teller) position(side, qty string) record {
	w.t.Helper()
	return w.until("the position", func() record {
		for _, p := range w.list("/v1/positions") {
			if p.text("side") == side {
				return p
			}
		}
		return nil
	}, func(p record) bool {
		return p.text("qty") == qty && p["markPrice"] != nil && p["leverage"] != nil && p["unrealizedPnl"] != nil
	})
}
