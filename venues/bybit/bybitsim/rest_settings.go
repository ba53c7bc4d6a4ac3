package bybitsim

import (
	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

type leverageBody struct {
	Category     string `json:"category"`
	Symbol       string `json:"symbol"`
	BuyLeverage  amount `json:"buyLeverage"`
	SellLeverage amount `json:"sellLeverage"`
}

// setLeverage accepts whole numbers; the venue's own step is a hundredth.
func (s *Sim) setLeverage(c *call) (any, *apiError) {
	var body leverageBody
	if failed := c.decodeLinear(&body, &body.Category); failed != nil {
		return nil, failed
	}
	l, failed := s.listed(body.Symbol)
	if failed != nil {
		return nil, failed
	}
	wanted := body.BuyLeverage.Decimal
	switch {
	case !body.BuyLeverage.set || !body.SellLeverage.set, !wanted.Equal(body.SellLeverage.Decimal),
		!wanted.IsInteger(), wanted.LessThan(one):
		return nil, errParam("leverage invalid")
	case wanted.GreaterThan(dec(l.leverage)):
		return nil, bad(110013, "cannot set leverage [%s] gt maxLeverage [%s] by risk limit",
			wanted.Shift(2), dec(l.leverage).Shift(2))
	}
	return struct{}{}, s.changeLeverage(c.account.ID, l, int(wanted.IntPart()))
}

func (s *Sim) changeLeverage(account string, l *listing, leverage int) *apiError {
	view, err := s.Exchange().Account(account)
	if err != nil {
		return errorOf(err)
	}
	if s.positions(&view, l)[0].Leverage == leverage {
		return bad(110043, "Set leverage not modified")
	}
	err = s.Exchange().SetLeverage(account, l.Symbol, leverage)
	switch simcore.ReasonOf(err) {
	case "":
		return nil
	case simcore.ReasonInsufficientMargin:
		return bad(110012, "Insufficient available balance.")
	case simcore.ReasonPositionTooLarge:
		return bad(110013, "Cannot set leverage due to risk limit level.")
	default:
		return errorOf(err)
	}
}

type modeBody struct {
	Category string `json:"category"`
	Symbol   string `json:"symbol"`
	Coin     string `json:"coin"`
	Mode     *int   `json:"mode"`
}

// switchMode changes the position mode of the whole account; the venue has one for
// each symbol.
func (s *Sim) switchMode(c *call) (any, *apiError) {
	var body modeBody
	if failed := c.decodeLinear(&body, &body.Category); failed != nil {
		return nil, failed
	}
	if body.Symbol == "" && body.Coin == "" {
		return nil, errParam("params error: symbol or coin is required")
	}
	const oneWay, hedge = 0, 3
	mode := simcore.OneWay
	switch {
	case body.Mode == nil || *body.Mode != oneWay && *body.Mode != hedge:
		return nil, errParam("params error: position_mode invalid")
	case *body.Mode == hedge:
		mode = simcore.Hedge
	}
	err := s.Exchange().SetPositionMode(c.account.ID, mode)
	switch simcore.ReasonOf(err) {
	case "":
		return struct{}{}, nil
	case simcore.ReasonNoChange:
		return nil, bad(110025, "Position mode is not modified")
	default:
		return nil, errorOf(err)
	}
}

type tradingStopBody struct {
	Category     string `json:"category"`
	Symbol       string `json:"symbol"`
	TpslMode     string `json:"tpslMode"`
	PositionIdx  int    `json:"positionIdx"`
	TakeProfit   amount `json:"takeProfit"`
	StopLoss     amount `json:"stopLoss"`
	TrailingStop amount `json:"trailingStop"`
	TpTriggerBy  string `json:"tpTriggerBy"`
	SlTriggerBy  string `json:"slTriggerBy"`
}

// tradingStop sets take profit and stop loss of a position; "0" removes one, an
// absent one stays.
func (s *Sim) tradingStop(c *call) (any, *apiError) {
	var body tradingStopBody
	if failed := c.decodeLinear(&body, &body.Category); failed != nil {
		return nil, failed
	}
	if _, failed := s.listed(body.Symbol); failed != nil {
		return nil, failed
	}
	side, failed := positionSide(body.PositionIdx, c.account.Mode)
	switch {
	case failed != nil:
		return nil, failed
	case body.TpslMode == "Partial" || body.TrailingStop.IsPositive():
		return nil, errParam("tpslMode Partial and trailing stops are not simulated")
	case !body.TakeProfit.set && !body.StopLoss.set:
		return nil, errNotModified
	}
	held, failed := s.position(c.account.ID, body.Symbol, side)
	if failed != nil {
		return nil, failed
	}
	if held.Qty.IsZero() {
		return nil, errNoPosition
	}
	return struct{}{}, s.setStops(positionKey{c.account.ID, body.Symbol, side}, held, body)
}

func (s *Sim) setStops(key positionKey, held simcore.PositionView, body tradingStopBody) *apiError {
	take, stop := s.positionStops.prices(key)
	wanted := stops{takeProfit: take, stopLoss: stop}
	if body.TakeProfit.set {
		wanted.takeProfit = body.TakeProfit.Decimal
	}
	if body.StopLoss.set {
		wanted.stopLoss = body.StopLoss.Decimal
	}
	if wanted.takeProfit.Equal(take) && wanted.stopLoss.Equal(stop) {
		return errNotModified
	}
	if failed := checkStopSides(opener(held), wanted, s.Exchange().LastPrice(key.symbol), triggerByLast); failed != nil {
		return failed
	}
	for _, g := range []struct {
		kind, triggerBy string
		sent            amount
		old             decimal.Decimal
	}{
		{takeProfitType, body.TpTriggerBy, body.TakeProfit, take}, {stopLossType, body.SlTriggerBy, body.StopLoss, stop},
	} {
		if !g.sent.set || g.sent.Equal(g.old) {
			continue
		}
		if failed := s.positionStops.set(positionStop{key, g.kind, g.sent.Decimal, orLastPrice(g.triggerBy), ""}, held); failed != nil {
			return failed
		}
	}
	return nil
}

// opener returns the side that opened a position.
func opener(held simcore.PositionView) simcore.Side {
	if held.Qty.IsNegative() {
		return simcore.Sell
	}
	return simcore.Buy
}

type limitPriceBody struct {
	Category     string `json:"category"`
	ModifyEnable bool   `json:"modifyEnable"`
}

// setLimitPriceAction chooses between a moved price and an error.
func (s *Sim) setLimitPriceAction(c *call) (any, *apiError) {
	var body limitPriceBody
	if failed := c.decode(&body); failed != nil {
		return nil, failed
	}
	s.setFarPrices(c.account.ID, !body.ModifyEnable)
	return struct{}{}, category(body.Category)
}

func (s *Sim) setFarPrices(account string, reject bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.strictPrices[account] = reject
}

func (s *Sim) rejectsFarPrices(account string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.strictPrices[account]
}
