package bybit

import (
	"context"
	"net/http"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/rejection"
	"venuegate/venues/internal/restclient"
)

const tradingStopPath = "/v5/position/trading-stop"

// noTrigger removes a stop loss or take profit.
const noTrigger = "0"

// tradingStopBody is POST /v5/position/trading-stop. Omitted members do not change.
type tradingStopBody struct {
	Category    string `json:"category"`
	Symbol      string `json:"symbol"`
	TpslMode    string `json:"tpslMode"`
	PositionIdx int    `json:"positionIdx"`
	TakeProfit  string `json:"takeProfit,omitempty"`
	StopLoss    string `json:"stopLoss,omitempty"`
	TpTriggerBy string `json:"tpTriggerBy,omitempty"`
	SlTriggerBy string `json:"slTriggerBy,omitempty"`
}

// Protect changes stop loss and take profit: those of the position once they exist, else
// those attached to the order.
func (a *Account) Protect(ctx context.Context, r venues.ProtectRequest) error {
	var body any
	path := amendPath
	stop, stopBy := newTrigger(r.StopLoss)
	profit, profitBy := newTrigger(r.TakeProfit)
	if r.Leg != (venues.OrderRef{}) {
		hedge, err := a.hedgeOf(ctx, r.Entry.Symbol)
		if err != nil {
			return restclient.NotSent(err)
		}
		path = tradingStopPath
		body = tradingStopBody{
			Category: category, Symbol: a.c.venueSymbol(r.Entry.Symbol), TpslMode: wholePosition,
			PositionIdx: formatPositionSide(connector.PositionOf(hedge, r.Side, false)),
			StopLoss:    stop, SlTriggerBy: stopBy, TakeProfit: profit, TpTriggerBy: profitBy,
		}
	} else {
		amend := amendBody{
			Category: category, Symbol: a.c.venueSymbol(r.Entry.Symbol),
			StopLoss: stop, SlTriggerBy: stopBy, TakeProfit: profit, TpTriggerBy: profitBy,
		}
		amend.OrderLinkID, amend.OrderID = idsOf(r.Entry)
		body = amend
	}
	var answer struct{}
	err := a.c.call(ctx, request{
		method: http.MethodPost, path: path, account: a, mutates: true, body: body, priority: restclient.PriorityProtect, deadline: r.Deadline,
	}, &answer)
	if rejection.Is(err, codeNotModified) {
		return nil
	}
	return err
}

func newTrigger(price *venues.Optional) (trigger, by string) {
	switch {
	case price == nil:
		return "", ""
	case !price.Valid:
		return noTrigger, ""
	}
	return venues.FormatOptional(*price), byLastPrice
}
