package okx

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"venuegate/venues"
)

func TestPlace(t *testing.T) {
	market := func(r *venues.OrderRequest) { r.Type, r.Price = venues.TypeMarket, venues.Optional{} }
	for name, c := range map[string]struct {
		hedge  bool
		change func(*venues.OrderRequest)
		want   string
	}{
		"limit":         {false, func(*venues.OrderRequest) {}, `"side":"buy","ordType":"limit","px":"60000"`},
		"ioc":           {false, func(r *venues.OrderRequest) { r.TimeInForce = venues.ImmediateOrCancel }, `"side":"buy","ordType":"ioc","px":"60000"`},
		"fok":           {false, func(r *venues.OrderRequest) { r.TimeInForce = venues.FillOrKill }, `"side":"buy","ordType":"fok","px":"60000"`},
		"post-only":     {false, func(r *venues.OrderRequest) { r.PostOnly = true }, `"side":"buy","ordType":"post_only","px":"60000"`},
		"market":        {false, market, `"side":"buy","ordType":"market"`},
		"reduce":        {false, func(r *venues.OrderRequest) { market(r); r.ReduceOnly = true }, `"side":"buy","ordType":"market","reduceOnly":true`},
		"hedge, open":   {true, market, `"side":"buy","posSide":"long","ordType":"market"`},
		"hedge, reduce": {true, func(r *venues.OrderRequest) { market(r); r.ReduceOnly = true }, `"side":"buy","posSide":"short","ordType":"market"`},
		"hedge, sell":   {true, func(r *venues.OrderRequest) { market(r); r.Side = venues.Sell }, `"side":"sell","posSide":"short","ordType":"market"`},
		"protected": {
			false, func(r *venues.OrderRequest) { r.StopLoss, r.TakeProfit = dec("58000"), dec("65000") },
			`"side":"buy","ordType":"limit","px":"60000","attachAlgoOrds":[{"attachAlgoClOrdId":"vg00000001p","slTriggerPx":"58000","slOrdPx":"-1","slTriggerPxType":"last","tpTriggerPx":"65000","tpOrdPx":"-1","tpTriggerPxType":"last"}]`,
		},
		"stop loss": {
			false, func(r *venues.OrderRequest) { r.StopLoss = dec("58000") },
			`"side":"buy","ordType":"limit","px":"60000","attachAlgoOrds":[{"attachAlgoClOrdId":"vg00000001p","slTriggerPx":"58000","slOrdPx":"-1","slTriggerPxType":"last"}]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript(t)
			if c.hedge {
				s.Replace("GET /api/v5/account/config", 200, longShortMode)
			}
			s.On(placeName, 200, placedOrder)
			order := limitOrder()
			c.change(&order)
			report, err := s.account.Place(background, order)
			if err != nil {
				t.Fatal(err)
			}
			s.wantSent(placeName, `{"instId":"BTC-USDT-SWAP","tdMode":"cross","clOrdId":"vg00000001","sz":"0.5",`+c.want+`}`)
			if report.Status != venues.StatusPending || report.VenueOrderID != "2896576259728695296" || report.ClientOrderID != "vg00000001" ||
				!report.Qty.Equal(order.Qty) || report.VenueTime.UnixMilli() != 1758827099512 {
				t.Errorf("report = %+v, want a pending order with the terms of the request", report)
			}
		})
	}
}

func TestInvalidQuantityIsNotSent(t *testing.T) {
	s := newScript(t)
	for _, qty := range []string{"0.00005", "0.00015", "0.123456"} {
		order := limitOrder()
		order.Qty = venues.MustDecimal(qty)
		_, err := s.account.Place(background, order)
		if venues.CodeOf(err) != venues.CodeInvalidRequest || !errors.Is(err, venues.ErrNotSent) {
			t.Errorf("qty = %s, err = %v, want invalid_request and ErrNotSent", qty, err)
		}
	}
	if len(s.Sent(placeName)) > 0 {
		t.Error("an invalid quantity was sent, want none")
	}
}

// Orders use the margin mode of the position that they change.
func TestOrdersUseIsolatedMargin(t *testing.T) {
	s := newScript(t)
	s.Replace("GET /api/v5/account/positions", 200, answerOf(strings.Replace(shortBTC, `"short"`, `"net"`, 1)))
	s.On(placeName, 200, placedOrder)
	if _, err := s.account.Place(background, limitOrder()); err != nil || !strings.Contains(s.Last(placeName).Payload, `"tdMode":"isolated"`) {
		t.Errorf("order %s, error %v, want tdMode isolated", s.Last(placeName).Payload, err)
	}
}

func TestPositionModeChangedElsewhere(t *testing.T) {
	s := newScript(t)
	s.On("GET /api/v5/account/config", 200, longShortMode)
	s.On(placeName, 200, rejectedItem("51000", "Parameter posSide error "))
	s.On(placeName, 200, placedOrder)
	if _, err := s.account.Place(background, limitOrder()); err != nil {
		t.Fatal(err)
	}
	if sent := s.Sent(placeName); len(sent) != 2 || !strings.Contains(sent[1].Payload, `"posSide":"long"`) {
		t.Errorf("sent = %+v, want a second order with posSide long", sent)
	}
	// If the mode has not changed the rejection has another reason.
	s.Replace(placeName, 200, rejectedItem("51000", "Parameter posSide error "))
	if _, err := s.account.Place(background, limitOrder()); venues.CodeOf(err) != venues.CodeInvalidRequest || len(s.Sent(placeName)) != 3 {
		t.Errorf("len(s.Sent(placeName)) = %d, err = %v, want invalid_request after 3 requests", len(s.Sent(placeName)), err)
	}
}

func TestMarginRejectionHasDetails(t *testing.T) {
	s := newScript(t)
	s.On(placeName, 200, rejectedItem("51008", "Order failed. Insufficient USDT margin in account"))
	s.On("GET /api/v5/account/balance", 200, answerOf(`{"details":[{"ccy":"USDT","eq":"10","availEq":"7.5"}]}`))
	s.On("GET /api/v5/account/leverage-info", 200, answerOf(`{"instId":"BTC-USDT-SWAP","lever":"10"}`))
	_, err := s.account.Place(background, limitOrder())
	e, _ := errors.AsType[*venues.Error](err)
	if e == nil || e.Code != venues.CodeInsufficientBalance || e.Details["available"] != "7.5" || e.Details["required"] != "30.15" || errors.Is(err, venues.ErrNotSent) {
		t.Errorf("error %+v, want insufficient_balance with 7.5 available and 30.15 required", err)
	}
}

func stopOrder(orderType venues.OrderType, side venues.Side, trigger string) venues.OrderRequest {
	r := limitOrder()
	r.Type, r.Side, r.TriggerPrice, r.Price = orderType, side, dec(trigger), venues.Optional{}
	if orderType == venues.TypeStopLimit {
		r.Price = dec("59900")
	}
	return r
}

func TestPlaceStops(t *testing.T) {
	const place = "POST /api/v5/trade/order-algo"
	reduce := func(r venues.OrderRequest) venues.OrderRequest { r.ReduceOnly = true; return r }
	closing := func(r venues.OrderRequest) venues.OrderRequest { r.ClosePosition = true; return r }
	when := func(d venues.TriggerDirection, r venues.OrderRequest) venues.OrderRequest {
		r.TriggerDirection = d
		return r
	}
	sl := func(trigger, price string) string {
		return `"ordType":"conditional","slTriggerPx":"` + trigger + `","slTriggerPxType":"last","slOrdPx":"` + price + `"`
	}
	tp := func(trigger, price string) string { return strings.ReplaceAll(sl(trigger, price), "sl", "tp") }
	for name, c := range map[string]struct {
		hedge bool
		order venues.OrderRequest
		want  string
	}{
		"entry":            {false, stopOrder(venues.TypeStopMarket, venues.Buy, "61000"), `"side":"buy","sz":"0.5","ordType":"trigger","triggerPx":"61000","triggerPxType":"last","orderPx":"-1"`},
		"entry limit":      {false, stopOrder(venues.TypeStopLimit, venues.Sell, "59000"), `"side":"sell","sz":"0.5","ordType":"trigger","triggerPx":"59000","triggerPxType":"last","orderPx":"59900"`},
		"stop loss":        {false, reduce(stopOrder(venues.TypeStopMarket, venues.Sell, "58000")), `"side":"sell","sz":"0.5","reduceOnly":true,` + sl("58000", "-1")},
		"take profit":      {false, reduce(stopOrder(venues.TypeStopMarket, venues.Sell, "65000")), `"side":"sell","sz":"0.5","reduceOnly":true,` + tp("65000", "-1")},
		"of a short":       {false, reduce(stopOrder(venues.TypeStopLimit, venues.Buy, "65000")), `"side":"buy","sz":"0.5","reduceOnly":true,` + sl("65000", "59900")},
		"closing":          {false, closing(when(venues.TriggerFalling, stopOrder(venues.TypeStopMarket, venues.Sell, "58000"))), `"side":"sell","closeFraction":"1","reduceOnly":true,` + sl("58000", "-1")},
		"closing in hedge": {true, closing(stopOrder(venues.TypeStopMarket, venues.Sell, "58000")), `"side":"sell","posSide":"long","closeFraction":"1",` + sl("58000", "-1")},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript(t)
			if c.hedge {
				s.Replace("GET /api/v5/account/config", 200, longShortMode)
			}
			s.On("GET /api/v5/market/ticker", 200, answerOf(`{"last":"60000"}`))
			s.On(place, 200, placedAlgo)
			report, err := s.account.Place(background, c.order)
			if err != nil {
				t.Fatal(err)
			}
			s.wantSent(place, `{"instId":"BTC-USDT-SWAP","tdMode":"cross","algoClOrdId":"vg00000001",`+c.want+`}`)
			if report.Status != venues.StatusUntriggered || report.VenueOrderID != "2896574163517353984" {
				t.Errorf("report = %+v, want the untriggered stop 2896574163517353984", report)
			}
		})
	}
}

func TestRejectedStops(t *testing.T) {
	s := newScript(t)
	s.On("GET /api/v5/market/ticker", 200, answerOf(`{"last":"60000"}`))
	passed := stopOrder(venues.TypeStopMarket, venues.Sell, "61000")
	passed.TriggerDirection = venues.TriggerFalling
	_, err := s.account.Place(background, passed)
	if e, _ := errors.AsType[*venues.Error](err); e == nil || e.Details["reason"] != venues.ReasonWouldTrigger || errors.Is(err, venues.ErrNotSent) {
		t.Errorf("stop with a reached trigger: error %v, want %s", err, venues.ReasonWouldTrigger)
	}
	for name, change := range map[string]func(*venues.OrderRequest){
		"no trigger": func(r *venues.OrderRequest) { r.TriggerPrice = venues.Optional{} },
		"post-only":  func(r *venues.OrderRequest) { r.PostOnly = true },
		"no price":   func(r *venues.OrderRequest) { r.Price = venues.Optional{} },
		"ioc":        func(r *venues.OrderRequest) { r.TimeInForce, r.ReduceOnly = venues.ImmediateOrCancel, true },
		"quantity":   func(r *venues.OrderRequest) { r.Qty = venues.MustDecimal("0.00001") },
	} {
		order := stopOrder(venues.TypeStopLimit, venues.Sell, "59000")
		change(&order)
		if _, err := s.account.Place(background, order); !errors.Is(err, venues.ErrNotSent) || venues.CodeOf(err) != venues.CodeInvalidRequest {
			t.Errorf("%s: err = %v, want invalid_request and ErrNotSent", name, err)
		}
	}
	if n := len(s.Sent("POST /api/v5/trade/order-algo")); n > 0 {
		t.Errorf("%d requests sent, want 0", n)
	}
}

func TestAmend(t *testing.T) {
	const amend = "POST /api/v5/trade/amend-order"
	s := newScript(t)
	s.On(amend, 200, placedOrder)
	s.On(readOrder, 200, answerOf(anOrder(`"px":"60000"`, `"px":"59900"`, `"sz":"0.5"`, `"sz":"0.8"`)))
	wanted := venues.AmendRequest{
		OrderRef: refOf(limitOrder()), Side: venues.Buy, Qty: venues.MustDecimal("0.008"), Price: dec("59900"), Deadline: time.Now().Add(orderLife),
	}
	report, err := s.account.Amend(background, wanted)
	if err != nil || report.Qty.String() != "0.008" || report.Price.Decimal.String() != "59900" || report.Status != venues.StatusOpen {
		t.Fatalf("report = %+v, err = %v, want an open order of 0.008 at 59900", report, err)
	}
	s.wantSent(amend, `{"instId":"BTC-USDT-SWAP","clOrdId":"vg00000001","newSz":"0.8","newPx":"59900"}`)
	if s.Sent(amend)[0].Header.Get("expTime") == "" {
		t.Error("the amend has no deadline")
	}
	s.Replace(amend, 200, rejectedItem("51500", "nothing"))
	if _, err := s.account.Amend(background, wanted); err != nil {
		t.Errorf("amend without change: error %v, want none", err)
	}
	s.Replace(amend, 200, rejectedItem("51503", "gone"))
	if _, err := s.account.Amend(background, wanted); venues.CodeOf(err) != venues.CodeNotFound || errors.Is(err, venues.ErrOutcomeUnknown) {
		t.Error(err)
	}
	s.Replace(amend, 200, placedOrder)
	s.Replace(readOrder, 500, `<html>`)
	if _, err := s.account.Amend(background, wanted); !errors.Is(err, venues.ErrOutcomeUnknown) {
		t.Errorf("order not read back: error %v, want an unknown outcome", err)
	}
	for _, change := range []func(*venues.AmendRequest){
		func(r *venues.AmendRequest) { r.Type = venues.TypeMarket },
		func(r *venues.AmendRequest) { r.Qty = venues.MustDecimal("0.00001") },
		func(r *venues.AmendRequest) { r.Deadline = time.Now().Add(-time.Second) },
	} {
		bad := wanted
		change(&bad)
		if _, err := s.account.Amend(background, bad); !errors.Is(err, venues.ErrNotSent) {
			t.Error(err)
		}
	}
}

// A stop of this venue triggers in the direction from the present price: an amendment whose
// trigger is on the other side of it is not sent.
func TestAmendStopsWithADirection(t *testing.T) {
	const amend = "POST /api/v5/trade/amend-algos"
	ref := refOf(limitOrder())
	ref.Type = venues.TypeStopMarket
	for direction, reason := range map[venues.TriggerDirection]any{venues.TriggerFalling: nil, venues.TriggerRising: venues.ReasonWouldTrigger} {
		s := newScript(t)
		s.On("GET /api/v5/market/ticker", 200, answerOf(`{"last":"60000"}`))
		s.On(readAlgo, 200, answerOf(anAlgo("conditional", "trigger")))
		s.On(amend, 200, placedAlgo)
		_, err := s.account.Amend(background, venues.AmendRequest{
			OrderRef: ref, Side: venues.Sell, Qty: venues.MustDecimal("0.008"), TriggerPrice: dec("57000"), TriggerDirection: direction,
		})
		var got any
		if e, is := errors.AsType[*venues.Error](err); is {
			got = e.Details["reason"]
		}
		if sent := len(s.Sent(amend)); got != reason || (err == nil) != (reason == nil) || (sent == 1) != (reason == nil) {
			t.Errorf("%s: %d amendments are sent, error %v; want the reason %v or one amendment", direction, sent, err, reason)
		}
	}
}

func TestAmendStops(t *testing.T) {
	const amend = "POST /api/v5/trade/amend-algos"
	for name, c := range map[string]struct{ algo, want string }{
		"stop loss":   {anAlgo(), `"newSz":"0.8","newSlTriggerPx":"57000","newSlOrdPx":"-1"`},
		"take profit": {anAlgo(`"slTriggerPx":"58000"`, `"slTriggerPx":""`, `"tpTriggerPx":""`, `"tpTriggerPx":"65000"`), `"newSz":"0.8","newTpTriggerPx":"57000","newTpOrdPx":"-1"`},
		"trigger":     {anAlgo("conditional", "trigger"), `"newSz":"0.8","newTriggerPx":"57000","newOrdPx":"-1"`},
		"closing":     {anAlgo(`"closeFraction":""`, `"closeFraction":"1"`, `"sz":"0.5"`, `"sz":""`), `"newSlTriggerPx":"57000","newSlOrdPx":"-1"`},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript(t)
			s.On(readAlgo, 200, answerOf(c.algo))
			s.On(amend, 200, placedAlgo)
			ref := refOf(limitOrder())
			ref.Type = venues.TypeStopMarket
			_, err := s.account.Amend(background, venues.AmendRequest{OrderRef: ref, Side: venues.Sell, Qty: venues.MustDecimal("0.008"), TriggerPrice: dec("57000")})
			if err != nil {
				t.Fatal(err)
			}
			s.wantSent(amend, `{"instId":"BTC-USDT-SWAP","algoId":"2896574163517353984",`+c.want+`}`)
		})
	}
	s := newScript(t)
	s.On(readAlgo, 200, answerOf(anAlgo(`"live"`, `"effective"`, `"ordId":""`, `"ordId":"77"`)))
	s.On("POST /api/v5/trade/amend-order", 200, placedOrder)
	s.On(readOrder, 200, answerOf(anOrder(`"ordId":"2896576259728695296"`, `"ordId":"77"`)))
	ref := venues.OrderRef{Symbol: "BTCUSDT", ClientOrderID: "vg00000001", Type: venues.TypeStopLimit}
	report, err := s.account.Amend(background, venues.AmendRequest{OrderRef: ref, Qty: venues.MustDecimal("0.008"), Price: dec("59900")})
	if err != nil || report.VenueOrderID != "77" || report.Type != venues.TypeStopMarket {
		t.Errorf("report = %+v, err = %v, want the stop as order 77", report, err)
	}
	s.wantSent("POST /api/v5/trade/amend-order", `{"instId":"BTC-USDT-SWAP","ordId":"77","newSz":"0.8","newPx":"59900"}`)
}

func TestCancel(t *testing.T) {
	const cancel, cancelAlgos = "POST /api/v5/trade/cancel-order", "POST /api/v5/trade/cancel-algos"
	t.Run("order", func(t *testing.T) {
		s := newScript(t)
		s.On(cancel, 200, placedOrder)
		s.On(readOrder, 200, answerOf(anOrder(`"live"`, `"canceled"`, `"cancelSource":""`, `"cancelSource":"1"`)))
		report, err := s.account.Cancel(background, refOf(limitOrder()))
		if err != nil || report.Status != venues.StatusCancelled || report.RejectReason != nil {
			t.Fatalf("report = %+v, err = %v, want a cancelled order without a reason", report, err)
		}
		s.wantSent(cancel, `{"instId":"BTC-USDT-SWAP","clOrdId":"vg00000001"}`)
		s.Replace(cancel, 200, rejectedItem("51410", "cancelling"))
		if _, err := s.account.Cancel(background, refOf(limitOrder())); err != nil {
			t.Errorf("cancel already pending: error %v, want none", err)
		}
		s.Replace(cancel, 200, rejectedItem("51400", "gone"))
		if _, err := s.account.Cancel(background, refOf(limitOrder())); venues.CodeOf(err) != venues.CodeNotFound {
			t.Error(err)
		}
		s.Replace(cancel, 502, `<html>`)
		if _, err := s.account.Cancel(background, refOf(limitOrder())); !errors.Is(err, venues.ErrOutcomeUnknown) {
			t.Error(err)
		}
	})
	t.Run("stop", func(t *testing.T) {
		s := newScript(t)
		s.On(cancelAlgos, 200, placedAlgo)
		s.On(readAlgo, 200, answerOf(anAlgo(`"live"`, `"canceled"`)))
		ref := refOf(stopOrder(venues.TypeStopMarket, venues.Sell, "58000"))
		report, err := s.account.Cancel(background, ref)
		if err != nil || report.Status != venues.StatusCancelled {
			t.Fatalf("report = %+v, err = %v, want a cancelled stop", report, err)
		}
		s.wantSent(cancelAlgos, `[{"instId":"BTC-USDT-SWAP","algoClOrdId":"vg00000001"}]`)
	})
	t.Run("stop that has triggered", func(t *testing.T) {
		s := newScript(t)
		s.On(cancelAlgos, 200, rejectedItem("51416", "triggered"))
		s.On(readAlgo, 200, answerOf(anAlgo(`"live"`, `"effective"`, `"ordIdList":[]`, `"ordIdList":["77"]`)))
		s.On(cancel, 200, placedOrder)
		s.On(readOrder, 200, answerOf(anOrder(`"live"`, `"canceled"`, `"ordId":"2896576259728695296"`, `"ordId":"77"`)))
		report, err := s.account.Cancel(background, refOf(stopOrder(venues.TypeStopMarket, venues.Sell, "58000")))
		if err != nil || report.Status != venues.StatusCancelled || report.VenueOrderID != "77" {
			t.Fatalf("report = %+v, err = %v, want the cancelled order 77", report, err)
		}
		s.wantSent(cancel, `{"instId":"BTC-USDT-SWAP","ordId":"77"}`)
	})
	t.Run("of unknown type", func(t *testing.T) {
		s := newScript(t)
		s.On(cancel, 200, rejectedItem("51400", "gone"))
		s.On(cancelAlgos, 200, placedAlgo)
		s.On(readOrder, 200, `{"code":"51603","data":[],"msg":"Order does not exist."}`)
		s.On("GET /api/v5/trade/orders-history", 200, nothing)
		s.On(readAlgo, 200, answerOf(anAlgo(`"live"`, `"canceled"`)))
		ref := refOf(limitOrder())
		ref.Type = ""
		if report, err := s.account.Cancel(background, ref); err != nil || report.Status != venues.StatusCancelled {
			t.Errorf("report = %+v, err = %v, want a cancelled order", report, err)
		}
	})
}

const noOrder = `{"code":"51603","data":[],"msg":"Order does not exist."}`

func TestOrderLookups(t *testing.T) {
	const history = "GET /api/v5/trade/orders-history"
	s := newScript(t)
	s.lift(byLists)
	s.On(readOrder, 200, noOrder)
	s.On(history, 200, answerOf(anOrder("vg00000001", "another"), anOrder(`"live"`, `"filled"`, `"accFillSz":"0"`, `"accFillSz":"0.5"`, `"avgPx":""`, `"avgPx":"59999.5"`)))
	report, err := s.account.Order(background, refOf(limitOrder()))
	if err != nil || report.Status != venues.StatusFilled || report.FilledQty.String() != "0.005" || report.AvgPrice.Decimal.String() != "59999.5" {
		t.Fatalf("report = %+v, err = %v, want an order filled with 0.005 at 59999.5", report, err)
	}
	if s.Last(readOrder).Payload != "instId=BTC-USDT-SWAP&clOrdId=vg00000001" || s.Last(history).Payload != "instType=SWAP&instId=BTC-USDT-SWAP&limit=100" {
		t.Errorf("queries %s and %s, want the order by its client id, then the history of its instrument", s.Last(readOrder).Payload, s.Last(history).Payload)
	}
	s.Replace(history, 200, nothing)
	if _, err := s.account.Order(background, refOf(limitOrder())); venues.CodeOf(err) != venues.CodeNotFound {
		t.Error(err)
	}
	s.Replace(history, 500, `<html>`)
	if _, err := s.account.Order(background, refOf(limitOrder())); venues.CodeOf(err) != venues.CodeExchangeUnavailable {
		t.Errorf("incomplete answer: error %v, want no not_found", err)
	}

	stop := refOf(stopOrder(venues.TypeStopMarket, venues.Sell, "58000"))
	s.On(readAlgo, 200, noOrder)
	s.On(algoHistory, 200, nothing)
	s.On(algoHistory, 200, answerOf(anAlgo(`"live"`, `"order_failed"`, `"failCode":""`, `"failCode":"51008"`)))
	report, err = s.account.Order(background, stop)
	if err != nil || report.Status != venues.StatusRejected || report.RejectReason.Code != venues.CodeInsufficientBalance {
		t.Fatalf("report = %+v, err = %v, want a stop rejected with insufficient_balance", report, err)
	}
	s.Replace(algoHistory, 200, nothing)
	if _, err := s.account.Order(background, stop); venues.CodeOf(err) != venues.CodeNotFound {
		t.Error(err)
	}
}

func TestPagesMustAdvance(t *testing.T) {
	s := newScript(t)
	page := make([]string, ordersPage)
	for n := range page {
		page[n] = anOrder("vg00000001", fmt.Sprint("other", n))
	}
	s.On(readOrder, 200, noOrder)
	s.On("GET /api/v5/trade/orders-history", 200, answerOf(page...))
	if _, err := s.account.Order(background, refOf(limitOrder())); venues.CodeOf(err) != venues.CodeExchangeUnavailable {
		t.Error(err)
	}
	if err := eachPage(3, func(after string) (string, bool, error) { return after + "x", true, nil }); err == nil {
		t.Error("no error for pages that never end, want one")
	}
}

// For a very busy account the time in which an absence can be confirmed must be read.
func TestSearchCoversTheRetention(t *testing.T) {
	for created, want := range map[time.Time]venues.Code{
		time.Now().Add(-3 * time.Hour): venues.CodeNotFound,
		time.Now().Add(-1 * time.Hour): venues.CodeExchangeUnavailable,
	} {
		s := newScript(t)
		s.On(readOrder, 200, noOrder)
		for n := range historyPagesMax {
			page := make([]string, ordersPage)
			for m := range page {
				page[m] = anOrder("vg00000001", "other", "2896576259728695296", fmt.Sprint(n, m),
					`"cTime":"1758827099512"`, fmt.Sprintf(`"cTime":"%d"`, created.UnixMilli()))
			}
			s.On("GET /api/v5/trade/orders-history", 200, answerOf(page...))
		}
		if _, err := s.account.Order(background, refOf(limitOrder())); venues.CodeOf(err) != want {
			t.Errorf("created = %s, err = %v, want %v", created, err, want)
		}
	}
}

// An answer whose instruments cannot be looked up is readable: the error is that of the
// list of instruments. One with a bad row is not.
func TestErrorsOfListsNameTheFailedCall(t *testing.T) {
	for path, call := range map[string]struct {
		row  string
		read func(*Account) error
	}{
		pendingPath:   {anOrder("vg00000001", "o1"), func(a *Account) error { _, err := a.OpenOrders(background); return err }},
		positionsPath: {longBTC, func(a *Account) error { _, err := a.Positions(background); return err }},
	} {
		s := newScript(t)
		s.Replace("GET "+path, 200, answerOf(call.row))
		s.Clear("GET " + instrumentsPath)
		s.On("GET "+instrumentsPath, 503, `{"code":"50001","msg":"Service temporarily unavailable.","data":[]}`)
		if err := call.read(s.account); venues.CodeOf(err) != venues.CodeExchangeUnavailable || !strings.Contains(fmt.Sprint(err), "50001") || strings.Contains(fmt.Sprint(err), path) {
			t.Errorf("%s: error %v, want 50001 of %s", path, err, instrumentsPath)
		}
		s = newScript(t)
		s.Replace("GET "+path, 200, answerOf(strings.Replace(call.row, "BTC-USDT-SWAP", "NOPE-USDT-SWAP", 1)))
		if err := call.read(s.account); !strings.Contains(fmt.Sprint(err), path) {
			t.Errorf("%s: error %v, want one of that answer", path, err)
		}
	}
}

func TestOpenOrders(t *testing.T) {
	const pending, algos = "GET /api/v5/trade/orders-pending", "GET /api/v5/trade/orders-algo-pending"
	s := newScript(t)
	page := make([]string, 0, ordersPage)
	for n := range ordersPage {
		page = append(page, anOrder("vg00000001", fmt.Sprintf("o%d", n), "2896576259728695296", fmt.Sprint(9000-n)))
	}
	page[7] = strings.Replace(page[7], "BTC-USDT-SWAP", "BTC-USD-SWAP", 1) // inverse: not supported
	s.On(pending, 200, answerOf(page...))
	s.On(pending, 200, answerOf(anOrder("vg00000001", "last")))
	s.On(algos, 200, answerOf(anAlgo(), anAlgo(`"closeFraction":""`, `"closeFraction":"1"`, `"sz":"0.5"`, `"sz":""`)))
	s.On(algos, 200, answerOf(anAlgo("conditional", "trigger", `"triggerPx":""`, `"triggerPx":"61000"`, `"ordPx":""`, `"ordPx":"61010"`)))
	s.On(algos, 200, nothing)
	reports, err := s.account.OpenOrders(background)
	if err != nil || len(reports) != 99+1+3 {
		t.Fatalf("%d reports, error %v, want 99 orders, 1 of the second page and 3 stops", len(reports), err)
	}
	if requests := s.Sent(pending); len(requests) != 2 || requests[1].Payload != "limit=100&after=8901" {
		t.Errorf("requests = %+v, want a second page after 8901", requests)
	}
	var kinds []string
	for _, r := range s.Sent(algos) {
		kinds = append(kinds, r.Payload)
	}
	if got := strings.Join(kinds, " "); got != "ordType=conditional%2Coco&limit=100 ordType=trigger&limit=100 ordType=move_order_stop&limit=100" {
		t.Errorf("queries %s, want those of the three kinds", got)
	}
	closing, entry := reports[101], reports[102]
	if !closing.ReduceOnly || !closing.Qty.IsZero() || closing.TriggerPrice.Decimal.String() != "58000" || closing.Type != venues.TypeStopMarket {
		t.Errorf("closing = %+v, want a stop at 58000 that closes the position", closing)
	}
	if entry.Type != venues.TypeStopLimit || entry.Price.Decimal.String() != "61010" || entry.Status != venues.StatusUntriggered {
		t.Errorf("entry = %+v, want an untriggered stop limit order at 61010", entry)
	}
}
