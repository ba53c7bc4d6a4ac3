package simulation_test

import (
	"errors"
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

func coreSide(s venues.Side) simcore.Side {
	if s == venues.Buy {
		return simcore.Buy
	}
	return simcore.Sell
}

func side(s simcore.Side) venues.Side {
	if s == simcore.Buy {
		return venues.Buy
	}
	return venues.Sell
}

func coreTimeInForce(tif venues.TimeInForce, postOnly bool) simcore.TimeInForce {
	switch {
	case postOnly:
		return simcore.PostOnly
	case tif == venues.ImmediateOrCancel:
		return simcore.IOC
	case tif == venues.FillOrKill:
		return simcore.FOK
	}
	return simcore.GTC
}

func timeInForce(tif simcore.TimeInForce) venues.TimeInForce {
	switch tif {
	case simcore.IOC:
		return venues.ImmediateOrCancel
	case simcore.FOK:
		return venues.FillOrKill
	default:
		return venues.GoodTillCancel
	}
}

// posSide returns the position of an order: in hedge mode each side has its own, and a
// reducing order belongs to the opposite one.
func (p *plan) posSide(s simcore.Side, reduces bool) simcore.PositionSide {
	switch {
	case !p.hedged:
		return simcore.PositionBoth
	case (s == simcore.Buy) != reduces:
		return simcore.PositionLong
	default:
		return simcore.PositionShort
	}
}

func positionSide(s simcore.PositionSide) venues.PositionSide {
	return map[simcore.PositionSide]venues.PositionSide{simcore.PositionLong: venues.Long, simcore.PositionShort: venues.Short}[s]
}

// coreRef prefers the client's id, as the connectors do.
func coreRef(ref venues.OrderRef) simcore.OrderRef {
	if ref.ClientOrderID != "" {
		return simcore.OrderRef{ClientID: ref.ClientOrderID}
	}
	id, _ := strconv.ParseInt(ref.VenueOrderID, 10, 64)
	return simcore.OrderRef{ID: id}
}

func orderType(t simcore.OrderType, stop bool) venues.OrderType {
	switch {
	case t == simcore.Market && stop:
		return venues.TypeStopMarket
	case t == simcore.Market:
		return venues.TypeMarket
	case stop:
		return venues.TypeStopLimit
	}
	return venues.TypeLimit
}

var orderStatuses = map[simcore.OrderStatus]venues.OrderStatus{
	simcore.StatusNew: venues.StatusOpen, simcore.StatusPartiallyFilled: venues.StatusPartiallyFilled,
	simcore.StatusFilled: venues.StatusFilled, simcore.StatusCancelled: venues.StatusCancelled,
	simcore.StatusExpired: venues.StatusExpired,
}

// endFaults are the reasons for which an order ends on its own.
var endFaults = map[simcore.EndReason]string{
	simcore.EndPostOnly: venues.ReasonPostOnlyWouldTake, simcore.EndPostOnlyAmended: venues.ReasonPostOnlyWouldTake,
	simcore.EndFillOrKill: venues.ReasonFOKNotFilled, simcore.EndImmediateRemainder: venues.ReasonIOCNotFilled,
	simcore.EndMarketRemainder: venues.ReasonIOCNotFilled,
}

// reportOrder returns the report of an order of the book. The order of a triggered stop
// is reported as the stop.
func reportOrder(o simcore.Order) venues.ExecutionReport {
	r := venues.ExecutionReport{
		Symbol: o.Symbol, ClientOrderID: o.ClientID, VenueOrderID: strconv.FormatInt(o.ID, 10),
		Side: side(o.Side), Type: orderType(o.Type, o.Parent != 0), Status: orderStatuses[o.Status],
		Qty: o.Qty(), FilledQty: o.FilledQty(), ReduceOnly: o.ReduceOnly, PostOnly: o.TimeInForce == simcore.PostOnly,
		TimeInForce: timeInForce(o.TimeInForce), Forced: o.Liquidation, VenueTime: o.UpdatedAt,
	}
	if o.Parent != 0 {
		r.ParentID = strconv.FormatInt(o.Parent, 10)
	}
	if o.Type == simcore.Limit {
		r.Price = venues.Some(o.Price())
	}
	if leg, attached := o.Detail.(*attachedLeg); attached {
		r.Attachment = leg.attachment(true)
	}
	r.AvgPrice = venues.SomePositive(o.AvgPrice())
	if reason := endFaults[o.Reason]; reason != "" {
		// An order that the venue ends immediately is a cancellation on all venues.
		r.Status = venues.StatusCancelled
		r.RejectReason = &venues.RejectReason{Code: venues.CodeOrderRejected, Reason: reason}
	}
	return r
}

var conditionalStatuses = map[simcore.ConditionalStatus]venues.OrderStatus{
	simcore.ConditionalWaiting: venues.StatusUntriggered, simcore.ConditionalTriggering: venues.StatusUntriggered,
	simcore.ConditionalTriggered: venues.StatusOpen, simcore.ConditionalFinished: venues.StatusFilled,
	simcore.ConditionalCancelled: venues.StatusCancelled, simcore.ConditionalRejected: venues.StatusRejected,
	simcore.ConditionalExpired: venues.StatusExpired,
}

// reportConditional returns the report of a stop, or of its order once it has triggered.
func reportConditional(c simcore.Conditional) venues.ExecutionReport {
	if c.Order != nil {
		r := reportOrder(*c.Order)
		r.TriggerPrice = venues.Some(c.Request.TriggerPrice)
		if leg, attached := c.Request.Detail.(*attachedLeg); attached {
			r.Attachment = leg.attachment(true)
		}
		return r
	}
	q := &c.Request
	r := venues.ExecutionReport{
		Symbol: q.Symbol, ClientOrderID: q.ClientID, VenueOrderID: strconv.FormatInt(c.ID, 10), ConditionalID: true,
		Side: side(q.Side), Type: orderType(q.Type, true), Status: conditionalStatuses[c.Status], Qty: q.Qty,
		TriggerPrice: venues.Some(q.TriggerPrice), ReduceOnly: q.ReduceOnly || q.ClosePosition,
		TimeInForce: timeInForce(q.TimeInForce), VenueTime: c.UpdatedAt,
	}
	if q.Type == simcore.Limit {
		r.Price = venues.Some(q.Price)
	}
	if leg, attached := q.Detail.(*attachedLeg); attached {
		r.Attachment = leg.attachment(false)
	}
	if c.Status == simcore.ConditionalRejected {
		r.RejectReason = &venues.RejectReason{Code: venues.CodeOrderRejected, Reason: string(c.Rejected)}
		if c.Rejected == simcore.ReasonReduceOnly {
			r.RejectReason.Reason = venues.ReasonNoPosition
		}
	}
	return r
}

func reportFill(f *simcore.Fill, exchange venues.Venue) *venues.Fill {
	fill := &venues.Fill{
		Exchange: exchange, Symbol: f.Symbol, Side: side(f.Side), PositionSide: positionSide(f.PosSide), Qty: f.Qty, Price: f.Price,
		Fee: venues.Some(f.Fee), FeeCurrency: "USDT", Liquidity: venues.Taker, RealizedPnl: venues.Some(f.RealizedPnL),
		VenueTradeID: strconv.FormatInt(f.TradeID, 10), VenueOrderID: strconv.FormatInt(f.OrderID, 10),
		ExecutedAt: venues.At(f.Time.Truncate(time.Millisecond)),
	}
	if f.Maker {
		fill.Liquidity = venues.Maker
	}
	return fill
}

func reportPosition(exchange venues.Venue, symbol string, qty decimal.Decimal, entry venues.Optional) venues.Position {
	p := venues.Position{Exchange: exchange, Symbol: symbol, Side: venues.Long, Qty: qty.Abs(), EntryPrice: entry}
	if qty.IsNegative() {
		p.Side = venues.Short
	}
	return p
}

func isReason(err error, reason simcore.Reason) bool {
	r, ok := errors.AsType[*simcore.Rejection](err)
	return ok && r.Reason == reason
}

// rejection converts the venue's rejection into an error of the service.
func rejection(err error) error {
	r, ok := errors.AsType[*simcore.Rejection](err)
	if !ok {
		return err
	}
	no := func(code venues.Code, reason string) *venues.Error {
		e := venues.Errorf(code, "refused: %s", r.Reason).With("reason", reason)
		e.VenueCode = string(r.Reason)
		return e
	}
	switch r.Reason {
	case simcore.ReasonUnknownOrder:
		return no(venues.CodeNotFound, "")
	case simcore.ReasonDuplicateClientID:
		// The order exists, whatever placed it.
		return errors.Join(no(venues.CodeExchangeUnavailable, "duplicate_client_id"), venues.ErrOutcomeUnknown)
	case simcore.ReasonDeadline:
		return no(venues.CodeOrderRejected, venues.ReasonTooLate)
	case simcore.ReasonInsufficientMargin:
		return no(venues.CodeInsufficientBalance, "")
	case simcore.ReasonReduceOnly, simcore.ReasonNoPosition:
		return no(venues.CodeOrderRejected, venues.ReasonNoPosition)
	case simcore.ReasonPostOnly:
		return no(venues.CodeOrderRejected, venues.ReasonPostOnlyWouldTake)
	case simcore.ReasonFillOrKill:
		return no(venues.CodeOrderRejected, venues.ReasonFOKNotFilled)
	case simcore.ReasonNoLiquidity:
		return no(venues.CodeOrderRejected, venues.ReasonIOCNotFilled)
	case simcore.ReasonWouldTrigger:
		return no(venues.CodeOrderRejected, venues.ReasonWouldTrigger)
	default:
		return no(venues.CodeOrderRejected, string(r.Reason))
	}
}
