package binancesim

import (
	"cmp"
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
func (s *Sim) parseOrder(c *call, p *params) (newOrder, *apiError) {
	o := newOrder{listing: s.listingBy(p, "symbol")}
	o.Account, o.Symbol, o.Deadline = c.account.ID, p.text("symbol"), c.deadline
	kind := p.parseKind(&o)
	if conditionalTypes[kind] {
		p.refuse(errUseAlgo)
	}
	if p.invalid != nil {
		return o, p.invalid
	}
	o.parseType(kind, p)
	s.parseTerms(&o, c, p)
	s.parsePrice(&o, p)
	p.checkPrecision("quantity", o.listing.qtyPlaces)
	p.checkPrecision("price", o.listing.pricePlaces)
	return o, p.invalid
}

// parseKind reads side, position side and type.
func (p *params) parseKind(o *newOrder) string {
	side, kind := p.need("side"), p.need("type")
	var ok bool
	if o.Side, ok = sides[side]; !ok {
		p.refuse(errInvalidSide)
	}
	if kind != "LIMIT" && kind != "MARKET" && !conditionalTypes[kind] {
		p.refuse(errInvalidType)
	}
	if o.PosSide, ok = positionSides[p.text("positionSide")]; !ok {
		p.refuse(bad(-1130, "Data sent for parameter 'positionSide' is not valid."))
	}
	return kind
}

func (o *newOrder) parseType(kind string, p *params) {
	o.Qty = p.needNumber("quantity")
	if kind == "MARKET" {
		o.Type = simcore.Market
		switch {
		case p.has("timeInForce"):
			p.refuse(bad(-1114, "TimeInForce parameter sent when not required."))
		case p.has("price"):
			p.refuse(errNotRequired("price"))
		}
		return
	}
	var ok bool
	if o.TimeInForce, ok = timesInForce[p.need("timeInForce")]; !ok {
		p.refuse(errInvalidTIF)
	}
}

// parseTerms parses the parameters that any order may have.
func (s *Sim) parseTerms(o *newOrder, c *call, p *params) {
	s.parseReduceOnlyAndID(o, c, p, "newClientOrderId")
	switch p.text("newOrderRespType") {
	case "", "ACK":
	case "RESULT":
		o.resultRequested = true
	default:
		p.refuse(bad(-1130, "Data sent for parameter 'newOrderRespType' is not valid."))
	}
	o.SelfTrade = p.selfTrade()
	o.parseGoodTill(c.now, p)
}

// parseReduceOnlyAndID parses what all orders have in common. An order without a client
// id gets one, unless it is rejected already.
func (s *Sim) parseReduceOnlyAndID(o *newOrder, c *call, p *params, idName string) {
	o.ReduceOnly = p.boolean("reduceOnly")
	if p.has("reduceOnly") && c.account.Mode == simcore.Hedge {
		p.refuse(errNotRequired("reduceOnly"))
	}
	o.ClientID = p.clientID(idName)
	if o.ClientID == "" && p.invalid == nil {
		o.ClientID = s.randomID(autoClientIDLen)
	}
}

func (p *params) selfTrade() simcore.SelfTrade {
	mode, ok := selfTrades[cmp.Or(p.text("selfTradePreventionMode"), selfTradeDefault)]
	if !ok {
		p.refuse(bad(-1130, "Data sent for parameter 'selfTradePreventionMode' is not valid."))
	}
	return mode
}

func (o *newOrder) parseGoodTill(now time.Time, p *params) {
	if o.TimeInForce != simcore.GTD {
		return
	}
	till := p.timeOf("goodTillDate")
	switch {
	case till.IsZero():
		p.refuse(errMandatory("goodTillDate"))
	case till.Before(now.Add(goodTillDateLeadMin)):
		p.refuse(errGoodTillDate)
	}
	o.ExpireAt = till.Truncate(time.Second)
}

// parsePrice parses the price of a limit order, or takes it from the book.
func (s *Sim) parsePrice(o *newOrder, p *params) {
	match := p.text("priceMatch")
	switch {
	case o.Type == simcore.Market:
	case match == "" || match == "NONE":
		o.Price, o.Detail = p.needNumber("price"), orderDetail{}
	case p.has("price"):
		p.refuse(errPriceMatchPrice)
	default:
		o.Price, o.Detail = s.matchPrice(p, o.Symbol, o.Side, match), orderDetail{priceMatch: match}
	}
}

// priceMatches are the side and level of the book that a price match takes.
var priceMatches = map[string]struct {
	opponent bool
	level    int
}{
	"OPPONENT": {true, 1}, "OPPONENT_5": {true, 5},
	"QUEUE": {false, 1}, "QUEUE_5": {false, 5}, "QUEUE_10": {false, 10}, "QUEUE_20": {false, 20},
}

func (s *Sim) matchPrice(p *params, symbol string, side simcore.Side, match string) decimal.Decimal {
	rule, ok := priceMatches[match]
	if !ok {
		p.refuse(bad(-5038, "Invalid price match type."))
		return zero
	}
	book, _ := s.Exchange().Book(symbol, rule.level)
	levels := book.Bids
	if (side == simcore.Buy) == rule.opponent {
		levels = book.Asks
	}
	if len(levels) < rule.level {
		p.refuse(bad(-1112, "No orders on book for symbol."))
		return zero
	}
	return levels[rule.level-1].Price
}

// checkPrecision checks the decimals as written, superfluous zeros included.
func (p *params) checkPrecision(name string, places int32) {
	_, fraction, _ := strings.Cut(p.text(name), ".")
	if len(fraction) > int(places) {
		p.refuse(errPrecision)
	}
}
