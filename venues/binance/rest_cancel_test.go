package binance

import (
	"errors"
	"strings"
	"testing"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
)

func TestAmend(t *testing.T) {
	s := newScript(t)
	s.On("PUT /fapi/v1/order", 200, strings.Replace(openOrder, "60000.00", "60010.00", 1))
	amend := venues.AmendRequest{
		OrderRef: venues.OrderRef{Symbol: "BTCUSDT", ClientOrderID: "vg00000001", VenueOrderID: "4087922044", Type: venues.TypeLimit},
		Side:     venues.Buy, Qty: venues.MustDecimal("0.02"), Price: dec("60010"), ReduceOnly: true, Deadline: time.Now().Add(orderLife),
	}
	r, err := s.account.Amend(background, amend)
	if err != nil || !venues.EqualOptional(r.Price, dec("60010")) {
		t.Fatalf("r = %+v, err = %v, want the price 60010", r, err)
	}
	if got, want := s.last("PUT /fapi/v1/order"), "origClientOrderId=vg00000001&price=60010&quantity=0.02&reduceOnly=true&side=BUY&symbol=BTCUSDT"; got != want {
		t.Errorf("request %s, want %s", got, want)
	}

	s.Replace("PUT /fapi/v1/order", 400, `{"code":-5027,"msg":"No need to modify the order."}`)
	s.On("GET /fapi/v1/order", 200, openOrder)
	if r, err = s.account.Amend(background, amend); err != nil || r.Status != venues.StatusOpen {
		t.Errorf("amend without change: report %+v, error %v, want an open order", r, err)
	}
	amend.Price = venues.Optional{} // the venue requires both: the price is read
	s.Replace("PUT /fapi/v1/order", 200, openOrder)
	if _, err = s.account.Amend(background, amend); err != nil || !strings.Contains(s.last("PUT /fapi/v1/order"), "price=60000&") {
		t.Errorf("read before the amend: error %v, request %s, want the price 60000", err, s.last("PUT /fapi/v1/order"))
	}
	sent := len(s.sent("PUT /fapi/v1/order"))
	s.Replace("GET /fapi/v1/order", 400, `{"code":-2013,"msg":"Order does not exist."}`)
	if _, err = s.account.Amend(background, amend); !errors.Is(err, venues.ErrNotSent) || len(s.sent("PUT /fapi/v1/order")) != sent {
		t.Errorf("amend whose price is unknown: error %v, %d requests, want ErrNotSent, %d", err, len(s.sent("PUT /fapi/v1/order")), sent)
	}
	amend.Type = venues.TypeStopMarket
	if _, err = s.account.Amend(background, amend); !errors.Is(err, venues.ErrNotSent) {
		t.Errorf("stop: error %v, want a rejection before sending", err)
	}
}

func TestCancel(t *testing.T) {
	const order, algo = "DELETE /fapi/v1/order", "DELETE /fapi/v1/algoOrder"
	const unknownOrder = `{"code":-2011,"msg":"Unknown order sent."}`
	cancelled := strings.Replace(openOrder, `"NEW"`, `"CANCELED"`, 1)
	cancelledAlgo := strings.Replace(openAlgo, `"NEW"`, `"CANCELED"`, 1)
	ref := func(t venues.OrderType) venues.OrderRef {
		return venues.OrderRef{Symbol: "BTCUSDT", ClientOrderID: "vg00000001", Type: t}
	}
	t.Run("limit", func(t *testing.T) {
		s := newScript(t)
		s.On(order, 200, cancelled)
		r, err := s.account.Cancel(background, ref(venues.TypeLimit))
		if err != nil || r.Status != venues.StatusCancelled || r.RejectReason != nil {
			t.Errorf("r = %+v, err = %v, want a cancelled order without a reject reason", r, err)
		}
		if got := s.last(order); got != "origClientOrderId=vg00000001&symbol=BTCUSDT" {
			t.Errorf("request %s, want origClientOrderId=vg00000001&symbol=BTCUSDT", got)
		}
	})
	t.Run("by the venue's id", func(t *testing.T) {
		s := newScript(t)
		s.On(order, 200, cancelled)
		if _, err := s.account.Cancel(background, venues.OrderRef{Symbol: "BTCUSDT", VenueOrderID: "77", Type: venues.TypeLimit}); err != nil {
			t.Error(err)
		}
		if got := s.last(order); got != "orderId=77&symbol=BTCUSDT" {
			t.Errorf("request %s, want orderId=77&symbol=BTCUSDT", got)
		}
	})
	t.Run("gone", func(t *testing.T) {
		s := newScript(t)
		s.On(order, 400, unknownOrder)
		if _, err := s.account.Cancel(background, ref(venues.TypeLimit)); venues.CodeOf(err) != venues.CodeNotFound || len(s.sent(algo)) != 0 {
			t.Errorf("error %v, %d requests for a stop, want not_found and none", err, len(s.sent(algo)))
		}
	})
	t.Run("stop", func(t *testing.T) {
		s := newScript(t)
		s.On(algo, 200, `{"algoId":2146760,"clientAlgoId":"vg00000001","code":"200","msg":"success"}`)
		s.On("GET /fapi/v1/algoOrder", 200, cancelledAlgo)
		r, err := s.account.Cancel(background, ref(venues.TypeStopMarket))
		if err != nil || r.Status != venues.StatusCancelled || !r.Qty.Equal(dec("0.01").Decimal) || s.last(algo) != "clientAlgoId=vg00000001" {
			t.Errorf("r = %+v, err = %v, request %s, want a cancelled stop of 0.01 by clientAlgoId=vg00000001", r, err, s.last(algo))
		}
	})
	t.Run("stop whose record lags", func(t *testing.T) {
		s := newScript(t)
		s.On(algo, 200, `{"algoId":2146760,"clientAlgoId":"vg00000001","code":"200","msg":"success"}`)
		s.On("GET /fapi/v1/algoOrder", 200, openAlgo)
		if r, err := s.account.Cancel(background, ref(venues.TypeStopMarket)); err != nil || r.Status != venues.StatusCancelled {
			t.Errorf("r = %+v, err = %v, want a cancelled order", r, err)
		}
	})
	t.Run("stop that cannot be read", func(t *testing.T) {
		s := newScript(t)
		s.On(algo, 200, `{"algoId":2146760,"clientAlgoId":"vg00000001","code":"200","msg":"success"}`)
		s.On("GET /fapi/v1/algoOrder", 400, `{"code":-2013,"msg":"Order does not exist."}`)
		if _, err := s.account.Cancel(background, ref(venues.TypeStopMarket)); !errors.Is(err, venues.ErrOutcomeUnknown) {
			t.Errorf("error %v, want an unknown outcome", err)
		}
	})
	for name, rejection := range map[string]string{"triggered": unknownOrder, "triggering": `{"code":-4117,"msg":"stop order is triggering"}`} {
		t.Run("stop that has "+name, func(t *testing.T) {
			s := newScript(t)
			s.On(algo, 400, rejection)
			s.On(order, 200, cancelled)
			if r, err := s.account.Cancel(background, ref(venues.TypeStopLimit)); err != nil || r.Status != venues.StatusCancelled {
				t.Errorf("r = %+v, err = %v, want a cancelled order", r, err)
			}
			s.Replace(order, 400, unknownOrder)
			if _, err := s.account.Cancel(background, ref(venues.TypeStopLimit)); venues.CodeOf(err) != venues.CodeNotFound {
				t.Errorf("error %v, want not_found", err)
			}
		})
	}
	t.Run("unknown outcome ends the search", func(t *testing.T) {
		s := newScript(t)
		s.On(algo, 503, `{"msg":"Unknown error, please check your request or try again later."}`)
		if _, err := s.account.Cancel(background, ref(venues.TypeStopLimit)); !errors.Is(err, venues.ErrOutcomeUnknown) || len(s.sent(order)) != 0 {
			t.Errorf("error %v, %d requests for the order, want an unknown outcome and none", err, len(s.sent(order)))
		}
	})
}

func TestOrderOfATriggeredStop(t *testing.T) {
	const algo, order = "GET /fapi/v1/algoOrder", "GET /fapi/v1/order"
	ref := venues.OrderRef{Symbol: "BTCUSDT", ClientOrderID: "vg00000001", Type: venues.TypeStopMarket}
	finished := strings.NewReplacer(`"NEW"`, `"FINISHED"`, `"triggerTime":0`, `"actualOrderId":"974828356187","actualPrice":"57990.5","actualQty":"0.010"`).Replace(openAlgo)
	engine := `{"orderId":974828356187,"symbol":"BTCUSDT","status":"FILLED","clientOrderId":"vg00000001","price":"0","avgPrice":"57990.50000","origQty":"0.010",` +
		`"executedQty":"0.010","cumQuote":"579.9","timeInForce":"GTC","type":"MARKET","origType":"MARKET","reduceOnly":true,"closePosition":false,"side":"SELL",` +
		`"positionSide":"BOTH","stopPrice":"0","updateTime":1775461936135}`
	t.Run("with its engine order", func(t *testing.T) {
		s := newScript(t)
		s.On(algo, 200, finished)
		s.On(order, 200, engine)
		r, err := s.account.Order(background, ref)
		if err != nil || r.Status != venues.StatusFilled || r.Type != venues.TypeStopMarket || r.VenueOrderID != "974828356187" ||
			!venues.EqualOptional(r.TriggerPrice, dec("58000")) || !venues.EqualOptional(r.AvgPrice, dec("57990.5")) {
			t.Errorf("report %+v, error %v, want a stop filled at 57990.5 as order 974828356187", r, err)
		}
		if got := s.last(order); got != "orderId=974828356187&symbol=BTCUSDT" {
			t.Errorf("request %s, want orderId=974828356187&symbol=BTCUSDT", got)
		}
	})
	t.Run("whose engine order is gone", func(t *testing.T) {
		for qty, want := range map[string]venues.OrderStatus{"0.010": venues.StatusFilled, "0.004": venues.StatusCancelled, "0": venues.StatusCancelled} {
			s := newScript(t)
			s.On(algo, 200, strings.Replace(finished, `"actualQty":"0.010"`, `"actualQty":"`+qty+`"`, 1))
			s.On(order, 400, `{"code":-2013,"msg":"Order does not exist."}`)
			if r, err := s.account.Order(background, ref); err != nil || r.Status != want || !r.FilledQty.Equal(dec(qty).Decimal) {
				t.Errorf("%s executed: report %+v, error %v, want %s", qty, r, err, want)
			}
		}
	})
	t.Run("that is not known there", func(t *testing.T) {
		s := newScript(t)
		s.On(algo, 400, `{"code":-2013,"msg":"Order does not exist."}`)
		s.On(order, 400, `{"code":-2013,"msg":"Order does not exist."}`)
		if _, err := s.account.Order(background, ref); venues.CodeOf(err) != venues.CodeNotFound {
			t.Errorf("error %v, want not_found", err)
		}
	})
	t.Run("of unknown type", func(t *testing.T) {
		s := newScript(t)
		s.On(order, 400, `{"code":-2013,"msg":"Order does not exist."}`)
		s.On(algo, 200, openAlgo)
		if r, err := s.account.Order(background, venues.OrderRef{Symbol: "BTCUSDT", ClientOrderID: "vg00000001"}); err != nil || r.Status != venues.StatusUntriggered {
			t.Errorf("r = %+v, err = %v, want an untriggered stop", r, err)
		}
	})
}

func TestOpenOrdersOfBothServices(t *testing.T) {
	s := newScript(t)
	s.On("GET /fapi/v1/openOrders", 200, "["+openOrder+"]")
	s.On("GET /fapi/v1/openAlgoOrders", 200, "["+openAlgo+"]")
	orders, err := s.account.OpenOrders(background)
	if err != nil || len(orders) != 2 || orders[0].Status != venues.StatusOpen || orders[1].Status != venues.StatusUntriggered {
		t.Errorf("orders = %+v, err = %v, want an open order and an untriggered stop", orders, err)
	}
	s.Replace("GET /fapi/v1/openOrders", 200, "[]")
	orders, err = s.account.OpenOrders(background)
	if err != nil || len(orders) != 1 || orders[0].Status != venues.StatusUntriggered {
		t.Errorf("orders = %+v, err = %v, want an untriggered stop", orders, err)
	}
	s.Replace("GET /fapi/v1/openAlgoOrders", 200, "["+strings.Replace(openAlgo, `"NEW"`, `"DREAMING"`, 1)+"]")
	if _, err = s.account.OpenOrders(background); !errors.Is(err, payload.ErrUnknownValue) {
		t.Errorf("unknown algo status: error %v, want ErrUnknownValue", err)
	}
}

func TestImmediateExpiryIsCancelled(t *testing.T) {
	for _, c := range []struct {
		orderType, tif, status, filled string
		want                           venues.OrderStatus
		reason                         string
	}{
		{"LIMIT", "IOC", "EXPIRED", "0", venues.StatusCancelled, "ioc_not_filled"},
		{"LIMIT", "IOC", "EXPIRED", "0.004", venues.StatusCancelled, ""},
		{"LIMIT", "FOK", "EXPIRED", "0", venues.StatusCancelled, "fok_not_filled"},
		{"LIMIT", "GTX", "EXPIRED", "0", venues.StatusCancelled, ""},
		{"MARKET", "GTC", "EXPIRED", "0", venues.StatusCancelled, "no_liquidity"},
		{"LIMIT", "GTD", "EXPIRED", "0", venues.StatusExpired, ""},
		{"LIMIT", "GTC", "EXPIRED_IN_MATCH", "0", venues.StatusExpired, ""},
		{"LIMIT", "GTC", "REJECTED", "0", venues.StatusRejected, "rejected"},
	} {
		s := newScript(t)
		s.On("POST /fapi/v1/order", 200, strings.NewReplacer(
			`"NEW"`, `"`+c.status+`"`, `"LIMIT"`, `"`+c.orderType+`"`, `"GTC"`, `"`+c.tif+`"`, `"executedQty":"0.000"`, `"executedQty":"`+c.filled+`"`,
		).Replace(openOrder))
		r, err := s.account.Place(background, limitOrder())
		reason := ""
		if r.RejectReason != nil {
			reason = r.RejectReason.Reason
		}
		if err != nil || r.Status != c.want || reason != c.reason {
			t.Errorf("%s %s %s: %s, reason %q, %v; want %s, %q", c.orderType, c.tif, c.status, r.Status, reason, err, c.want, c.reason)
		}
	}
}
