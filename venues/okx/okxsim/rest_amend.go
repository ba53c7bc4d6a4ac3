package okxsim

import (
	"cmp"
	"encoding/json"
	"net/http"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

type amendArg struct {
	refArg
	CxlOnFail   flag   `json:"cxlOnFail"`
	ReqID       string `json:"reqId"`
	NewSz       string `json:"newSz"`
	NewPx       string `json:"newPx"`
	PxAmendType string `json:"pxAmendType"`
	// AttachAlgoOrds amend the attachments; "0" removes a trigger.
	AttachAlgoOrds []attachmentAmend `json:"attachAlgoOrds"`
}

var (
	errAmendMargin = &apiError{status: http.StatusOK, code: "51502", subCode: "1031", message: "Order failed. Insufficient USDT margin in account"}
	errAmendTwice  = rejectWith("51512", "Failed to amend orders in batches. You cannot have duplicate orders in the same amend-batch-orders request.")
)

func (s *Sim) amendOrder(c *call) (any, *apiError) { return ackList{s.amend(c, c.body)}, nil }

// amendBatch is rejected as a whole where it names an order twice.
func (s *Sim) amendBatch(c *call) (any, *apiError) {
	var refs []refArg
	if json.Unmarshal(c.body, &refs) == nil {
		named := map[string]bool{}
		for _, ref := range refs {
			name := cmp.Or(ref.OrdID, ref.ClOrdID)
			if named[name] {
				return nil, errAmendTwice
			}
			named[name] = name != ""
		}
	}
	return batch(c, batchOrdersMax, func(raw []byte) ack { return s.amend(c, raw) })
}

func (s *Sim) amend(c *call, raw []byte) ack {
	var arg amendArg
	failed := decode(raw, &arg)
	if failed == nil {
		failed = s.limiter.orders(c.account.ID, 1, c.now)
	}
	if failed == nil {
		var o simcore.Order
		if o, failed = s.amendParsed(c, &arg); failed == nil {
			done := orderAck(&o, s.Clock.Now())
			done.ReqID = &arg.ReqID
			return done
		}
	}
	answer := rejectionAck(failed, c.now)
	answer.ClOrdID, answer.OrdID, answer.ReqID = arg.ClOrdID, arg.OrdID, &arg.ReqID
	return answer
}

func (s *Sim) amendParsed(c *call, arg *amendArg) (simcore.Order, *apiError) {
	price, qty, failed := arg.parse()
	if failed != nil {
		return simcore.Order{}, failed
	}
	l, o, failed := s.order(c, arg.refArg)
	switch {
	case failed == errNoSuchOrder || failed == nil && !o.Status.Open():
		return simcore.Order{}, errAmendGone
	case failed != nil:
		return simcore.Order{}, failed
	}
	if len(arg.AttachAlgoOrds) > 0 {
		if failed := amendAttached(o, arg); failed != nil {
			return simcore.Order{}, failed
		}
		s.Exchange().Touch(o.Account, o.ID)
		if arg.NewPx == "" && arg.NewSz == "" {
			return *o, nil
		}
	}
	price = s.withinBand(l, o.Side, price, arg.PxAmendType)
	if o.TimeInForce == simcore.PostOnly && s.wouldTake(o, price) {
		return simcore.Order{}, errAmendTakes
	}
	request := simcore.AmendRequest{
		Account: c.account.ID, Symbol: l.Symbol, Order: simcore.OrderRef{ID: o.ID}, Price: price, Qty: qty, Deadline: c.deadline,
	}
	if s.options.EngineDelay <= 0 {
		return s.amendNow(arg, l, o, request)
	}
	if !detailOf(o).beginAmend() {
		return simcore.Order{}, errAmendsQueued
	}
	s.After(s.options.EngineDelay, func() { s.amendAcknowledged(arg, l, o, request) })
	return *o, nil
}

// amendNow amends an order. One that cannot be amended is cancelled where the client
// requests that.
func (s *Sim) amendNow(arg *amendArg, l *listing, o *simcore.Order, request simcore.AmendRequest) (simcore.Order, *apiError) {
	withdraw := detailOf(o).setAmendment(arg.ReqID, "0")
	amended, err := s.Exchange().Amend(request)
	if err == nil {
		return amended, nil
	}
	withdraw()
	if arg.CxlOnFail {
		withdraw = detailOf(o).setAmendment(arg.ReqID, "1")
		if _, gone := s.Exchange().Cancel(request.Account, l.Symbol, request.Order); gone != nil {
			withdraw()
		}
	}
	switch simcore.ReasonOf(err) {
	case simcore.ReasonUnknownOrder:
		return amended, errAmendGone
	case simcore.ReasonInsufficientMargin:
		return amended, errAmendMargin
	default:
		return amended, s.placeError(err, l, o.Type)
	}
}

// amendAcknowledged applies an acknowledged amendment and publishes its failure.
func (s *Sim) amendAcknowledged(arg *amendArg, l *listing, o *simcore.Order, request simcore.AmendRequest) {
	defer detailOf(o).endAmend()
	if _, failed := s.amendNow(arg, l, o, request); failed != nil {
		s.hub.amendFailed(request, arg.ReqID, failed)
	}
}

// wouldTake reports whether an order would take at a new price.
func (s *Sim) wouldTake(o *simcore.Order, price decimal.Decimal) bool {
	if price.IsZero() {
		return false
	}
	best, known := s.bestAgainst(o.Symbol, o.Side)
	return known && !best.Mul(sign(o.Side)).GreaterThan(price.Mul(sign(o.Side)))
}

func sign(side simcore.Side) decimal.Decimal { return decimal.NewFromInt(int64(side)) }

// bestAgainst returns the best price that an order of a side can take; ok is false
// where the book has none.
func (s *Sim) bestAgainst(symbol string, side simcore.Side) (decimal.Decimal, bool) {
	book, _ := s.Exchange().Book(symbol, 1)
	levels := book.Asks
	if side == simcore.Sell {
		levels = book.Bids
	}
	if len(levels) == 0 {
		return decimal.Zero, false
	}
	return levels[0].Price, true
}

func (a *amendArg) parse() (price, qty decimal.Decimal, failed *apiError) {
	if a.NewPx == "" && a.NewSz == "" && len(a.AttachAlgoOrds) == 0 {
		return price, qty, errAmendNothing
	}
	if !validClientID(a.ReqID) {
		return price, qty, errParameter("reqId")
	}
	if a.NewPx != "" {
		if price, failed = positive("newPx", a.NewPx); failed != nil {
			return price, qty, failed
		}
	}
	if a.NewSz != "" {
		qty, failed = positive("newSz", a.NewSz)
	}
	return price, qty, failed
}
