package bybitsim

import (
	"sync"

	"github.com/shopspring/decimal"
	"go.uber.org/zap"

	"venuegate/venues/simcore"
)

// positionKey identifies a position of an account.
type positionKey struct {
	account, symbol string
	side            simcore.PositionSide
}

// positionStop is a take profit or stop loss of a position.
type positionStop struct {
	key          positionKey
	kind         string
	price        decimal.Decimal
	triggerBy    string
	parentLinkID string
}

// positionStops are the take profits and stop losses of positions. Those attached to
// orders are recorded when the order first fills and set afterwards, because receive
// must not call the exchange.
type positionStops struct {
	sim *Sim

	mu      sync.Mutex
	pending []positionStop
	live    map[positionKey]map[string]liveStop
	// triggered is the stop that triggered last, which the other's cancelType names.
	triggered map[positionKey]string
}

// liveStop is a stop with the conditional order that carries it.
type liveStop struct {
	id    int64
	price decimal.Decimal
}

func newPositionStops(s *Sim) *positionStops {
	return &positionStops{sim: s, live: map[positionKey]map[string]liveStop{}, triggered: map[positionKey]string{}}
}

// receive follows the fills of orders with attached stops, and the end of stops.
func (g *positionStops) receive(event simcore.Event) {
	switch body := event.Body.(type) {
	case simcore.OrderEvent:
		if body.Kind == simcore.OrderFilled && !body.Order.ReduceOnly {
			g.note(&body.Order)
		}
	case simcore.ConditionalEvent:
		if body.Conditional.Status != simcore.ConditionalWaiting {
			g.ended(&body.Conditional)
		}
	}
}

func (g *positionStops) note(o *simcore.Order) {
	detail := detailOf(o.Detail)
	attached := detail.takeStops()
	key := positionKey{o.Account, o.Symbol, o.PosSide}
	g.mu.Lock()
	defer g.mu.Unlock()
	if attached.takeProfit.IsPositive() {
		g.pending = append(g.pending, positionStop{key, takeProfitType, attached.takeProfit, attached.takeTriggerBy, o.ClientID})
	}
	if attached.stopLoss.IsPositive() {
		g.pending = append(g.pending, positionStop{key, stopLossType, attached.stopLoss, attached.stopTrigger, o.ClientID})
	}
}

// takeStops returns the stops of an order on the first call, and none later.
func (d *orderDetail) takeStops() stops {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stopsTaken {
		return stops{}
	}
	d.stopsTaken = true
	return d.stops
}

func (g *positionStops) ended(c *simcore.Conditional) {
	detail := detailOf(c.Request.Detail)
	key := positionKey{c.Request.Account, c.Request.Symbol, c.Request.PosSide}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.live[key][detail.stopOrderType].id != c.ID {
		return
	}
	delete(g.live[key], detail.stopOrderType)
	switch {
	case c.Status == simcore.ConditionalTriggering:
		g.triggered[key] = detail.stopOrderType
	case c.Status == simcore.ConditionalExpired && g.triggered[key] == takeProfitType:
		detail.setCancelType("CancelByOCOSlCanceledByTpTriggered")
	case c.Status == simcore.ConditionalExpired && g.triggered[key] == stopLossType:
		detail.setCancelType("CancelByOCOTpCanceledBySlTriggered")
	}
}

// attach sets the recorded stops of filled orders.
func (g *positionStops) attach() {
	g.mu.Lock()
	pending := g.pending
	g.pending = nil
	g.mu.Unlock()
	for _, wanted := range pending {
		held, failed := g.sim.position(wanted.key.account, wanted.key.symbol, wanted.key.side)
		if failed != nil || held.Qty.IsZero() {
			continue
		}
		if failed := g.set(wanted, held); failed != nil {
			g.sim.Log.Info("stop of a simulated order was not set", zap.String("kind", wanted.kind), zap.Int("code", failed.code))
		}
	}
}

// prices returns the stops of a position, zero where there is none.
func (g *positionStops) prices(key positionKey) (takeProfit, stopLoss decimal.Decimal) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.live[key][takeProfitType].price, g.live[key][stopLossType].price
}

// set replaces one stop of a position; a price of zero removes it.
func (g *positionStops) set(wanted positionStop, held simcore.PositionView) *apiError {
	g.mu.Lock()
	old := g.live[wanted.key][wanted.kind]
	g.mu.Unlock()
	if old.id != 0 {
		if _, err := g.sim.Exchange().CancelConditional(wanted.key.account, simcore.OrderRef{ID: old.id}); err != nil {
			return errorOf(err)
		}
	}
	if !wanted.price.IsPositive() {
		return nil
	}
	placed, err := g.sim.Exchange().PlaceConditional(g.request(wanted, held))
	if simcore.ReasonOf(err) == simcore.ReasonWouldTrigger {
		return g.closeNow(wanted, held)
	}
	if err != nil {
		return errorOf(err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.keep(wanted.key, wanted.kind, liveStop{placed.ID, wanted.price})
	delete(g.triggered, wanted.key)
	return nil
}

// keep records a stop that is live. The lock is held.
func (g *positionStops) keep(key positionKey, kind string, stop liveStop) {
	if g.live[key] == nil {
		g.live[key] = map[string]liveStop{}
	}
	g.live[key][kind] = stop
}

// request returns the conditional order that closes the position.
func (g *positionStops) request(wanted positionStop, held simcore.PositionView) simcore.ConditionalRequest {
	rising := (opener(held) == simcore.Buy) == (wanted.kind == takeProfitType)
	return simcore.ConditionalRequest{
		OrderRequest: simcore.OrderRequest{
			Account: wanted.key.account, Symbol: wanted.key.symbol, Side: opener(held).Opposite(), PosSide: wanted.key.side,
			Type: simcore.Market, Qty: held.Qty.Abs(), ReduceOnly: true,
			Detail: &orderDetail{
				lastPrice: g.sim.Exchange().LastPrice(wanted.key.symbol), closeOnTrigger: true,
				stopOrderType: wanted.kind, createType: createByStop + wanted.kind, triggerBy: wanted.triggerBy,
				rising: rising, conditional: true, triggerPrice: wanted.price, parentLinkID: wanted.parentLinkID,
			},
		},
		Rising: rising, TriggerBy: triggerPrices[wanted.triggerBy], TriggerPrice: wanted.price,
		ClosePosition: true, RequiresPosition: true,
	}
}

// closeNow closes a position whose stop price has been passed already.
func (g *positionStops) closeNow(wanted positionStop, held simcore.PositionView) *apiError {
	if _, err := g.sim.Exchange().Place(g.request(wanted, held).OrderRequest); err != nil {
		return errorOf(err)
	}
	return nil
}
