package binance

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/connectortest"
)

const openAlgo = `{"algoId":2146760,"clientAlgoId":"vg00000001","algoType":"CONDITIONAL","orderType":"STOP_MARKET","symbol":"BTCUSDT","side":"SELL",` +
	`"positionSide":"BOTH","timeInForce":"GTC","quantity":"0.010","algoStatus":"NEW","triggerPrice":"58000.00","price":"0.00","icebergQuantity":null,` +
	`"closePosition":false,"priceProtect":false,"reduceOnly":true,"activatePrice":"","callbackRate":"","createTime":1750485492076,"updateTime":1750485492076,` +
	`"triggerTime":0,"goodTillDate":0}`

func orderWith(change func(*venues.OrderRequest)) venues.OrderRequest {
	r := limitOrder()
	change(&r)
	return r
}

// Each kind of order on the wire, in both position modes.
func TestPlaceOnTheWire(t *testing.T) {
	const order, algo = "POST /fapi/v1/order", "POST /fapi/v1/algoOrder"
	for _, c := range []struct {
		name  string
		order venues.OrderRequest
		path  string
		oneWay,
		hedge string
	}{
		{
			"limit", limitOrder(), order,
			"newClientOrderId=vg00000001&newOrderRespType=RESULT&price=60000&quantity=0.01&side=BUY&symbol=BTCUSDT&timeInForce=GTC&type=LIMIT",
			"newClientOrderId=vg00000001&newOrderRespType=RESULT&positionSide=LONG&price=60000&quantity=0.01&side=BUY&symbol=BTCUSDT&timeInForce=GTC&type=LIMIT",
		},
		{
			"post-only", orderWith(func(r *venues.OrderRequest) { r.PostOnly = true }), order,
			"newClientOrderId=vg00000001&newOrderRespType=RESULT&price=60000&quantity=0.01&side=BUY&symbol=BTCUSDT&timeInForce=GTX&type=LIMIT",
			"newClientOrderId=vg00000001&newOrderRespType=RESULT&positionSide=LONG&price=60000&quantity=0.01&side=BUY&symbol=BTCUSDT&timeInForce=GTX&type=LIMIT",
		},
		{
			"reduce-only market", orderWith(func(r *venues.OrderRequest) {
				r.Type, r.Side, r.Price, r.ReduceOnly = venues.TypeMarket, venues.Sell, venues.Optional{}, true
			}), order,
			"newClientOrderId=vg00000001&newOrderRespType=RESULT&quantity=0.01&reduceOnly=true&side=SELL&symbol=BTCUSDT&type=MARKET",
			"newClientOrderId=vg00000001&newOrderRespType=RESULT&positionSide=LONG&quantity=0.01&side=SELL&symbol=BTCUSDT&type=MARKET",
		},
		{
			"fill or kill", orderWith(func(r *venues.OrderRequest) { r.TimeInForce, r.Side = venues.FillOrKill, venues.Sell }), order,
			"newClientOrderId=vg00000001&newOrderRespType=RESULT&price=60000&quantity=0.01&side=SELL&symbol=BTCUSDT&timeInForce=FOK&type=LIMIT",
			"newClientOrderId=vg00000001&newOrderRespType=RESULT&positionSide=SHORT&price=60000&quantity=0.01&side=SELL&symbol=BTCUSDT&timeInForce=FOK&type=LIMIT",
		},
		{
			"stop limit above the market", orderWith(func(r *venues.OrderRequest) { r.Type, r.TriggerPrice = venues.TypeStopLimit, dec("61000") }), algo,
			"algoType=CONDITIONAL&clientAlgoId=vg00000001&price=60000&quantity=0.01&side=BUY&symbol=BTCUSDT&timeInForce=GTC&triggerPrice=61000&type=STOP&workingType=CONTRACT_PRICE",
			"algoType=CONDITIONAL&clientAlgoId=vg00000001&positionSide=LONG&price=60000&quantity=0.01&side=BUY&symbol=BTCUSDT&timeInForce=GTC&triggerPrice=61000&type=STOP&workingType=CONTRACT_PRICE",
		},
		{
			"stop limit below the market", orderWith(func(r *venues.OrderRequest) { r.Type, r.TriggerPrice = venues.TypeStopLimit, dec("59000") }), algo,
			"algoType=CONDITIONAL&clientAlgoId=vg00000001&price=60000&quantity=0.01&side=BUY&symbol=BTCUSDT&timeInForce=GTC&triggerPrice=59000&type=TAKE_PROFIT&workingType=CONTRACT_PRICE",
			"algoType=CONDITIONAL&clientAlgoId=vg00000001&positionSide=LONG&price=60000&quantity=0.01&side=BUY&symbol=BTCUSDT&timeInForce=GTC&triggerPrice=59000&type=TAKE_PROFIT&workingType=CONTRACT_PRICE",
		},
		{
			"reduce-only stop", orderWith(func(r *venues.OrderRequest) {
				r.Type, r.Side, r.TriggerPrice, r.Price, r.ReduceOnly = venues.TypeStopMarket, venues.Sell, dec("58000"), venues.Optional{}, true
			}), algo,
			"algoType=CONDITIONAL&clientAlgoId=vg00000001&quantity=0.01&reduceOnly=true&side=SELL&symbol=BTCUSDT&triggerPrice=58000&type=STOP_MARKET&workingType=CONTRACT_PRICE",
			"algoType=CONDITIONAL&clientAlgoId=vg00000001&positionSide=LONG&quantity=0.01&side=SELL&symbol=BTCUSDT&triggerPrice=58000&type=STOP_MARKET&workingType=CONTRACT_PRICE",
		},
		{
			"take profit of a short", orderWith(func(r *venues.OrderRequest) {
				r.Type, r.TriggerPrice, r.Price, r.ClosePosition, r.TriggerDirection = venues.TypeStopMarket, dec("58000"), venues.Optional{}, true, venues.TriggerFalling
			}), algo,
			"algoType=CONDITIONAL&clientAlgoId=vg00000001&closePosition=true&side=BUY&symbol=BTCUSDT&triggerPrice=58000&type=TAKE_PROFIT_MARKET&workingType=CONTRACT_PRICE",
			"algoType=CONDITIONAL&clientAlgoId=vg00000001&closePosition=true&positionSide=SHORT&side=BUY&symbol=BTCUSDT&triggerPrice=58000&type=TAKE_PROFIT_MARKET&workingType=CONTRACT_PRICE",
		},
		{
			"stop loss whose price has passed", orderWith(func(r *venues.OrderRequest) {
				r.Type, r.Side, r.TriggerPrice, r.Price, r.ClosePosition, r.TriggerDirection =
					venues.TypeStopMarket, venues.Sell, dec("61000"), venues.Optional{}, true, venues.TriggerFalling
			}), algo,
			"algoType=CONDITIONAL&clientAlgoId=vg00000001&closePosition=true&side=SELL&symbol=BTCUSDT&triggerPrice=61000&type=STOP_MARKET&workingType=CONTRACT_PRICE",
			"algoType=CONDITIONAL&clientAlgoId=vg00000001&closePosition=true&positionSide=LONG&side=SELL&symbol=BTCUSDT&triggerPrice=61000&type=STOP_MARKET&workingType=CONTRACT_PRICE",
		},
	} {
		for mode, want := range map[string]string{oneWay: c.oneWay, hedged: c.hedge} {
			s := newScript(t)
			s.Replace("GET /fapi/v1/accountConfig", 200, mode)
			s.On("GET /fapi/v1/ticker/price", 200, `{"symbol":"BTCUSDT","price":"60000.00","time":1}`)
			s.On(order, 200, openOrder)
			s.On(algo, 200, openAlgo)
			if _, err := s.account.Place(background, c.order); err != nil {
				t.Errorf("%s: err = %v, want no error", c.name, err)
			}
			if got := s.last(c.path); got != want {
				t.Errorf("%s:\n got %s\nwant %s", c.name, got, want)
			}
		}
	}
}

func TestPlaceReport(t *testing.T) {
	s := newScript(t)
	s.On("POST /fapi/v1/order", 200, openOrder)
	r, err := s.account.Place(background, limitOrder())
	if err != nil {
		t.Fatal(err)
	}
	if r.Symbol != "BTCUSDT" || r.ClientOrderID != "vg00000001" || r.VenueOrderID != "4087922044" || r.Status != venues.StatusOpen ||
		r.Side != venues.Buy || r.Type != venues.TypeLimit || !r.Qty.Equal(dec("0.01").Decimal) || !r.FilledQty.IsZero() ||
		!venues.EqualOptional(r.Price, dec("60000")) || r.AvgPrice.Valid || r.TriggerPrice.Valid || r.TimeInForce != venues.GoodTillCancel ||
		r.PostOnly || r.ReduceOnly || r.RejectReason != nil || r.VenueTime.UnixMilli() != 1739781831932 {
		t.Errorf("report %+v, want the open order of the answer", r)
	}
}

// The deadline is sent as recvWindow, in the venue's time.
func TestDeadlineIsSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(t)
		s.now = func() time.Time { return time.Now().Add(40 * time.Second) } // the venue is ahead
		s.On("POST /fapi/v1/order", 200, openOrder)
		order := limitOrder()
		if _, err := s.account.Place(background, order); err != nil {
			t.Fatal(err)
		}
		p := s.sent("POST /fapi/v1/order")[0]
		window := recvWindowOf(p)
		if window <= 0 || window > orderLife.Milliseconds() {
			t.Errorf("recvWindow %d, want what is left of %v", window, orderLife)
		}
		var stamp int64
		if _, err := fmt.Sscan(p.Get("timestamp"), &stamp); err != nil {
			t.Fatal(err)
		}
		offset := s.connector.Clock.Offset()
		if off := time.UnixMilli(stamp + window).Sub(order.Deadline.Add(offset)); off > 0 || off < -5*time.Millisecond { // truncated to whole milliseconds
			t.Errorf("the receive window ends %v after the deadline, want at most 0", off)
		}
		if (offset - 40*time.Second).Abs() > 5*time.Second {
			t.Errorf("offset %v, want 40 s within 5 s", offset)
		}
		if _, err := s.account.Place(background, orderWith(func(r *venues.OrderRequest) { r.Deadline = time.Now().Add(10 * time.Minute) })); err != nil {
			t.Fatal(err)
		}
		if got := recvWindowOf(s.sent("POST /fapi/v1/order")[1]); got != 60000 {
			t.Errorf("recvWindow %d, want the venue's longest", got)
		}
	})
}

func TestPassedDeadlineIsNotSent(t *testing.T) {
	s := newScript(t)
	_, err := s.account.Place(background, orderWith(func(r *venues.OrderRequest) { r.Deadline = time.Now().Add(-time.Millisecond) }))
	if !errors.Is(err, venues.ErrNotSent) || s.RequestCount() != 0 {
		t.Errorf("error %v after %d requests, want ErrNotSent and none", err, s.RequestCount())
	}
}

// A rejected timestamp is definite: the clock is measured and the request signed again,
// under the old deadline.
func TestRejectedTimestampIsSignedAgain(t *testing.T) {
	for _, code := range []int{-1021, -5028} {
		s := newScript(t)
		s.On("POST /fapi/v1/order", 400, fmt.Sprintf(`{"code":%d,"msg":"Timestamp for this request is outside of the recvWindow."}`, code))
		s.On("POST /fapi/v1/order", 200, openOrder)
		if _, err := s.connector.SyncClock(background); err != nil {
			t.Fatal(err)
		}
		s.now = func() time.Time { return time.Now().Add(-time.Hour) }
		if _, err := s.account.Place(background, limitOrder()); err != nil {
			t.Fatalf("code = %d, err = %v, want no error", code, err)
		}
		sent := s.sent("POST /fapi/v1/order")
		if len(sent) != 2 || sent[1].Get("timestamp") >= sent[0].Get("timestamp") || recvWindowOf(sent[1]) > recvWindowOf(sent[0]) ||
			sent[1].Get("newClientOrderId") != sent[0].Get("newClientOrderId") {
			t.Errorf("%d: requests %v, want two with one deadline", code, sent)
		}
	}
	t.Run("once only", func(t *testing.T) {
		s := newScript(t)
		s.On("POST /fapi/v1/order", 400, `{"code":-1021,"msg":"x"}`)
		_, err := s.account.Place(background, limitOrder())
		if venues.CodeOf(err) != venues.CodeExchangeUnavailable || errors.Is(err, venues.ErrOutcomeUnknown) || len(s.sent("POST /fapi/v1/order")) != 2 {
			t.Errorf("error %v after %d requests, want a definite exchange_unavailable after 2", err, len(s.sent("POST /fapi/v1/order")))
		}
	})
	t.Run("not without a clock", func(t *testing.T) {
		s := newScript(t)
		s.On("GET /fapi/v1/time", 503, `{"msg":"Service Unavailable."}`)
		s.On("POST /fapi/v1/order", 400, `{"code":-1021,"msg":"x"}`)
		if _, err := s.account.Place(background, limitOrder()); !isClockRejection(err) || len(s.sent("POST /fapi/v1/order")) != 1 {
			t.Errorf("error %v after %d requests, want a rejected timestamp after 1", err, len(s.sent("POST /fapi/v1/order")))
		}
	})
}

// Nothing that may have been executed is sent again.
func TestUnknownOutcomeIsSentOnce(t *testing.T) {
	for name, answer := range map[string]connectortest.Answer{
		"-1007":                 {Status: 408, Body: `{"code":-1007,"msg":"Timeout"}`},
		"-1000":                 {Status: 400, Body: `{"code":-1000,"msg":"x"}`},
		"503":                   {Status: 503, Body: `{"msg":"Unknown error, please check your request or try again later."}`},
		"502":                   {Status: 502, Body: `<html>`},
		"HTML":                  {Status: 200, Body: `<html>`},
		"-4116":                 {Status: 400, Body: `{"code":-4116,"msg":"ClientOrderId is duplicated."}`},
		"unknown status":        {Status: 200, Body: strings.Replace(openOrder, `"NEW"`, `"PAUSED"`, 1)},
		"unknown side":          {Status: 200, Body: strings.Replace(openOrder, `"BUY"`, `"HOLD"`, 1)},
		"unknown type":          {Status: 200, Body: strings.ReplaceAll(openOrder, `"LIMIT"`, `"ICEBERG"`)},
		"no quantity":           {Status: 200, Body: strings.Replace(openOrder, `"origQty":"0.010",`, ``, 1)},
		"exponent":              {Status: 200, Body: strings.Replace(openOrder, `"0.010"`, `"1e-2"`, 1)},
		"infinity":              {Status: 200, Body: strings.Replace(openOrder, `"0.010"`, `"Infinity"`, 1)},
		"id as a fraction":      {Status: 200, Body: strings.Replace(openOrder, `4087922044`, `4087922044.5`, 1)},
		"truncated":             {Status: 200, Body: openOrder[:200]},
		"another JSON":          {Status: 200, Body: `[]`},
		"without order members": {Status: 200, Body: `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript(t)
			s.Add("POST /fapi/v1/order", answer)
			_, err := s.account.Place(background, limitOrder())
			if !errors.Is(err, venues.ErrOutcomeUnknown) {
				t.Errorf("error %v, want an unknown outcome", err)
			}
			if n := len(s.sent("POST /fapi/v1/order")); n != 1 {
				t.Errorf("%d requests, want 1", n)
			}
			if strings.Contains(fmt.Sprint(err), "signature") {
				t.Errorf("error %v contains the signature, want none", err)
			}
		})
	}
}

// A rejection because of the position mode is definite, so the order is sent once more in
// the other mode.
func TestPositionModeIsReadAgain(t *testing.T) {
	s := newScript(t)
	if _, err := s.account.Mode(background); err != nil {
		t.Fatal(err)
	}
	s.Replace("GET /fapi/v1/accountConfig", 200, hedged)
	s.On("POST /fapi/v1/order", 400, `{"code":-4061,"msg":"Order's position side does not match user's setting."}`)
	s.On("POST /fapi/v1/order", 200, openOrder)
	if _, err := s.account.Place(background, limitOrder()); err != nil {
		t.Fatal(err)
	}
	sent := s.sent("POST /fapi/v1/order")
	if len(sent) != 2 || sent[0].Has("positionSide") || sent[1].Get("positionSide") != "LONG" {
		t.Errorf("requests %v, want one without positionSide and one with LONG", sent)
	}
	t.Run("but not in vain", func(t *testing.T) {
		s := newScript(t)
		s.On("POST /fapi/v1/order", 400, `{"code":-4061,"msg":"x"}`)
		_, err := s.account.Place(background, limitOrder())
		if venues.CodeOf(err) != venues.CodeInvalidRequest || len(s.sent("POST /fapi/v1/order")) != 1 {
			t.Errorf("error %v after %d requests, want invalid_request after 1", err, len(s.sent("POST /fapi/v1/order")))
		}
	})
	t.Run("nor without the mode", func(t *testing.T) {
		s := newScript(t)
		s.Replace("GET /fapi/v1/accountConfig", 503, `{"msg":"Service Unavailable."}`)
		if _, err := s.account.Place(background, limitOrder()); !errors.Is(err, venues.ErrNotSent) {
			t.Errorf("error %v, want ErrNotSent", err)
		}
	})
}

func TestRejectionsHaveTheirReason(t *testing.T) {
	s := newScript(t)
	s.On("POST /fapi/v1/order", 400, `{"code":-5022,"msg":"Due to the order could not be executed as maker, the Post Only order will be rejected."}`)
	_, err := s.account.Place(background, orderWith(func(r *venues.OrderRequest) { r.PostOnly = true }))
	rejected, ok := errors.AsType[*venues.Error](err)
	if !ok || rejected.Details["reason"] != "post_only_would_take" || errors.Is(err, venues.ErrOutcomeUnknown) {
		t.Errorf("error %v, want a definite rejection with the reason post_only_would_take", err)
	}
}

func TestMarginRejectionHasTheAmounts(t *testing.T) {
	s := newScript(t)
	s.connector.instruments.Store(venues.NewInstrumentSet([]venues.Instrument{{Symbol: "BTCUSDT", VenueSymbol: "BTCUSDT", SettleCurrency: "USDT"}}))
	s.On("POST /fapi/v1/order", 400, `{"code":-2019,"msg":"Margin is insufficient."}`)
	s.On("GET /fapi/v3/account", 200, `{"totalInitialMargin":"0","totalUnrealizedProfit":"0","totalMarginBalance":"12.5","availableBalance":"12.50000000","assets":[]}`)
	s.On("GET /fapi/v1/symbolConfig", 200, `[{"symbol":"BTCUSDT","marginType":"CROSSED","leverage":20}]`)
	_, err := s.account.Place(background, limitOrder())
	rejected, _ := errors.AsType[*venues.Error](err)
	// 600 of notional: 30 of margin and 0.3 of fee
	if rejected == nil || rejected.Code != venues.CodeInsufficientBalance || rejected.Details["available"] != "12.5" || rejected.Details["required"] != "30.3" {
		t.Errorf("error %+v, want insufficient_balance with 12.5 available and 30.3 required", rejected)
	}
}

// The margin of a market order is estimated at the last price. Without one only the
// available balance is known.
func TestMarginRejectionOfAMarketOrder(t *testing.T) {
	for name, c := range map[string]struct {
		status       int
		ticker, want string
	}{
		"price":    {200, `{"symbol":"BTCUSDT","price":"60000"}`, "30.3"},
		"no price": {200, `{"symbol":"BTCUSDT"}`, ""},
		"zero":     {200, `{"symbol":"BTCUSDT","price":"0"}`, ""},
		"error":    {400, `{"code":-1121,"msg":"Invalid symbol."}`, ""},
	} {
		s := newScript(t)
		s.connector.instruments.Store(venues.NewInstrumentSet([]venues.Instrument{{Symbol: "BTCUSDT", VenueSymbol: "BTCUSDT", SettleCurrency: "USDT"}}))
		s.On("POST /fapi/v1/order", 400, `{"code":-2019,"msg":"Margin is insufficient."}`)
		s.On("GET /fapi/v3/account", 200, `{"totalInitialMargin":"0","totalUnrealizedProfit":"0","totalMarginBalance":"12.5","availableBalance":"12.50000000","assets":[]}`)
		s.On("GET /fapi/v1/symbolConfig", 200, `[{"symbol":"BTCUSDT","marginType":"CROSSED","leverage":20}]`)
		s.On("GET /fapi/v1/ticker/price", c.status, c.ticker)
		_, err := s.account.Place(background, orderWith(func(r *venues.OrderRequest) { r.Type, r.Price = venues.TypeMarket, venues.Optional{} }))
		rejected, _ := errors.AsType[*venues.Error](err)
		if rejected == nil || rejected.Code != venues.CodeInsufficientBalance || rejected.Details["available"] != "12.5" {
			t.Errorf("%s: error %+v, want insufficient_balance with 12.5 available", name, err)
			continue
		}
		if required, given := rejected.Details["required"]; given != (c.want != "") || given && required != c.want {
			t.Errorf("%s: required %v, want %q", name, required, c.want)
		}
	}
}

func TestHangingAnswerIsUnknown(t *testing.T) {
	s := newScript(t)
	s.Add("POST /fapi/v1/order", connectortest.Answer{Hang: true})
	err := s.CancelWhenReceived("POST /fapi/v1/order", func(ctx context.Context) error {
		_, err := s.account.Place(ctx, limitOrder())
		return err
	})
	if !errors.Is(err, venues.ErrOutcomeUnknown) {
		t.Errorf("error %v, want an unknown outcome", err)
	}
}

func TestOpenAccountNeedsAKey(t *testing.T) {
	for _, c := range []venues.Credentials{{}, {APIKey: "k"}, {APISecret: "s"}} {
		if _, err := New(Sim("http://x", "ws://x")).OpenAccount(c); venues.CodeOf(err) != venues.CodeUnauthorized {
			t.Errorf("error %v, want unauthorized", err)
		}
	}
}

// The venue has one code for "there is nothing to reduce" and for "other orders
// reduce it already". A position must not be given up for closed because of the
// second.
func TestRejectedReduction(t *testing.T) {
	for amount, reason := range map[string]string{"0.009": "exceeds_position", "-0.009": venues.ReasonNoPosition, "0": venues.ReasonNoPosition} {
		s := newScript(t)
		s.On("POST /fapi/v1/order", 400, `{"code":-2022,"msg":"ReduceOnly Order is rejected."}`)
		s.On("GET /fapi/v3/positionRisk", 200, "["+fmt.Sprintf(positionRow, "BOTH", amount)+"]")
		s.On("GET /fapi/v1/symbolConfig", 200, `[{"symbol":"BTCUSDT","marginType":"CROSSED","leverage":21}]`)
		order := limitOrder()
		order.Side, order.ReduceOnly = venues.Sell, true
		_, err := s.account.Place(background, order)
		if e, _ := errors.AsType[*venues.Error](err); e == nil || e.Code != venues.CodeOrderRejected || e.Details["reason"] != reason {
			t.Errorf("position of %s: error %v, want order_rejected with the reason %s", amount, err, reason)
		}
	}
}
