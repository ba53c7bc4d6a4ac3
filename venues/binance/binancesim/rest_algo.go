package binancesim

import (
	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

func (s *Sim) placeAlgo(c *call) (any, *apiError) {
	request, l, failed := s.parseAlgo(c, c.params)
	if failed == nil {
		placed, err := s.Exchange().PlaceConditional(request)
		if err == nil {
			return l.newAlgo(&placed), nil
		}
		failed = errorOf(err, l.pricePlaces)
	}
	s.recordRejection(c, c.params, failed)
	return nil, failed
}

func (s *Sim) cancelAlgo(c *call) (any, *apiError) {
	ref, err := c.params.algoRef()
	if err != nil {
		return nil, err
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

func (p params) algoRef() (simcore.OrderRef, *apiError) {
	id, err := p.integer("algoId", 0)
	if err != nil {
		return simcore.OrderRef{}, err
	}
	ref := simcore.OrderRef{ID: id, ClientID: p.text("clientAlgoId")}
	if ref == (simcore.OrderRef{}) {
		return ref, bad(-1102, "Param 'algoId' or 'clientAlgoId' must be sent, but both were empty/null!")
	}
	return ref, nil
}

func (s *Sim) cancelAllAlgo(c *call) (any, *apiError) {
	l, err := s.listing(c)
	if err != nil {
		return nil, err
	}
	if c.expired(s) {
		return nil, errEngineWindow
	}
	if _, failed := s.Exchange().CancelAllConditionals(c.account.ID, l.Symbol); failed != nil {
		return nil, errorOf(failed, l.pricePlaces)
	}
	return allCancelled, nil
}

func (s *Sim) queryAlgo(c *call) (any, *apiError) {
	ref, err := c.params.algoRef()
	if err != nil {
		return nil, err
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
	only := c.params.text("symbol")
	if only != "" {
		if _, err := s.listing(c); err != nil {
			return nil, err
		}
	}
	id, err := c.params.integer("algoId", 0)
	if err != nil {
		return nil, err
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
	l, limit, err := s.listingPage(c)
	if err != nil {
		return nil, err
	}
	page, err := c.params.integer("page", 0)
	if err != nil || page < 0 {
		return nil, bad(-1130, "Data sent for parameter 'page' is not valid.")
	}
	fromID, err := c.params.integer("algoId", 0)
	if err != nil {
		return nil, err
	}
	from, to, err := c.weekSpan(fromID != 0)
	if err != nil {
		return nil, err
	}
	body := s.queriedAlgos(s.Exchange().Conditionals(c.account.ID, func(one *simcore.Conditional) bool {
		return one.Request.Symbol == l.Symbol && one.ID >= fromID && within(one.CreatedAt, from, to)
	}))
	skip := min(len(body), max(0, int(page-1))*limit)
	return body[skip:min(len(body), skip+limit)], nil
}

// parseAlgo parses a conditional order and checks what does not depend on the
// account's state.
func (s *Sim) parseAlgo(c *call, p params) (simcore.ConditionalRequest, *listing, *apiError) {
	var r simcore.ConditionalRequest
	if kind, err := p.need("algoType"); err != nil || kind != "CONDITIONAL" {
		return r, nil, errMandatory("algoType")
	}
	name, err := p.need("symbol")
	if err != nil {
		return r, nil, err
	}
	l, ok := s.listings[name]
	if !ok {
		return r, nil, errInvalidSymbol
	}
	o := newOrder{listing: l}
	o.Account, o.Symbol, o.Deadline = c.account.ID, name, c.deadline
	kind, err := p.parseKind(&o)
	if err != nil {
		return r, l, err
	}
	if !conditionalTypes[kind] {
		return r, l, errInvalidType
	}
	for _, step := range []func() *apiError{
		func() *apiError { return s.parseAlgoTerms(&o, &r, c, p) },
		func() *apiError { return parseAlgoSize(&o, &r, p) },
		func() *apiError { return s.parseAlgoPrice(&o, kind, p) },
		func() *apiError { return parseTrigger(&o, &r, kind, p) },
		func() *apiError { return checkPrecision(p.text("quantity"), l.qtyPlaces) },
		func() *apiError { return checkPrecision(p.text("price"), l.pricePlaces) },
		func() *apiError { return checkPrecision(p.text("triggerPrice"), l.pricePlaces) },
	} {
		if err := step(); err != nil {
			return r, l, err
		}
	}
	detail, _ := o.Detail.(orderDetail)
	detail.algoType, detail.workingType = kind, p.text("workingType")
	detail.priceProtect, err = p.boolean("priceProtect")
	o.Detail = detail
	r.OrderRequest = o.OrderRequest
	return r, l, err
}

func (s *Sim) parseAlgoTerms(o *newOrder, r *simcore.ConditionalRequest, c *call, p params) (err *apiError) {
	tif := p.text("timeInForce")
	if tif == "GTE_GTC" {
		r.RequiresPosition = true
	} else if tif != "" {
		var ok bool
		if o.TimeInForce, ok = timesInForce[tif]; !ok {
			return errInvalidTIF
		}
	}
	if o.ReduceOnly, err = p.boolean("reduceOnly"); err != nil {
		return err
	}
	if p.has("reduceOnly") && c.account.Mode == simcore.Hedge {
		return errNotRequired("reduceOnly")
	}
	if o.ClientID, err = p.clientID("clientAlgoId"); err != nil {
		return err
	}
	if o.ClientID == "" {
		o.ClientID = s.randomID(autoClientIDLen)
	}
	if o.SelfTrade, err = p.selfTrade(); err != nil {
		return err
	}
	switch p.text("workingType") {
	case "", "CONTRACT_PRICE":
	case "MARK_PRICE":
		r.TriggerBy = simcore.TriggerOnMark
	default:
		return bad(-1130, "Data sent for parameter 'workingType' is not valid.")
	}
	return o.parseGoodTill(c.now, p)
}

func parseAlgoSize(o *newOrder, r *simcore.ConditionalRequest, p params) (err *apiError) {
	if r.ClosePosition, err = p.boolean("closePosition"); err != nil {
		return err
	}
	if !r.ClosePosition {
		o.Qty, err = p.needNumber("quantity")
		return err
	}
	opensLong := o.PosSide == simcore.PositionLong && o.Side == simcore.Buy
	opensShort := o.PosSide == simcore.PositionShort && o.Side == simcore.Sell
	switch {
	case p.has("quantity"):
		return errCloseWithQty
	case p.has("reduceOnly"):
		return errCloseWithReduce
	case opensLong || opensShort:
		return errPositionSide
	}
	return nil
}

func (s *Sim) parseAlgoPrice(o *newOrder, kind string, p params) *apiError {
	if kind == "STOP" || kind == "TAKE_PROFIT" {
		return s.parsePrice(o, p)
	}
	o.Type = simcore.Market
	if p.has("price") {
		return errNotRequired("price")
	}
	return nil
}

func parseTrigger(o *newOrder, r *simcore.ConditionalRequest, kind string, p params) (err *apiError) {
	switch kind {
	case "STOP", "STOP_MARKET":
		r.Rising = o.Side == simcore.Buy
	case "TAKE_PROFIT", "TAKE_PROFIT_MARKET":
		r.Rising = o.Side == simcore.Sell
	default:
		return parseTrailing(o, r, p)
	}
	if r.ClosePosition && (kind == "STOP" || kind == "TAKE_PROFIT") {
		return bad(-4136, "Target strategy invalid for orderType %s, closePosition true.", kind)
	}
	r.TriggerPrice, err = p.needNumber("triggerPrice")
	return err
}

var (
	callbackRateMin = dec("0.1")
	callbackRateMax = dec("10")
	percent         = decimal.New(1, -2)
)

func parseTrailing(o *newOrder, r *simcore.ConditionalRequest, p params) *apiError {
	r.Rising = o.Side == simcore.Buy
	rate, err := p.needNumber("callbackRate")
	if err != nil {
		return err
	}
	if rate.LessThan(callbackRateMin) || rate.GreaterThan(callbackRateMax) {
		return bad(-2007, "Invalid callBack rate.")
	}
	r.CallbackRate = rate.Mul(percent)
	r.Activation, err = p.number("activatePrice")
	return err
}
