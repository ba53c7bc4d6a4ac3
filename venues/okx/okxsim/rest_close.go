package okxsim

import (
	"net/http"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

type closeArg struct {
	InstID  string `json:"instId"`
	MgnMode string `json:"mgnMode"`
	PosSide string `json:"posSide"`
	AutoCxl flag   `json:"autoCxl"`
	ClOrdID string `json:"clOrdId"`
	Tag     string `json:"tag"`
}

type closeBody struct {
	ClOrdID string `json:"clOrdId"`
	InstID  string `json:"instId"`
	PosSide string `json:"posSide"`
	Tag     string `json:"tag"`
}

var (
	errClosePending = rejectWithStatus(http.StatusTooManyRequests, "51115", "Cancel all pending close-orders before liquidation.")
	errCloseLarge   = rejectWith("51108", "Positions exceed the limit for closing out with the market price.")
)

// closePosition closes a whole position with a market order; the answer has no id.
// Open closing orders are cancelled where the client requests that, and cause a
// rejection otherwise.
func (s *Sim) closePosition(c *call) (any, *apiError) {
	var arg closeArg
	if failed := decode(c.body, &arg); failed != nil {
		return nil, failed
	}
	l, side, failed := s.parseClose(c, &arg)
	if failed != nil {
		return nil, failed
	}
	held := s.heldQty(c.account.ID, l.Symbol, side)
	if held.IsZero() {
		return nil, errNoPosition
	}
	closing := s.Exchange().Orders(c.account.ID, func(o *simcore.Order) bool {
		return o.Status.Open() && o.ReduceOnly && o.Symbol == l.Symbol && o.PosSide == side
	})
	if len(closing) > 0 && !bool(arg.AutoCxl) {
		return nil, errClosePending
	}
	for i := range closing {
		// An order that was filled meanwhile leaves less to close.
		_, _ = s.Exchange().Cancel(c.account.ID, l.Symbol, simcore.OrderRef{ID: closing[i].ID})
	}
	if failed := s.closeAtMarket(c, &arg, l, side, held); failed != nil {
		return nil, failed
	}
	return []closeBody{{ClOrdID: arg.ClOrdID, InstID: l.Symbol, PosSide: posSideName(side), Tag: arg.Tag}}, nil
}

func (s *Sim) parseClose(c *call, arg *closeArg) (*listing, simcore.PositionSide, *apiError) {
	l, failed := s.listing(arg.InstID)
	if failed != nil {
		return nil, 0, failed
	}
	side, failed := parsePosSide(c.account.Mode, arg.PosSide)
	switch {
	case failed != nil:
		return nil, 0, failed
	case arg.MgnMode == "":
		return nil, 0, errEmpty("mgnMode")
	case !validClientID(arg.ClOrdID):
		return nil, 0, errParameter("clOrdId")
	case !validTag(arg.Tag):
		return nil, 0, errParameter("tag")
	}
	return l, side, s.checkMarginMode(c.account.ID, l, arg.MgnMode)
}

func (s *Sim) closeAtMarket(c *call, arg *closeArg, l *listing, side simcore.PositionSide, held decimal.Decimal) *apiError {
	_, err := s.Exchange().Place(simcore.OrderRequest{
		Account: c.account.ID, Symbol: l.Symbol, ClientID: arg.ClOrdID, Side: simcore.Side(-held.Sign()), PosSide: side,
		Type: simcore.Market, Qty: held.Abs(), ReduceOnly: side == simcore.PositionBoth,
		Detail: &orderDetail{ordType: typeMarket, tag: arg.Tag, tdMode: arg.MgnMode},
	})
	switch {
	case err == nil:
		return nil
	case simcore.ReasonOf(err) == simcore.ReasonQtyAboveMax:
		return errCloseLarge
	default:
		return errorOf(err)
	}
}
