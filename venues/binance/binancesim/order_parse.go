package binancesim

import (
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

// newOrder is a parsed order request.
type newOrder struct {
	simcore.OrderRequest
	listing *listing
	// resultRequested reports whether the answer comes after matching.
	resultRequested bool
}

var conditionalTypes = map[string]bool{
	"STOP": true, "STOP_MARKET": true, "TAKE_PROFIT": true, "TAKE_PROFIT_MARKET": true, "TRAILING_STOP_MARKET": true,
}

// parseOrder parses an order and checks what does not depend on the account's
// state, in the venue's order.
func (s *Sim) parseOrder(c *call, p params) (newOrder, *apiError) {
	var o newOrder
	name, err := p.need("symbol")
	if err != nil {
		return o, err
	}
	var known bool
	if o.listing, known = s.listings[name]; !known {
		return o, errInvalidSymbol
	}
	o.Account, o.Symbol, o.Deadline = c.account.ID, name, c.deadline
	kind, err := p.parseKind(&o)
	if err != nil {
		return o, err
	}
	if conditionalTypes[kind] {
		return o, errUseAlgo
	}
	for _, step := range []func() *apiError{
		func() *apiError { return o.parseType(kind, p) },
		func() *apiError { return s.parseTerms(&o, c, p) },
		func() *apiError { return s.parsePrice(&o, p) },
		func() *apiError { return o.checkPrecision(p, "quantity", o.listing.qtyPlaces) },
		func() *apiError { return o.checkPrecision(p, "price", o.listing.pricePlaces) },
	} {
		if err := step(); err != nil {
			return o, err
		}
	}
	return o, nil
}

// parseOrderKind reads side, position side and type.
func (p params) parseKind(o *newOrder) (kind string, err *apiError) {
	side, err := p.need("side")
	if err != nil {
		return "", err
	}
	if kind, err = p.need("type"); err != nil {
		return "", err
	}
	var ok bool
	if o.Side, ok = sides[side]; !ok {
		return "", errInvalidSide
	}
	if kind != "LIMIT" && kind != "MARKET" && !conditionalTypes[kind] {
		return "", errInvalidType
	}
	if o.PosSide, ok = positionSides[p.text("positionSide")]; !ok {
		return "", bad(-1130, "Data sent for parameter 'positionSide' is not valid.")
	}
	return kind, nil
}

func (o *newOrder) parseType(kind string, p params) (err *apiError) {
	if o.Qty, err = p.needNumber("quantity"); err != nil {
		return err
	}
	if kind == "MARKET" {
		o.Type = simcore.Market
		switch {
		case p.has("timeInForce"):
			return bad(-1114, "TimeInForce parameter sent when not required.")
		case p.has("price"):
			return errNotRequired("price")
		}
		return nil
	}
	tif, err := p.need("timeInForce")
	if err != nil {
		return err
	}
	var ok bool
	if o.TimeInForce, ok = timesInForce[tif]; !ok {
		return errInvalidTIF
	}
	return nil
}

// parseTerms parses the parameters that any order may have.
func (s *Sim) parseTerms(o *newOrder, c *call, p params) (err *apiError) {
	if o.ReduceOnly, err = p.boolean("reduceOnly"); err != nil {
		return err
	}
	if p.has("reduceOnly") && c.account.Mode == simcore.Hedge {
		return errNotRequired("reduceOnly")
	}
	if o.ClientID, err = p.clientID("newClientOrderId"); err != nil {
		return err
	}
	if o.ClientID == "" {
		o.ClientID = s.randomID(autoClientIDLen)
	}
	switch p.text("newOrderRespType") {
	case "", "ACK":
	case "RESULT":
		o.resultRequested = true
	default:
		return bad(-1130, "Data sent for parameter 'newOrderRespType' is not valid.")
	}
	if o.SelfTrade, err = p.selfTrade(); err != nil {
		return err
	}
	return o.parseGoodTill(c.now, p)
}

func (p params) selfTrade() (simcore.SelfTrade, *apiError) {
	word := p.text("selfTradePreventionMode")
	if word == "" {
		word = selfTradeDefault
	}
	mode, ok := selfTrades[word]
	if !ok {
		return mode, bad(-1130, "Data sent for parameter 'selfTradePreventionMode' is not valid.")
	}
	return mode, nil
}

func (o *newOrder) parseGoodTill(now time.Time, p params) *apiError {
	if o.TimeInForce != simcore.GTD {
		return nil
	}
	till, err := p.timeOf("goodTillDate")
	switch {
	case err != nil:
		return err
	case till.IsZero():
		return errMandatory("goodTillDate")
	case till.Before(now.Add(goodTillDateLeadMin)):
		return errGoodTillDate
	}
	o.ExpireAt = till.Truncate(time.Second)
	return nil
}

// parsePrice parses the price of a limit order, or takes it from the book.
func (s *Sim) parsePrice(o *newOrder, p params) (err *apiError) {
	if o.Type == simcore.Market {
		return nil
	}
	match := p.text("priceMatch")
	if match == "" || match == "NONE" {
		o.Price, err = p.needNumber("price")
		o.Detail = orderDetail{}
		return err
	}
	if p.has("price") {
		return errPriceMatchPrice
	}
	o.Detail = orderDetail{priceMatch: match}
	o.Price, err = s.matchPrice(o.Symbol, o.Side, match)
	return err
}

// priceMatches are the side and level of the book that a price match takes.
var priceMatches = map[string]struct {
	opponent bool
	level    int
}{
	"OPPONENT": {true, 1}, "OPPONENT_5": {true, 5},
	"QUEUE": {false, 1}, "QUEUE_5": {false, 5}, "QUEUE_10": {false, 10}, "QUEUE_20": {false, 20},
}

func (s *Sim) matchPrice(symbol string, side simcore.Side, match string) (decimal.Decimal, *apiError) {
	rule, ok := priceMatches[match]
	if !ok {
		return zero, bad(-5038, "Invalid price match type.")
	}
	book, _ := s.Exchange().Book(symbol, rule.level)
	levels := book.Bids
	if (side == simcore.Buy) == rule.opponent {
		levels = book.Asks
	}
	if len(levels) < rule.level {
		return zero, bad(-1112, "No orders on book for symbol.")
	}
	return levels[rule.level-1].Price, nil
}

// checkPrecision checks the decimals as written, superfluous zeros included.
func (o *newOrder) checkPrecision(p params, name string, places int32) *apiError {
	return checkPrecision(p.text(name), places)
}

func checkPrecision(text string, places int32) *apiError {
	_, fraction, _ := strings.Cut(text, ".")
	if len(fraction) > int(places) {
		return errPrecision
	}
	return nil
}
