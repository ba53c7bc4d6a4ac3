package okxsim

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

// flag is a boolean that clients also send as a string.
type flag bool

func (f *flag) UnmarshalJSON(data []byte) error {
	text := bytes.Trim(data, `"`)
	if len(text) == 0 || bytes.Equal(text, []byte("null")) {
		return nil
	}
	return json.Unmarshal(text, (*bool)(f))
}

// numeral is a number as text that clients also send as a JSON number.
type numeral string

func (n *numeral) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, (*string)(n))
	}
	var number json.Number
	err := json.Unmarshal(data, &number)
	*n = numeral(number)
	return err
}

// decode decodes the body of a trade call.
func decode(body []byte, into any) *apiError {
	if json.Unmarshal(body, into) != nil {
		return errSyntax
	}
	return nil
}

// orderArg is an order as a client sends it.
type orderArg struct {
	InstID         string          `json:"instId"`
	InstIDCode     *int64          `json:"instIdCode"`
	TdMode         string          `json:"tdMode"`
	ClOrdID        string          `json:"clOrdId"`
	Tag            string          `json:"tag"`
	Side           string          `json:"side"`
	PosSide        string          `json:"posSide"`
	OrdType        string          `json:"ordType"`
	Sz             string          `json:"sz"`
	Px             string          `json:"px"`
	PxAmendType    string          `json:"pxAmendType"`
	ReduceOnly     flag            `json:"reduceOnly"`
	StpMode        string          `json:"stpMode"`
	AttachAlgoOrds []attachmentArg `json:"attachAlgoOrds"`
}

// attachmentArg is a take-profit and stop-loss that becomes live with the fill of its
// order.
type attachmentArg struct {
	AttachAlgoClOrdID string `json:"attachAlgoClOrdId"`
	TpTriggerPx       string `json:"tpTriggerPx"`
	TpOrdPx           string `json:"tpOrdPx"`
	TpTriggerPxType   string `json:"tpTriggerPxType"`
	SlTriggerPx       string `json:"slTriggerPx"`
	SlOrdPx           string `json:"slOrdPx"`
	SlTriggerPxType   string `json:"slTriggerPxType"`
}

// timesInForce are the order types that are limit orders on the exchange.
var timesInForce = map[string]simcore.TimeInForce{
	typeLimit: simcore.GTC, typePostOnly: simcore.PostOnly, typeFOK: simcore.FOK, typeIOC: simcore.IOC,
}

// parse converts an order of a client into a request to the exchange.
func (a *orderArg) parse(s *Sim, c *call) (simcore.OrderRequest, *apiError) {
	request := simcore.OrderRequest{Account: c.account.ID, ClientID: a.ClOrdID, Deadline: c.deadline, ReduceOnly: bool(a.ReduceOnly)}
	l, failed := s.instrumentOf(c, a.InstID, a.InstIDCode)
	if failed != nil {
		return request, failed
	}
	request.Symbol = l.Symbol
	if failed := s.checkTradeMode(&request, a.TdMode); failed != nil {
		return request, failed
	}
	if failed := a.parseEnums(c, &request); failed != nil {
		return request, failed
	}
	if !validTag(a.Tag) {
		return request, errParameter("tag")
	}
	if request.Qty, failed = positive("sz", a.Sz); failed != nil {
		return request, failed
	}
	if request.Type == simcore.Limit {
		if request.Price, failed = positive("px", a.Px); failed != nil {
			return request, failed
		}
		request.Price = s.withinBand(l, request.Side, request.Price, a.PxAmendType)
	}
	detail := &orderDetail{ordType: a.OrdType, tag: a.Tag, tdMode: a.TdMode}
	if detail.attached, failed = s.parseAttachments(a, &request); failed != nil {
		return request, failed
	}
	if failed := s.checkReducing(&request, detail); failed != nil {
		return request, failed
	}
	request.Detail = detail
	return request, nil
}

// moveToBand is the pxAmendType that lets the venue move a price that is too far
// from the market to the edge of the band.
const moveToBand = "1"

// withinBand returns the price of an order, moved to the edge of the band where the
// client allows that.
func (s *Sim) withinBand(l *listing, side simcore.Side, price decimal.Decimal, amendType string) decimal.Decimal {
	if amendType != moveToBand || price.IsZero() {
		return price
	}
	highest, lowest := s.band(l)
	if side == simcore.Buy {
		return decimal.Min(price, highest)
	}
	return decimal.Max(price, lowest)
}

// instrumentOf returns an instrument by its code, which calls on sockets require, or
// by its name.
func (s *Sim) instrumentOf(c *call, name string, code *int64) (*listing, *apiError) {
	switch {
	case code == nil && c.onSocket:
		return nil, errEmpty("instIdCode")
	case code == nil:
		return s.listing(name)
	}
	for _, l := range s.listings {
		if l.code == *code {
			return l, nil
		}
	}
	return nil, errInstrument
}

func (a *orderArg) parseEnums(c *call, request *simcore.OrderRequest) *apiError {
	var known bool
	switch {
	case !validClientID(a.ClOrdID):
		return errParameter("clOrdId")
	case a.OrdType == "":
		return errEmpty("ordType")
	}
	if request.Side, known = sides[a.Side]; !known {
		return errParameter("side")
	}
	var failed *apiError
	if request.PosSide, failed = parsePosSide(c.account.Mode, a.PosSide); failed != nil {
		return failed
	}
	if request.PosSide != simcore.PositionBoth {
		request.ReduceOnly = false
	}
	if request.SelfTrade, known = selfTrades[a.StpMode]; !known {
		return errParameter("stpMode")
	}
	if request.SelfTrade == simcore.SelfTradeExpireBoth && a.OrdType == typeFOK {
		return errFillOrKillBoth
	}
	if a.OrdType == typeMarket || a.OrdType == typeOptimalIOC {
		request.Type = simcore.Market
		return nil
	}
	if request.TimeInForce, known = timesInForce[a.OrdType]; !known {
		return errParameter("ordType")
	}
	return nil
}

// parsePosSide parses the position side and checks it against the account's mode.
func parsePosSide(mode simcore.PositionMode, word string) (simcore.PositionSide, *apiError) {
	switch {
	case mode == simcore.OneWay && (word == "" || word == "net"):
		return simcore.PositionBoth, nil
	case mode == simcore.Hedge && word == "long":
		return simcore.PositionLong, nil
	case mode == simcore.Hedge && word == "short":
		return simcore.PositionShort, nil
	}
	return simcore.PositionBoth, rejectWith("51000", "Parameter posSide error ")
}

func validClientID(id string) bool { return len(id) <= clientIDLenMax && isAlphanumeric(id) }

// validTag is the same for tags.
func validTag(tag string) bool { return len(tag) <= tagLenMax && isAlphanumeric(tag) }

func isAlphanumeric(id string) bool {
	for _, r := range id {
		if (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return false
		}
	}
	return true
}

// positive parses a required decimal above zero.
func positive(name, text string) (decimal.Decimal, *apiError) {
	if text == "" {
		return decimal.Zero, errEmpty(name)
	}
	d, err := venues.ParseDecimal(text)
	if err != nil || !d.IsPositive() {
		return decimal.Zero, errParameter(name)
	}
	return d, nil
}

// checkReducing checks a reducing order against its position. A larger one is reduced
// (amendSource 4) or rejected in net mode, depending on the options, and rejected in
// long/short mode.
func (s *Sim) checkReducing(request *simcore.OrderRequest, detail *orderDetail) *apiError {
	if !request.ReduceOnly && !closesSide(request) {
		return nil
	}
	held := s.heldQty(request.Account, request.Symbol, request.PosSide)
	tooMuch := !held.IsZero() && request.Qty.GreaterThan(held.Abs())
	switch {
	case request.ReduceOnly && held.Sign() == int(request.Side):
		return errReduceGrows
	case !tooMuch:
		return nil
	case !request.ReduceOnly, s.options.ReduceOnlyRejects:
		return errCloseSize
	}
	request.Qty, detail.amendment.source = held.Abs(), "4"
	return nil
}

// closesSide reports whether an order of long/short mode closes its side.
func closesSide(request *simcore.OrderRequest) bool {
	return request.PosSide == simcore.PositionLong && request.Side == simcore.Sell ||
		request.PosSide == simcore.PositionShort && request.Side == simcore.Buy
}

// heldQty returns the signed size of a position in contracts.
func (s *Sim) heldQty(account, symbol string, side simcore.PositionSide) decimal.Decimal {
	v, failed := s.view(account)
	if failed != nil {
		return decimal.Zero
	}
	for i := range v.Holdings {
		for _, p := range v.Holdings[i].Positions {
			if p.Symbol == symbol && p.Side == side {
				return p.Qty
			}
		}
	}
	return decimal.Zero
}

// checkTradeMode checks the margin mode of an order against that of the account in
// the swap, which is a setting of the exchange.
func (s *Sim) checkTradeMode(request *simcore.OrderRequest, word string) *apiError {
	switch {
	case s.levels.of(request.Account) == levelSpot:
		return errAccountLevel
	case word == "":
		return errEmpty("tdMode")
	case word != s.marginMode(request.Account, request.Symbol):
		return errParameter("tdMode")
	}
	return nil
}

func (s *Sim) marginMode(account, symbol string) string {
	v, failed := s.view(account)
	if failed != nil {
		return marginCross
	}
	for i := range v.Holdings {
		if v.Holdings[i].Instrument.Symbol == symbol {
			return marginModeName(v.Holdings[i].Isolated)
		}
	}
	return marginCross
}

func marginModeName(isolated bool) string {
	if isolated {
		return marginIsolated
	}
	return marginCross
}

// parseID parses an id of the venue, zero where it is absent.
func parseID(name, text string) (int64, *apiError) {
	if text == "" {
		return 0, nil
	}
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id <= 0 {
		return 0, errParameter(name)
	}
	return id, nil
}
