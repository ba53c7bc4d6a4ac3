package bybit

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/connectortest"
)

// Each kind of order on the wire, in both position modes.
func TestPlaceOnTheWire(t *testing.T) {
	const head = `{"category":"linear","symbol":"BTCUSDT","orderLinkId":"vg00000001",`
	for _, c := range []struct {
		name          string
		order         venues.OrderRequest
		rest          string
		oneWay, hedge string
	}{
		{
			"limit", limitOrder(),
			`"side":"Buy","orderType":"Limit","qty":"0.01","price":"60000","timeInForce":"GTC","reduceOnly":false,"positionIdx":`, "0", "1",
		},
		{
			"post-only sell", orderWith(func(r *venues.OrderRequest) { r.PostOnly, r.Side = true, venues.Sell }),
			`"side":"Sell","orderType":"Limit","qty":"0.01","price":"60000","timeInForce":"PostOnly","reduceOnly":false,"positionIdx":`, "0", "2",
		},
		{
			"fill or kill", orderWith(func(r *venues.OrderRequest) { r.TimeInForce = venues.FillOrKill }),
			`"side":"Buy","orderType":"Limit","qty":"0.01","price":"60000","timeInForce":"FOK","reduceOnly":false,"positionIdx":`, "0", "1",
		},
		{
			"immediate or cancel", orderWith(func(r *venues.OrderRequest) { r.TimeInForce = venues.ImmediateOrCancel }),
			`"side":"Buy","orderType":"Limit","qty":"0.01","price":"60000","timeInForce":"IOC","reduceOnly":false,"positionIdx":`, "0", "1",
		},
		{
			"reduce-only market", orderWith(func(r *venues.OrderRequest) {
				r.Type, r.Side, r.Price, r.ReduceOnly = venues.TypeMarket, venues.Sell, venues.Optional{}, true
			}),
			`"side":"Sell","orderType":"Market","qty":"0.01","reduceOnly":true,"positionIdx":`, "0", "1",
		},
		{
			"with protection", orderWith(func(r *venues.OrderRequest) { r.StopLoss, r.TakeProfit = dec("58000"), dec("65000") }),
			`"side":"Buy","orderType":"Limit","qty":"0.01","price":"60000","timeInForce":"GTC","reduceOnly":false,"tpslMode":"Full",` +
				`"stopLoss":"58000","takeProfit":"65000","slTriggerBy":"LastPrice","tpTriggerBy":"LastPrice","positionIdx":`, "0", "1",
		},
		{
			"stop loss alone", orderWith(func(r *venues.OrderRequest) { r.StopLoss = dec("58000") }),
			`"side":"Buy","orderType":"Limit","qty":"0.01","price":"60000","timeInForce":"GTC","reduceOnly":false,"tpslMode":"Full",` +
				`"stopLoss":"58000","slTriggerBy":"LastPrice","positionIdx":`, "0", "1",
		},
		{
			"stop limit above the market", orderWith(func(r *venues.OrderRequest) { r.Type, r.TriggerPrice = venues.TypeStopLimit, dec("61000") }),
			`"side":"Buy","orderType":"Limit","qty":"0.01","price":"60000","timeInForce":"GTC","reduceOnly":false,` +
				`"triggerPrice":"61000","triggerDirection":1,"triggerBy":"LastPrice","positionIdx":`, "0", "1",
		},
		{
			"reduce-only stop below the market", orderWith(func(r *venues.OrderRequest) {
				r.Type, r.Side, r.TriggerPrice, r.Price, r.ReduceOnly = venues.TypeStopMarket, venues.Sell, dec("58000"), venues.Optional{}, true
			}),
			`"side":"Sell","orderType":"Market","qty":"0.01","reduceOnly":true,"triggerPrice":"58000","triggerDirection":2,"triggerBy":"LastPrice","positionIdx":`, "0", "1",
		},
		{
			"stop of a whole short whose trigger has passed", orderWith(func(r *venues.OrderRequest) {
				r.Type, r.TriggerPrice, r.Price, r.ClosePosition, r.TriggerDirection = venues.TypeStopMarket, dec("59000"), venues.Optional{}, true, venues.TriggerRising
			}),
			`"side":"Buy","orderType":"Market","qty":"0","reduceOnly":true,"closeOnTrigger":true,"triggerPrice":"59000","triggerDirection":1,"triggerBy":"LastPrice","positionIdx":`, "0", "2",
		},
	} {
		for rows, index := range map[string]string{emptyRow: c.oneWay, hedgeRows: c.hedge} {
			s := newScript(t)
			s.Clear(listPositions)
			s.ok(listPositions, rows)
			s.ok("GET /v5/market/tickers", `{"list":[{"symbol":"BTCUSDT","lastPrice":"60000.00"}]}`)
			s.ok(createOrder, accepted)
			if _, err := s.account.Place(background, c.order); err != nil {
				t.Errorf("%s: err = %v, want no error", c.name, err)
			}
			connectortest.SameJSON(t, c.name, s.Last(createOrder).Body, head+c.rest+index+"}")

		}
	}
}

func TestPlaceReport(t *testing.T) {
	s := newScript(t)
	s.ok(createOrder, accepted)
	r, err := s.account.Place(background, limitOrder())
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != venues.StatusPending || r.ClientOrderID != ours.ClientOrderID || r.VenueOrderID != ours.VenueOrderID || r.Symbol != "BTCUSDT" ||
		r.Side != venues.Buy || r.Type != venues.TypeLimit || !r.Qty.Equal(dec("0.01").Decimal) || !r.FilledQty.IsZero() || r.RejectReason != nil {
		t.Errorf("report %+v, want a pending order with the terms of the request", r)
	}
}

// An answer about another order, or none, leaves the outcome unknown.
func TestPlaceUncertainAnswers(t *testing.T) {
	for _, result := range []string{`{}`, `null`, `[]`, `{"orderId":"","orderLinkId":"vg00000001"}`, `{"orderId":"x","orderLinkId":"other"}`, `{"orderId":7}`} {
		s := newScript(t)
		s.ok(createOrder, result)
		if _, err := s.account.Place(background, limitOrder()); !errors.Is(err, venues.ErrOutcomeUnknown) {
			t.Errorf("%s: error %v, want an unknown outcome", result, err)
		}
		if n := len(s.Sent(createOrder)); n != 1 {
			t.Errorf("%s: %d requests, want 1", result, n)
		}
	}
}

// The deadline is sent as the receive window, in the venue's time.
func TestDeadlineIsSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(t)
		s.now = func() time.Time { return time.Now().Add(40 * time.Second) } // the venue is ahead
		s.ok(createOrder, accepted)
		order := limitOrder()
		if _, err := s.account.Place(background, order); err != nil {
			t.Fatal(err)
		}
		h := s.Sent(createOrder)[0].Header
		stamp, _ := strconv.ParseInt(h.Get("X-Bapi-Timestamp"), 10, 64)
		window, _ := strconv.ParseInt(h.Get("X-Bapi-Recv-Window"), 10, 64)
		ends := time.UnixMilli(stamp + window).Sub(order.Deadline.Add(s.connector.Clock.Offset()))
		if ends > 0 || ends < -5*time.Millisecond { // truncated to whole milliseconds
			t.Errorf("the receive window ends %v after the deadline, want at most 0", ends)
		}
		if offset := s.connector.Clock.Offset(); (offset - 40*time.Second).Abs() > 5*time.Second {
			t.Errorf("offset %v, want 40 s within 5 s", offset)
		}
	})
}

func TestDeadlinePassed(t *testing.T) {
	s := newScript(t)
	s.ok(createOrder, accepted)
	late := orderWith(func(r *venues.OrderRequest) { r.Deadline = time.Now().Add(-time.Second) })
	if _, err := s.account.Place(background, late); !errors.Is(err, venues.ErrNotSent) {
		t.Errorf("place: error %v, want ErrNotSent", err)
	}
	if _, err := s.account.Amend(background, venues.AmendRequest{OrderRef: ours, Qty: dec("1").Decimal, Deadline: late.Deadline}); !errors.Is(err, venues.ErrNotSent) {
		t.Errorf("amend: error %v, want ErrNotSent", err)
	}
	if n := len(s.Sent(createOrder)) + len(s.Sent(amendOrder)); n != 0 {
		t.Errorf("%d requests sent, want 0", n)
	}
}

func TestPlaceWithoutTrigger(t *testing.T) {
	s := newScript(t)
	_, err := s.account.Place(background, orderWith(func(r *venues.OrderRequest) { r.Type = venues.TypeStopMarket }))
	if !errors.Is(err, venues.ErrNotSent) || venues.CodeOf(err) != venues.CodeInvalidRequest {
		t.Error(err)
	}
}

// A rejected timestamp is definite: the order is signed once more under its deadline.
func TestRejectedTimestampIsSignedAgain(t *testing.T) {
	s := newScript(t)
	s.reject(createOrder, 10002, "invalid request, please check your server timestamp")
	s.ok(createOrder, accepted)
	if _, err := s.account.Place(background, limitOrder()); err != nil {
		t.Fatal(err)
	}
	if n := len(s.Sent(createOrder)); n != 2 {
		t.Errorf("%d requests sent, want 2", n)
	}
	s.Clear(createOrder)
	s.reject(createOrder, 10002, "invalid request")
	_, err := s.account.Place(background, limitOrder())
	if errors.Is(err, venues.ErrOutcomeUnknown) || venues.CodeOf(err) != venues.CodeExchangeUnavailable || len(s.Sent(createOrder)) != 4 {
		t.Errorf("error %v after %d requests, want a definite exchange_unavailable after 4", err, len(s.Sent(createOrder)))
	}
}

// An order in the wrong position mode is sent once more in the right one.
func TestPositionModeIsReadAgain(t *testing.T) {
	s := newScript(t)
	s.ok(listPositions, hedgeRows) // the second read
	s.reject(createOrder, 10001, "position idx not match position mode")
	s.ok(createOrder, accepted)
	for range 2 {
		if _, err := s.account.Place(background, limitOrder()); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(s.Sent(createOrder)); n != 3 {
		t.Errorf("%d requests sent, want 3", n)
	}
	s.Clear(createOrder)
	s.reject(createOrder, 10001, "params error: side invalid")
	before := len(s.Sent(createOrder))
	if _, err := s.account.Place(background, limitOrder()); venues.CodeOf(err) != venues.CodeInvalidRequest || len(s.Sent(createOrder)) != before+1 {
		t.Errorf("error %v after %d requests, want invalid_request after 1", err, len(s.Sent(createOrder))-before)
	}
}

// What may have been executed is never sent again.
func TestUnknownOutcomes(t *testing.T) {
	for name, answer := range map[string]connectortest.Answer{
		"time-out":         {Hang: true},
		"server timeout":   {Status: 200, Body: `{"retCode":10000,"retMsg":"Server Timeout","result":{}}`},
		"server error":     {Status: 200, Body: `{"retCode":10016,"retMsg":"Server error","result":{}}`},
		"duplicate id":     {Status: 200, Body: `{"retCode":110072,"retMsg":"OrderLinkedID is duplicate","result":{}}`},
		"overload":         {Status: 200, Body: `{"retCode":429,"retMsg":"high load","result":{}}`},
		"bad gateway":      {Status: 502, Body: `<html>502</html>`},
		"500 with success": {Status: 500, Body: `{"retCode":0,"retMsg":"OK","result":{"orderId":"x"}}`},
		"page":             {Status: 200, Body: `<html>hello</html>`},
		"cut":              {Status: 200, Body: `{"retCode":0,"retMsg":"OK","res`},
		"no code":          {Status: 200, Body: `{"result":{}}`},
		"redirect":         {Status: 302, Body: ``},
		"forbidden":        {Status: 403, Body: `<html>region</html>`},
	} {
		s := newScript(t)
		s.Add(createOrder, answer)
		place := func(ctx context.Context) error {
			_, err := s.account.Place(ctx, limitOrder())
			return err
		}
		var err error
		if answer.Hang {
			err = s.CancelWhenReceived(createOrder, place)
		} else {
			err = place(background)
		}
		if !errors.Is(err, venues.ErrOutcomeUnknown) {
			t.Errorf("%s: error %v, want an unknown outcome", name, err)
		}
		if n := len(s.Sent(createOrder)); n != 1 {
			t.Errorf("%s: %d requests, want 1", name, n)
		}
	}
}

func TestAmend(t *testing.T) {
	s := newScript(t)
	s.ok(amendOrder, accepted)
	r, err := s.account.Amend(background, venues.AmendRequest{OrderRef: ours, Side: venues.Buy, Qty: dec("0.02").Decimal, Price: dec("59000"), Deadline: time.Now().Add(orderLife)})
	if err != nil || r.Status != venues.StatusPending || !r.Qty.IsZero() || r.Price.Valid || r.VenueOrderID != ours.VenueOrderID {
		t.Errorf("report %+v, error %v, want the pending order %s without terms", r, err, ours.VenueOrderID)
	}
	if got := s.Last(amendOrder).Body; got != `{"category":"linear","symbol":"BTCUSDT","orderLinkId":"vg00000001","qty":"0.02","price":"59000"}` {
		t.Errorf("request %s, want quantity 0.02 and price 59000 only", got)
	}
}

// Which new terms of a stop are sent depends on whether it has triggered.
func TestAmendStop(t *testing.T) {
	const head = `{"category":"linear","symbol":"BTCUSDT","orderLinkId":"vg00000001",`
	waiting := []string{`"New"`, `"Untriggered"`, `"stopOrderType":""`, `"stopOrderType":"Stop"`}
	for name, c := range map[string]struct{ row, want string }{
		"waiting":             {orderRow(waiting...), `"qty":"0.02","price":"57000","triggerPrice":"58000"}`},
		"triggered":           {orderRow(`"stopOrderType":""`, `"stopOrderType":"Stop"`), `"qty":"0.02","price":"57000"}`},
		"of a whole position": {orderRow(append(waiting, `"qty":"0.01"`, `"qty":"0"`)...), `"price":"57000","triggerPrice":"58000"}`},
	} {
		s := newScript(t)
		s.ok(readRealtime, listOf(c.row))
		s.ok(amendOrder, accepted)
		stop := ours
		stop.Type = venues.TypeStopLimit
		if _, err := s.account.Amend(background, venues.AmendRequest{OrderRef: stop, Qty: dec("0.02").Decimal, Price: dec("57000"), TriggerPrice: dec("58000")}); err != nil {
			t.Errorf("%s: err = %v, want no error", name, err)
		}
		if got := s.Last(amendOrder).Body; got != head+c.want {
			t.Errorf("%s: body %s, want %s", name, got, head+c.want)
		}
	}
	s := newScript(t)
	s.ok(readRealtime, nothing)
	s.ok(readHistory, nothing)
	gone := ours
	gone.Type = venues.TypeStopLimit
	if _, err := s.account.Amend(background, venues.AmendRequest{OrderRef: gone, Qty: dec("1").Decimal}); !errors.Is(err, venues.ErrNotSent) || venues.CodeOf(err) != venues.CodeNotFound {
		t.Error(err)
	}
}

// The venue rejects an amend that changes nothing; Amend succeeds then.
func TestAmendUnchanged(t *testing.T) {
	s := newScript(t)
	s.reject(amendOrder, 10001, "The order remains unchanged as the parameters entered match the existing ones.")
	s.ok(readRealtime, listOf(orderRow()))
	r, err := s.account.Amend(background, venues.AmendRequest{OrderRef: ours, Qty: dec("0.010").Decimal, Price: dec("60000")})
	if err != nil || r.Status != venues.StatusOpen {
		t.Errorf("r = %+v, err = %v, want an open order", r, err)
	}
	if _, err = s.account.Amend(background, venues.AmendRequest{OrderRef: ours, Qty: dec("0.02").Decimal, Price: dec("60000")}); venues.CodeOf(err) != venues.CodeInvalidRequest {
		t.Error(err)
	}
}

func TestCancel(t *testing.T) {
	s := newScript(t)
	s.ok(cancelOrder, accepted)
	r, err := s.account.Cancel(background, ours)
	if err != nil || r.Status != venues.StatusPending || r.ClientOrderID != ours.ClientOrderID {
		t.Errorf("report %+v, error %v, want the pending order %s", r, err, ours.ClientOrderID)
	}
	if got := s.Last(cancelOrder).Body; got != `{"category":"linear","symbol":"BTCUSDT","orderLinkId":"vg00000001"}` {
		t.Errorf("body %s, want the category, the symbol and the orderLinkId vg00000001", got)
	}
	if _, err = s.account.Cancel(background, venues.OrderRef{Symbol: "BTCUSDT", VenueOrderID: ours.VenueOrderID}); err != nil {
		t.Error(err)
	}
	if got := s.Last(cancelOrder).Body; got != `{"category":"linear","symbol":"BTCUSDT","orderId":"`+ours.VenueOrderID+`"}` {
		t.Errorf("body %s, want the category, the symbol and the orderId %s", got, ours.VenueOrderID)
	}
	s.Clear(cancelOrder)
	s.reject(cancelOrder, 110001, "Order does not exist")
	if _, err = s.account.Cancel(background, ours); venues.CodeOf(err) != venues.CodeNotFound || errors.Is(err, venues.ErrOutcomeUnknown) {
		t.Error(err)
	}
}

func TestOrderIsReadFromBothLists(t *testing.T) {
	s := newScript(t)
	s.ok(readRealtime, nothing)
	s.ok(readHistory, listOf(orderRow(`"New"`, `"Cancelled"`, "UNKNOWN", "CancelByUser")))
	r, err := s.account.Order(background, ours)
	if err != nil || r.Status != venues.StatusCancelled || r.RejectReason != nil {
		t.Errorf("r = %+v, err = %v, want a cancelled order without a reject reason", r, err)
	}
	if q := s.Sent(readHistory)[0].Query.Encode(); q != "category=linear&orderLinkId=vg00000001&symbol=BTCUSDT" {
		t.Errorf("query %v, want category=linear&orderLinkId=vg00000001&symbol=BTCUSDT", q)
	}
	s.Clear(readHistory)
	s.ok(readHistory, listOf(orderRow("vg00000001", "vg00000002"))) // another one
	if _, err = s.account.Order(background, ours); venues.CodeOf(err) != venues.CodeNotFound {
		t.Error(err)
	}
	s.Clear(readHistory)
	s.ok(readHistory, listOf(orderRow(`"New"`, `"Sleeping"`)))
	if _, err = s.account.Order(background, ours); venues.CodeOf(err) != venues.CodeExchangeUnavailable {
		t.Error(err)
	}
}

func TestOpenOrdersPages(t *testing.T) {
	s := newScript(t)
	var rows []string
	for n := range ordersPage {
		rows = append(rows, orderRow(ours.VenueOrderID, "order"+strconv.Itoa(n)))
	}
	s.ok(readRealtime, listOf(rows...))
	s.ok(readRealtime, listOf(rows[ordersPage-1], orderRow()))                             // the list has moved
	s.ok(readRealtime, listOf(orderRow(ours.VenueOrderID, "other", "BTCUSDT", "BTCPERP"))) // settled in USDC
	reports, err := s.account.OpenOrders(background)
	if err != nil || len(reports) != ordersPage+2 || reports[ordersPage+1].Symbol != "BTCUSDC" {
		t.Errorf("%d orders, error %v, want %d, the last one in BTCUSDC", len(reports), err, ordersPage+2)
	}
	asked := s.Sent(readRealtime)
	if len(asked) != 3 || asked[1].Query.Get("cursor") != "more:1" || asked[2].Query.Get("settleCoin") != "USDC" {
		t.Errorf("requests %+v, want 2 pages of USDT, then USDC", asked)
	}
}

// A repeated cursor ends the list.
func TestPagesEnd(t *testing.T) {
	s := newScript(t)
	var rows []string
	for range ordersPage {
		rows = append(rows, orderRow())
	}
	s.ok(readRealtime, listOf(rows...))
	reports, err := s.account.OpenOrders(background)
	if err != nil || len(reports) != 1 || len(s.Sent(readRealtime)) != 4 {
		t.Errorf("%d orders of %d pages, error %v, want 1 of 4", len(reports), len(s.Sent(readRealtime)), err)
	}
}

func TestRateLimitHeaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(t)
		reset := strconv.FormatInt(time.Now().Add(time.Minute).UnixMilli(), 10)
		s.Add(createOrder, connectortest.Answer{
			Status: 200, Body: `{"retCode":10006,"retMsg":"Too many visits!","result":{}}`,
			Header: http.Header{"X-Bapi-Limit": {"20"}, "X-Bapi-Limit-Status": {"0"}, "X-Bapi-Limit-Reset-Timestamp": {reset}},
		})
		_, err := s.account.Place(background, limitOrder())
		e, ok := errors.AsType[*venues.Error](err)
		if !ok || e.Code != venues.CodeRateLimited || errors.Is(err, venues.ErrOutcomeUnknown) || e.RetryAfter < orderLife || e.RetryAfter > 61*time.Second {
			t.Fatalf("error %v, want rate_limited with RetryAfter of %v to 61 s", err, orderLife)
		}
		if _, err = s.account.Place(background, limitOrder()); !errors.Is(err, venues.ErrNotSent) || len(s.Sent(createOrder)) != 1 {
			t.Errorf("next order: error %v, want ErrNotSent", err)
		}
		s.ok(cancelOrder, accepted)
		if _, err = s.account.Cancel(background, ours); err != nil {
			t.Errorf("cancel: error %v, want none", err)
		}
	})
}

// A blocked address stops all requests, with an error that says so.
func TestAddressBlocked(t *testing.T) {
	s := newScript(t)
	s.Add(createOrder, connectortest.Answer{Status: 403, Body: `403, access too frequent`})
	_, err := s.account.Place(background, limitOrder())
	if e, ok := errors.AsType[*venues.Error](err); !ok || e.Code != venues.CodeRateLimited || e.RetryAfter != blockedFor || errors.Is(err, venues.ErrOutcomeUnknown) {
		t.Errorf("error %v, want rate_limited with RetryAfter %v", err, blockedFor)
	}
	if _, err = s.account.Cancel(background, ours); !errors.Is(err, venues.ErrNotSent) || len(s.Sent(cancelOrder)) != 0 {
		t.Errorf("cancel: error %v, want ErrNotSent", err)
	}
}

// A rejection for lack of margin has the available and the required amount.
func TestInsufficientMargin(t *testing.T) {
	s := newScript(t)
	s.reject(createOrder, 110007, "ab not enough for new order")
	s.ok(readWallet, `{"list":[{"totalAvailableBalance":"100.5","coin":[{"coin":"USDT","equity":"200","usdValue":"200","walletBalance":"200"}]}]}`)
	_, err := s.account.Place(background, limitOrder())
	e, ok := errors.AsType[*venues.Error](err)
	if !ok || e.Code != venues.CodeInsufficientBalance || e.Details["available"] != "100.5" || e.Details["required"] != "60.627" {
		t.Errorf("error %v, details %v, want insufficient_balance with 100.5 available and 60.627 required", err, e.Details)
	}
}

// Each private endpoint has a limit of its own. When one is exceeded the others continue.
func TestEndpointsHaveSeparateLimits(t *testing.T) {
	for _, path := range []string{
		createPath, amendPath, cancelPath, tradingStopPath, setLeveragePath, realtimePath, historyPath, executionsPath,
		positionsPath, walletPath, accountInfoPath, keyPath,
	} {
		s := newScript(t)
		_ = s.connector.rateLimited(request{path: path, account: s.account}, answerOf(200, ""), 10006, "Too many visits!")
		if d := s.connector.Gate.FrozenFor(); d != 0 {
			t.Errorf("%s: gate frozen for %s, want 0", path, d)
		}
	}
}

// The venue has one code for "there is nothing to reduce" and for "other orders
// reduce it already". A position must not be given up for closed because of the
// second.
func TestRejectedReduction(t *testing.T) {
	const row = `{"symbol":"BTCUSDT","positionIdx":0,"leverage":"10","size":"SIZE","side":"SIDE","avgPrice":"60000","positionValue":"60000"}`
	for position, reason := range map[[2]string]string{
		{"1", "Buy"}: "exceeds_position", {"1", "Sell"}: venues.ReasonNoPosition, {"0", ""}: venues.ReasonNoPosition,
	} {
		s := newScript(t)
		s.reject(createOrder, 110017, "orderQty will be truncated to zero")
		s.Clear(listPositions)
		s.ok(listPositions, listOf(strings.NewReplacer("SIZE", position[0], "SIDE", position[1]).Replace(row)))
		order := limitOrder()
		order.Side, order.ReduceOnly = venues.Sell, true
		_, err := s.account.Place(background, order)
		if e, _ := errors.AsType[*venues.Error](err); e == nil || e.Code != venues.CodeOrderRejected || e.Details["reason"] != reason {
			t.Errorf("position %s: error %v, want order_rejected with the reason %s", position, err, reason)
		}
	}
}
