package binancesim

import (
	"cmp"
	"strconv"
	"time"

	"venuegate/venues/simcore"
)

type algoEvent struct {
	Event string        `json:"e"`
	T     int64         `json:"T"`
	E     int64         `json:"E"`
	Order algoEventBody `json:"o"`
}

// algoEventBody has ap, aq and act only once an order exists, and rm only for a
// rejection.
type algoEventBody struct {
	ClientID      string  `json:"caid"`
	ID            int64   `json:"aid"`
	AlgoType      string  `json:"at"`
	Type          string  `json:"o"`
	Symbol        string  `json:"s"`
	Side          string  `json:"S"`
	PositionSide  string  `json:"ps"`
	TIF           string  `json:"f"`
	Qty           string  `json:"q"`
	Status        string  `json:"X"`
	OrderID       string  `json:"ai"`
	Average       *string `json:"ap,omitempty"`
	Filled        *string `json:"aq,omitempty"`
	OrderType     *string `json:"act,omitempty"`
	TriggerPrice  string  `json:"tp"`
	Price         string  `json:"p"`
	SelfTrade     string  `json:"V"`
	WorkingType   string  `json:"wt"`
	PriceMatch    string  `json:"pm"`
	ClosePosition bool    `json:"cp"`
	PriceProtect  bool    `json:"pP"`
	ReduceOnly    bool    `json:"R"`
	TriggerTime   int64   `json:"tt"`
	GoodTill      int64   `json:"gtd"`
	Reason        string  `json:"rm,omitempty"`
}

// rejectionReasons are the venue's texts for why a triggered order was rejected.
var rejectionReasons = map[simcore.Reason]string{
	simcore.ReasonInsufficientMargin: "margin not enough",
	simcore.ReasonReduceOnly:         "reduce only order is rejected",
	simcore.ReasonPositionTooLarge:   "exceeded the maximum allowable position at current leverage",
}

func (u *users) algoChanged(at time.Time, c *simcore.Conditional) {
	account := c.Request.Account
	if !u.hasListeners(account) {
		return
	}
	u.send(account, eventAlgo, algoEvent{Event: eventAlgo, T: millis(at), E: millis(at), Order: algoEventOf(c)})
	if c.Status == simcore.ConditionalRejected {
		u.sendTriggerReject(at, c)
	}
}

func algoEventOf(c *simcore.Conditional) algoEventBody {
	r := &c.Request
	detail := algoDetail(r)
	body := algoEventBody{
		ClientID: r.ClientID, ID: c.ID, AlgoType: "CONDITIONAL", Type: detail.algoType, Symbol: r.Symbol, Side: sideName(r.Side),
		PositionSide: positionSide(r.PosSide), TIF: algoTIF(r), Qty: trimmed(r.Qty), Status: algoStatus(c),
		TriggerPrice: trimmed(r.TriggerPrice), Price: trimmed(r.Price), SelfTrade: selfTradeName(r.SelfTrade),
		WorkingType: orContract(detail.workingType), PriceMatch: orNone(detail.priceMatch), ClosePosition: r.ClosePosition,
		PriceProtect: detail.priceProtect, ReduceOnly: r.ReduceOnly, TriggerTime: millis(c.TriggeredAt), GoodTill: millis(r.ExpireAt),
	}
	if c.Status == simcore.ConditionalRejected {
		body.Reason = cmp.Or(rejectionReasons[c.Rejected], string(c.Rejected))
	}
	if c.Order != nil {
		kind := typeName(c.Order)
		average, filled := trimmed(c.Order.AvgPrice()), trimmed(c.Order.FilledQty())
		if c.Status == simcore.ConditionalTriggered {
			// The venue reports the trigger with the order as it was placed,
			// even after events of its fills.
			average, filled = "0", "0"
		}
		body.OrderID = strconv.FormatInt(c.Order.ID, 10)
		body.Average, body.Filled, body.OrderType = &average, &filled, &kind
	}
	return body
}

const eventTriggerReject = "CONDITIONAL_ORDER_TRIGGER_REJECT"

type triggerRejectEvent struct {
	Event string            `json:"e"`
	T     int64             `json:"T"`
	E     int64             `json:"E"`
	Order triggerRejectBody `json:"or"`
}

type triggerRejectBody struct {
	Symbol string `json:"s"`
	ID     int64  `json:"i"`
	Reason string `json:"r"`
}

// sendTriggerReject publishes the rejection of a triggered order by the book.
func (u *users) sendTriggerReject(at time.Time, c *simcore.Conditional) {
	known, ok := orderErrors[c.Rejected]
	if !ok || known != errPostOnly && known != errFillOrKill {
		return
	}
	u.send(c.Request.Account, eventTriggerReject, triggerRejectEvent{
		Event: eventTriggerReject, T: millis(at), E: millis(at),
		Order: triggerRejectBody{Symbol: c.Request.Symbol, ID: c.ID, Reason: known.message},
	})
}
