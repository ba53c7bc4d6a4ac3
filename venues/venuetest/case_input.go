package venuetest

import (
	"errors"
	"strings"
	"time"

	"venuegate/venues"
)

var inputCases = []conformanceCase{
	{number: 320, name: "HTML with status 200 in answer to an order: unknown, and the order is found", run: htmlForOrder},
	{number: 321, name: "HTML with status 200 in answer to reads: plain failures", run: htmlForReads},
	{number: 322, name: "status 200 with an error code is the error", run: errorWithStatus200},
	{number: 323, name: "a truncated answer to an order: unknown, and the order is found", run: truncatedOrder},
	{number: 324, name: "truncated answers to reads: plain failures", run: truncatedReads},
	{number: 325, name: "a field of the wrong type: a plain failure, never a guess", run: wrongType},
	{number: 326, name: "an unknown order state in an answer: never guessed", run: unknownState},
	{number: 327, name: "an unknown order state in an event: a loss or unknown, never guessed", run: unknownStateEvent},
	{number: 328, name: "unknown fields change nothing", run: unknownFields},
	{number: 329, name: "an unknown instrument state means not trading", run: unknownInstrumentState},
	{number: 330, name: "messages in other languages come through bounded and whole", run: localised},
	{number: 331, name: "an empty answer to an order: unknown", run: emptyAnswer},
	{number: 332, name: "an answer of many megabytes is not read to its end", run: hugeAnswer},
	{number: 333, name: "a book message that cannot be read interrupts and is mended", under: lively, run: unreadableBook},
	{number: 334, name: "redirections are not followed with a signed request", run: redirected},
}

const page = "<!DOCTYPE html><html><body><h1>Just a moment...</h1></body></html>"

// says makes every answer of a route one body, with status 200.
func (s *stage) says(route Route, body string) {
	s.rest.answer(route, func(int, string) (int, string) { return 200, body })
}

// misread places an order that is executed and whose answer is spoilt.
func (s *stage) misread(spoil func(status int, body string) (int, string)) {
	s.t.Helper()
	s.warm()
	s.rest.answer(s.harness.Wire.Place, spoil)
	order := s.order()
	_, err := s.account.Place(s.t.Context(), order)
	s.uncertain(err)
	s.rest.answer(Route{}, nil)
	s.holds(order.ClientOrderID, 1)
	if found := s.find(order); found.Status != venues.StatusOpen {
		s.t.Errorf("%+v", found)
	}
}

func htmlForOrder(s *stage) {
	s.misread(func(int, string) (int, string) { return 200, page })
}

// reads is every read of an account and its venue.
func (s *stage) reads(order venues.OrderRequest) map[string]func() error {
	ctx := s.t.Context()
	return map[string]func() error{
		"instruments": func() error { _, err := s.connector.Instruments(ctx); return err },
		"candles":     func() error { _, err := s.connector.Candles(ctx, symbol, "1m", 10); return err },
		"snapshot":    func() error { _, err := s.connector.Snapshot(ctx, symbol); return err },
		"clock":       func() error { _, err := s.connector.SyncClock(ctx); return err },
		"mode":        func() error { _, err := s.account.Mode(ctx); return err },
		"balances":    func() error { _, err := s.account.Balances(ctx); return err },
		"positions":   func() error { _, err := s.account.Positions(ctx); return err },
		"open orders": func() error { _, err := s.account.OpenOrders(ctx); return err },
		"order":       func() error { _, err := s.account.Order(ctx, refOf(order)); return err },
		"fills": func() error {
			_, err := s.account.Fills(ctx, venues.FillsQuery{Symbol: symbol, From: order.Deadline.Add(-time.Hour), To: order.Deadline})
			return err
		},
	}
}

// spoiltReads runs every read on spoilt answers; each must fail plainly.
func (s *stage) spoiltReads(spoil func(status int, body string) (int, string)) {
	s.t.Helper()
	s.filled(market(venues.Buy, "0.01"))
	order := s.resting()
	s.rest.answer(Route{}, spoil)
	for name, read := range s.reads(order) {
		err := read()
		if code := venues.CodeOf(err); err == nil || code == venues.CodeNotFound || errors.Is(err, venues.ErrOutcomeUnknown) {
			s.t.Errorf("%s: %v", name, err)
		}
	}
	s.rest.answer(Route{}, nil)
	for name, read := range s.reads(order) {
		if err := read(); err != nil {
			s.t.Errorf("%s afterwards: %v", name, err)
		}
	}
}

func htmlForReads(s *stage) {
	s.spoiltReads(func(int, string) (int, string) { return 200, page })
}

func errorWithStatus200(s *stage) {
	order := s.resting()
	s.says(s.harness.Wire.OpenOrders, s.harness.Wire.BusyBody)
	_, err := s.account.OpenOrders(s.t.Context())
	s.plain(err, venues.CodeExchangeUnavailable)
	s.says(s.harness.Wire.Query, s.harness.Wire.BusyBody)
	_, err = s.account.Order(s.t.Context(), refOf(order))
	s.plain(err, venues.CodeExchangeUnavailable)
	s.rest.answer(Route{}, nil)
	s.misread(func(int, string) (int, string) { return 200, s.harness.Wire.BusyBody })
}

func half(status int, body string) (int, string) { return status, body[:len(body)/2] }

func truncatedOrder(s *stage) { s.misread(half) }

func truncatedReads(s *stage) { s.spoiltReads(half) }

// swapped changes an answer's words.
func swapped(swap Swap) func(int, string) (int, string) {
	return func(status int, body string) (int, string) {
		return status, swap.in(body)
	}
}

// misunderstood asks for an order whose answer is changed: an error or the state
// unknown, nothing else.
func (s *stage) misunderstood(swap Swap) {
	s.t.Helper()
	order := s.resting()
	s.rest.answer(s.harness.Wire.Query, swapped(swap))
	found, err := s.account.Order(s.t.Context(), refOf(order))
	if s.rest.changes() == 0 {
		s.t.Fatal("no answer was changed")
	}
	if err == nil && found.Status != venues.StatusUnknown || venues.CodeOf(err) == venues.CodeNotFound || errors.Is(err, venues.ErrOutcomeUnknown) {
		s.t.Errorf("%+v, %v", found, err)
	}
	s.rest.answer(s.harness.Wire.OpenOrders, swapped(swap))
	open, err := s.account.OpenOrders(s.t.Context())
	if err == nil && (len(open) != 1 || open[0].Status != venues.StatusUnknown) {
		s.t.Errorf("%+v", open)
	}
}

func wrongType(s *stage) { s.misunderstood(s.harness.Wire.OrderStateType) }

func unknownState(s *stage) { s.misunderstood(s.harness.Wire.OrderState) }

func unknownStateEvent(s *stage) {
	s.warm()
	s.streams.tamper(s.harness.Wire.OrderStateEvent.in)
	order := s.place()
	s.await("a loss or the state unknown", func(h *heard) bool {
		return len(h.lost) > 0 || h.last(order.ClientOrderID).Status == venues.StatusUnknown
	})
	s.heard.mu.Lock()
	for _, r := range s.heard.reports {
		if r.ClientOrderID == order.ClientOrderID && r.Status != venues.StatusUnknown {
			s.t.Errorf("guessed: %+v", r)
		}
	}
	s.heard.mu.Unlock()
	s.streams.tamper(nil)
	s.await("a connection", func(h *heard) bool { return h.connected > len(h.lost) })
	if found := s.find(order); found.Status != venues.StatusOpen {
		s.t.Errorf("%+v", found)
	}
	s.cancel(order)
}

// novel puts a member that nobody knows at the head of every object.
func novel(message string) string {
	message = strings.ReplaceAll(message, "{", `{"noveltyOf2031":{"deep":[1,"two",null]},`)
	return strings.ReplaceAll(message, ",}", "}")
}

func unknownFields(s *stage) {
	s.filled(market(venues.Buy, "0.01"))
	order := s.resting()
	s.rest.answer(Route{}, func(status int, body string) (int, string) { return status, novel(body) })
	for name, read := range s.reads(order) {
		if err := read(); err != nil {
			s.t.Errorf("%s: %v", name, err)
		}
	}
	s.cancel(order)
	s.filled(market(venues.Sell, "0.01"), reduceOnly)
	if positions := s.positions(); len(positions) != 0 {
		s.t.Errorf("%+v", positions)
	}
}

func unknownInstrumentState(s *stage) {
	s.rest.answer(s.harness.Wire.Instruments, swapped(s.harness.Wire.InstrumentState))
	list, err := s.connector.Instruments(s.t.Context())
	if s.rest.changes() == 0 {
		s.t.Fatal("no answer was changed")
	}
	for _, i := range list {
		if i.Status == venues.InstrumentTrading {
			s.t.Errorf("%+v", i)
		}
	}
	if err == nil && len(list) == 0 {
		s.t.Error("an empty catalogue without an error")
	}
}

func localised(s *stage) {
	words := strings.Repeat("保证金不足。Недостаточно маржи 🙁 ", 200)
	s.rest.answer(s.harness.Wire.Place, func(status int, body string) (int, string) {
		return status, strings.ReplaceAll(body, "a word that nobody knows", words)
	})
	s.fault("reject", s.harness.Wire.Place, 1, faultCode(s.harness.Wire.NoMargin, "a word that nobody knows"))
	_, err := s.account.Place(s.t.Context(), s.order())
	e := s.refusal(err, venues.CodeInsufficientBalance, "")
	if !strings.HasPrefix(words, strings.TrimSuffix(e.VenueMessage, "…")) || len(e.VenueMessage) == 0 || len(e.VenueMessage) > 1000 {
		s.t.Errorf("%d bytes: %q", len(e.VenueMessage), e.VenueMessage)
	}
}

func emptyAnswer(s *stage) {
	s.misread(func(status int, _ string) (int, string) { return status, "" })
}

func hugeAnswer(s *stage) {
	huge := `{"code":"0","retCode":0,"data":["` + strings.Repeat("x", 40<<20) + `"]}`
	s.says(s.harness.Wire.OpenOrders, huge)
	_, err := s.account.OpenOrders(s.t.Context())
	s.plain(err)
}

func unreadableBook(s *stage) {
	b, _ := s.begun()
	s.streams.tamper(s.harness.Wire.BookKey.in)
	s.hears(b, "the interruption", func(b *books) bool { return b.interrupted[bookOf(symbol)] > 0 })
	s.streams.tamper(nil)
	s.hears(b, "the return", func(b *books) bool { return b.resumed[bookOf(symbol)] > 1 })
	s.begins(b)
	s.more(b, symbol)
}

func redirected(s *stage) {
	s.misread(func(int, string) (int, string) { return 302, page })
}
