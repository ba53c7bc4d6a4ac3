package okx

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"venuegate/venues"
)

const algoHistory = "GET /api/v5/trade/orders-algo-history"

// lists is the number of requests for one read of the closed stops while no list has more
// than a page.
var lists = len(closedAlgoKinds) * len(closedAlgoStates)

// aStop returns a reference to a stop of this service.
func aStop(clientID string) venues.OrderRef {
	return venues.OrderRef{Symbol: "BTCUSDT", ClientOrderID: clientID, Type: venues.TypeStopMarket}
}

// lift removes rate limits that would spread the queries over seconds.
func (s *script) lift(limits ...rateLimit) {
	for _, of := range limits {
		s.connector.Gate.Resize(s.account.limits.budget(of), 100_000)
	}
}

var (
	byName   = rateLimit{name: algoPath, requests: algoLimit}
	byLists  = rateLimit{name: algoHistoryPath, requests: algoLimit}
	asOrders = rateLimit{name: orderPath, requests: orderLimit, scope: "BTC-USDT-SWAP"}
)

// After a restart many stops can be unknown at the same time. To confirm the absence of
// one requires a read of all lists of closed stops; fifty must not require fifty reads.
func TestPurgedStopsShareReads(t *testing.T) {
	const stops = 50
	s := newScript(t)
	s.lift(byName, byLists, asOrders)
	s.On(readOrder, 200, noOrder)
	s.On(readAlgo, 200, noOrder)
	s.On(algoHistory, 200, nothing)
	askAll(t, stops, func(name string) {
		if _, err := s.account.Order(background, aStop(name)); venues.CodeOf(err) != venues.CodeNotFound {
			t.Error(err)
		}
	})
	named, read := len(s.Sent(readAlgo)), len(s.Sent(algoHistory))
	t.Logf("%d stops: %d queries by id, %d pages of closed stops; %d with one read each", stops, named, read, stops*lists)
	if named != stops || read%lists != 0 || read > stops*lists/2 {
		t.Errorf("%d queries by id, %d pages of closed stops, want one of each and few pages", named, read)
	}
}

// An account that trades much has a long history per instrument.
func TestPurgedOrdersShareReads(t *testing.T) {
	const history, orders, pages = "GET /api/v5/trade/orders-history", 50, 3
	s := newScript(t)
	s.lift(asOrders, rateLimit{name: historyPath, requests: historyLimit})
	s.On(readOrder, 200, noOrder)
	s.Check = func(r *http.Request, _ string) { // each read returns the same pages
		if r.URL.Path == historyPath && r.URL.Query().Get("after") == "" {
			s.Clear(history)
			for n := range pages {
				s.On(history, 200, orderPage(n, ordersPage-n/(pages-1)))
			}
		}
	}
	askAll(t, orders, func(name string) {
		ref := venues.OrderRef{Symbol: "BTCUSDT", ClientOrderID: name, Type: venues.TypeLimit}
		if _, err := s.account.Order(background, ref); venues.CodeOf(err) != venues.CodeNotFound {
			t.Error(err)
		}
	})
	named, read := len(s.Sent(readOrder)), len(s.Sent(history))
	t.Logf("%d orders: %d queries by id, %d pages of closed orders; %d with one read each", orders, named, read, orders*pages)
	if named != orders || read%pages != 0 || read > orders*pages/2 {
		t.Errorf("%d queries by id, %d pages of closed orders, want one of each and few pages", named, read)
	}
}

// orderPage returns a page of closed orders.
func orderPage(n, size int) string {
	rows := make([]string, size)
	for m := range rows {
		rows[m] = anOrder("vg00000001", fmt.Sprintf("other%d", m), "2896576259728695296", fmt.Sprint(900_000-n*ordersPage-m), `"live"`, `"canceled"`)
	}
	return answerOf(rows...)
}

// askAll queries many orders, as many at the same time as the service does.
func askAll(t *testing.T, orders int, ask func(name string)) {
	t.Helper()
	const atOnce = 16
	var asking sync.WaitGroup
	places := make(chan struct{}, atOnce)
	for n := range orders {
		places <- struct{}{}
		asking.Go(func() {
			defer func() { <-places }()
			ask(fmt.Sprint("vg", n))
		})
	}
	asking.Wait()
}

// algoPage returns a full page of stops that were created at a time.
func algoPage(n int, created time.Time) string {
	rows := make([]string, ordersPage)
	for m := range rows {
		rows[m] = anAlgo("vg00000001", fmt.Sprintf("other%d", m), "2896574163517353984", fmt.Sprint(900_000-n*ordersPage-m), `"live"`, `"canceled"`,
			`"cTime":"1758827099512"`, fmt.Sprintf(`"cTime":"%d"`, created.UnixMilli()))
	}
	return answerOf(rows...)
}

// The read goes back as far as an absence can be confirmed, and no further.
func TestClosedStopsAreReadAsFarAsTheirRetention(t *testing.T) {
	ref := aStop("vg00000001")
	young, old := time.Now().Add(-time.Hour), time.Now().Add(-3*time.Hour)
	s := newScript(t)
	s.lift(byLists)
	s.On(readOrder, 200, noOrder)
	s.On(readAlgo, 200, noOrder)
	s.On(algoHistory, 200, algoPage(0, young))
	s.On(algoHistory, 200, answerOf(anAlgo(`"live"`, `"canceled"`)))
	s.On(algoHistory, 200, algoPage(0, old))
	s.On(algoHistory, 200, nothing)
	report, err := s.account.Order(background, ref)
	if err != nil || report.Status != venues.StatusCancelled || report.ClientOrderID != ref.ClientOrderID {
		t.Errorf("report = %+v, err = %v, want the cancelled order %s", report, err, ref.ClientOrderID)
	}
	read := s.Sent(algoHistory)
	if len(read) != lists+1 {
		t.Errorf("%d pages, want those of the retention", len(read))
	}
	last := strconv.Itoa(900_000 - ordersPage + 1)
	if read[0].Payload != "ordType=conditional&state=effective&limit=100" || read[1].Payload != read[0].Payload+"&after="+last {
		t.Errorf("queries %s and %s, want all conditional stops in effect, then those after %s", read[0].Payload, read[1].Payload, last)
	}

	s.Clear(algoHistory)
	for n := range closedAlgosPagesMax {
		s.On(algoHistory, 200, algoPage(n, young))
	}
	if _, err := s.account.Order(background, ref); venues.CodeOf(err) != venues.CodeExchangeUnavailable {
		t.Errorf("incomplete list: error %v, want no confirmed absence", err)
	}
}

// A stop of another instrument or with another id is a different one.
func TestClosedStopIsFoundByItsID(t *testing.T) {
	s := newScript(t)
	s.lift(byLists)
	s.On(readOrder, 200, noOrder)
	s.On(readAlgo, 200, noOrder)
	s.On(algoHistory, 200, answerOf(anAlgo("BTC-USDT-SWAP", "ETH-USDT-SWAP"), anAlgo("vg00000001", "vg00000002"), anAlgo("vg00000001", "", `"live"`, `"order_failed"`)))
	if report, err := s.account.Order(background, aStop("vg00000001")); venues.CodeOf(err) != venues.CodeNotFound {
		t.Errorf("report = %+v, err = %v, want not_found", report, err)
	}
	ref := venues.OrderRef{Symbol: "BTCUSDT", VenueOrderID: "2896574163517353984", Type: venues.TypeStopMarket}
	s.Replace(algoHistory, 200, answerOf(anAlgo(`"live"`, `"order_failed"`)))
	if report, err := s.account.Order(background, ref); err != nil || report.Status != venues.StatusRejected {
		t.Errorf("report = %+v, err = %v, want a rejected stop", report, err)
	}
}

// The venue purges a cancelled order without a fill after two hours and keeps the stop
// that has become it for months: such a stop is not open.
func TestStopWhoseOrderIsPurged(t *testing.T) {
	const history = "GET /api/v5/trade/orders-history"
	ref := aStop("vg00000001")
	ref.Type = venues.TypeStopLimit
	triggered := func(ago time.Duration) string {
		return answerOf(anAlgo(`"live"`, `"effective"`, `"ordIdList":[]`, `"ordIdList":["77"]`,
			`"uTime":"1758827099513"`, fmt.Sprintf(`"uTime":"%d"`, time.Now().Add(-ago).UnixMilli())))
	}
	for _, c := range []struct {
		name    string
		ago     time.Duration
		history string
		want    venues.OrderStatus
	}{
		{"just triggered", time.Second, nothing, venues.StatusOpen},
		{"shown by the history alone", 24 * time.Hour, answerOf(anOrder(`"live"`, `"filled"`, `"2896576259728695296"`, `"77"`, `"accFillSz":"0"`, `"accFillSz":"0.5"`)), venues.StatusFilled},
		{"forgotten", 3 * time.Hour, nothing, ""},
	} {
		s := newScript(t)
		s.lift(byLists)
		s.On(readAlgo, 200, triggered(c.ago))
		s.On(algoHistory, 200, triggered(c.ago))
		s.On(readOrder, 200, noOrder)
		s.On(history, 200, c.history)
		report, err := s.account.Order(background, ref)
		switch {
		case c.want == "" && venues.CodeOf(err) == venues.CodeNotFound:
		case c.want == "" || err != nil || report.Status != c.want || report.ClientOrderID != ref.ClientOrderID:
			t.Errorf("%s: report %+v, error %v, want the status %q of %s", c.name, report, err, c.want, ref.ClientOrderID)
		}
	}
}
