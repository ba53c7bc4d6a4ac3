package binancesim

import (
	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

func (s *Sim) placeAlgo(c *call) (any, *apiError) {
	request, l, failed := s.parseAlgo(c, &c.params)
	if failed == nil {
		placed, err := s.Exchange().PlaceConditional(request)
		if err == nil {
			return l.newAlgo(&placed), nil
		}
		failed = errorOf(err, l.pricePlaces)
	}
	s.recordRejection(c, &c.params, failed)
	return nil, failed
}

func (s *Sim) cancelAlgo(c *call) (any, *apiError) {
	ref := c.params.algoRef()
	if c.params.invalid != nil {
		return nil, c.params.invalid
	}
	if c.expired(s) {
		return nil, errEngineWindow
	}
	cancelled, failed := s.Exchange().CancelConditional(c.account.ID, ref)
	if failed != nil {
		return nil, errorOf(failed, 0)
	}
	return struct {
		AlgoID       int64  `json:"algoId"`
		ClientAlgoID string `json:"clientAlgoId"`
		Code         string `json:"code"`
		Msg          string `json:"msg"`
	}{cancelled.ID, cancelled.Request.ClientID, "200", "success"}, nil
}

func (p *params) algoRef() simcore.OrderRef {
	return p.ref("algoId", "clientAlgoId", "Param 'algoId' or 'clientAlgoId' must be sent, but both were empty/null!")
}

func (s *Sim) cancelAllAlgo(c *call) (any, *apiError) {
	return s.cancelAllBy(c, func(account, symbol string) error {
		_, err := s.Exchange().CancelAllConditionals(account, symbol)
		return err
	})
}

func (s *Sim) queryAlgo(c *call) (any, *apiError) {
	ref := c.params.algoRef()
	if c.params.invalid != nil {
		return nil, c.params.invalid
	}
	found, failed := s.Exchange().Conditional(c.account.ID, ref)
	if failed != nil || !s.visibleAlgo(&found) {
		return nil, errNoSuchOrder
	}
	return s.listings[found.Request.Symbol].queriedAlgo(&found), nil
}

func (s *Sim) visibleAlgo(c *simcore.Conditional) bool {
	now := s.Clock.Now()
	if now.Sub(c.CreatedAt) < s.options.ReadLag {
		return false
	}
	if c.Status <= simcore.ConditionalTriggered {
		return true
	}
	age := now.Sub(c.UpdatedAt)
	unfilled := c.Order == nil || c.Order.FilledQty().IsZero()
	return age < retention && !(unfilled && age >= retentionUnfilled)
}

func (s *Sim) openAlgo(c *call) (any, *apiError) {
	only, id := s.onlySymbol(c), c.params.integer("algoId", 0)
	if c.params.invalid != nil {
		return nil, c.params.invalid
	}
	return s.queriedAlgos(s.Exchange().Conditionals(c.account.ID, func(one *simcore.Conditional) bool {
		return one.Open() && (only == "" || one.Request.Symbol == only) && (id == 0 || one.ID == id)
	})), nil
}

func (s *Sim) queriedAlgos(found []simcore.Conditional) []algoBody {
	body := []algoBody{}
	for i := range found {
		if s.visibleAlgo(&found[i]) {
			body = append(body, s.listings[found[i].Request.Symbol].queriedAlgo(&found[i]))
		}
	}
	return body
}

func (s *Sim) allAlgo(c *call) (any, *apiError) {
	l, limit := s.listingPage(c)
	if c.params.invalid != nil {
		return nil, c.params.invalid
	}
	page := c.params.integer("page", 0)
	if c.params.invalid != nil || page < 0 {
		return nil, bad(-1130, "Data sent for parameter 'page' is not valid.")
	}
	fromID := c.params.integer("algoId", 0)
	from, to := c.weekSpan(fromID != 0)
	if c.params.invalid != nil {
		return nil, c.params.invalid
	}
	body := s.queriedAlgos(s.Exchange().Conditionals(c.account.ID, func(one *simcore.Conditional) bool {
		return one.Request.Symbol == l.Symbol && one.ID >= fromID && within(one.CreatedAt, from, to)
	}))
	skip := min(len(body), max(0, int(page-1))*limit)
	return body[skip:min(len(body), skip+limit)], nil
}

// parseAlgo parses a conditional order and checks what does not depend on the
// account's state.
func (s *Sim) parseAlgo(c *call, p *params) (simcore.ConditionalRequest, *listing, *apiError) {
	var r simcore.ConditionalRequest
	if p.text("algoType") != "CONDITIONAL" {
		p.refuse(errMandatory("algoType"))
	}
	l := s.listingBy(p, "symbol")
	o := newOrder{listing: l}
	o.Account, o.Symbol, o.Deadline = c.account.ID, p.text("symbol"), c.deadline
	kind := p.parseKind(&o)
	if !conditionalTypes[kind] {
		p.refuse(errInvalidType)
	}
	if p.invalid != nil {
		return r, l, p.invalid
	}
	s.parseAlgoTerms(&o, &r, c, p)
	parseAlgoSize(&o, &r, p)
	s.parseAlgoPrice(&o, kind, p)
	parseTrigger(&o, &r, kind, p)
	p.checkPrecision("quantity", l.qtyPlaces)
	p.checkPrecision("price", l.pricePlaces)
	p.checkPrecision("triggerPrice", l.pricePlaces)
	detail, _ := o.Detail.(orderDetail)
	detail.algoType, detail.workingType, detail.priceProtect = kind, p.text("workingType"), p.boolean("priceProtect")
	o.Detail = detail
	r.OrderRequest = o.OrderRequest
	return r, l, p.invalid
}

func (s *Sim) parseAlgoTerms(o *newOrder, r *simcore.ConditionalRequest, c *call, p *params) {
	tif := p.text("timeInForce")
	if tif == "GTE_GTC" {
		r.RequiresPosition = true
	} else if tif != "" {
		var ok bool
		if o.TimeInForce, ok = timesInForce[tif]; !ok {
			p.refuse(errInvalidTIF)
		}
	}
	s.parseReduceOnlyAndID(o, c, p, "clientAlgoId")
	o.SelfTrade = p.selfTrade()
	switch p.text("workingType") {
	case "", "CONTRACT_PRICE":
	case "MARK_PRICE":
		r.TriggerBy = simcore.TriggerOnMark
	default:
		p.refuse(bad(-1130, "Data sent for parameter 'workingType' is not valid."))
	}
	o.parseGoodTill(c.now, p)
}

func parseAlgoSize(o *newOrder, r *simcore.ConditionalRequest, p *params) {
	if r.ClosePosition = p.boolean("closePosition"); !r.ClosePosition {
		o.Qty = p.needNumber("quantity")
		return
	}
	opensLong := o.PosSide == simcore.PositionLong && o.Side == simcore.Buy
	opensShort := o.PosSide == simcore.PositionShort && o.Side == simcore.Sell
	switch {
	case p.has("quantity"):
		p.refuse(errCloseWithQty)
	case p.has("reduceOnly"):
		p.refuse(errCloseWithReduce)
	case opensLong || opensShort:
		p.refuse(errPositionSide)
	}
}

func (s *Sim) parseAlgoPrice(o *newOrder, kind string, p *params) {
	if kind == "STOP" || kind == "TAKE_PROFIT" {
		s.parsePrice(o, p)
		return
	}
	o.Type = simcore.Market
	if p.has("price") {
		p.refuse(errNotRequired("price"))
	}
}

func parseTrigger(o *newOrder, r *simcore.ConditionalRequest, kind string, p *params) {
	switch kind {
	case "STOP", "STOP_MARKET":
		r.Rising = o.Side == simcore.Buy
	case "TAKE_PROFIT", "TAKE_PROFIT_MARKET":
		r.Rising = o.Side == simcore.Sell
	default:
		parseTrailing(o, r, p)
		return
	}
	if r.ClosePosition && (kind == "STOP" || kind == "TAKE_PROFIT") {
		p.refuse(bad(-4136, "Target strategy invalid for orderType %s, closePosition true.", kind))
	}
	r.TriggerPrice = p.needNumber("triggerPrice")
}

var (
	callbackRateMin = dec("0.1")
	callbackRateMax = dec("10")
	percent         = decimal.New(1, -2)
)

func parseTrailing(o *newOrder, r *simcore.ConditionalRequest, p *params) {
	r.Rising = o.Side == simcore.Buy
	rate := p.needNumber("callbackRate")
	if rate.LessThan(callbackRateMin) || rate.GreaterThan(callbackRateMax) {
		p.refuse(bad(-2007, "Invalid callBack rate."))
	}
	r.CallbackRate, r.Activation = rate.Mul(percent), p.number("activatePrice")
}
