package bybitsim

import (
	"sync"

	"github.com/shopspring/decimal"
	"go.uber.org/zap"

	"venuegate/venues/simcore"
)

// guardKey names one position of an account.
type guardKey struct {
	account, symbol string
	side            simcore.PositionSide
}

// guard is a take profit or stop loss of a position.
type guard struct {
	key          guardKey
	kind         string
	price        decimal.Decimal
	triggerBy    string
	parentLinkID string
}

// guards are the stops that belong to positions. Those that orders bring along
// are noted when the order first fills and set afterwards, because the exchange
// must not be called while it reports.
type guards struct {
	sim *Sim

	mu      sync.Mutex
	pending []guard
	live    map[guardKey]map[string]liveGuard
	// triggered remembers which stop fired last, for the words about its twin.
	triggered map[guardKey]string
}

// liveGuard is a stop with the conditional order that carries it.
type liveGuard struct {
	id    int64
	price decimal.Decimal
}

func newGuards(s *Sim) *guards {
	return &guards{sim: s, live: map[guardKey]map[string]liveGuard{}, triggered: map[guardKey]string{}}
}

// receive follows orders that bring stops along, and the end of stops.
func (g *guards) receive(event simcore.Event) {
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

func (g *guards) note(o *simcore.Order) {
	detail := detailOf(o.Detail)
	attached := detail.takeStops()
	key := guardKey{o.Account, o.Symbol, o.PosSide}
	g.mu.Lock()
	defer g.mu.Unlock()
	if attached.takeProfit.IsPositive() {
		g.pending = append(g.pending, guard{key, wordTakeProfit, attached.takeProfit, attached.takeTriggerBy, o.ClientID})
	}
	if attached.stopLoss.IsPositive() {
		g.pending = append(g.pending, guard{key, wordStopLoss, attached.stopLoss, attached.stopTrigger, o.ClientID})
	}
}

// takeStops are the stops of an order, once.
func (d *orderDetail) takeStops() stops {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stopsTaken {
		return stops{}
	}
	d.stopsTaken = true
	return d.stops
}

func (g *guards) ended(c *simcore.Conditional) {
	detail := detailOf(c.Request.Detail)
	key := guardKey{c.Request.Account, c.Request.Symbol, c.Request.PosSide}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.live[key][detail.stopOrderType].id != c.ID {
		return
	}
	delete(g.live[key], detail.stopOrderType)
	switch {
	case c.Status == simcore.ConditionalTriggering:
		g.triggered[key] = detail.stopOrderType
	case c.Status == simcore.ConditionalExpired && g.triggered[key] == wordTakeProfit:
		detail.setCancelType("CancelByOCOSlCanceledByTpTriggered")
	case c.Status == simcore.ConditionalExpired && g.triggered[key] == wordStopLoss:
		detail.setCancelType("CancelByOCOTpCanceledBySlTriggered")
	}
}

// attach sets the stops that filled orders brought along.
func (g *guards) attach() {
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

// prices are the stops of a position, zero where there is none.
func (g *guards) prices(key guardKey) (takeProfit, stopLoss decimal.Decimal) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.live[key][wordTakeProfit].price, g.live[key][wordStopLoss].price
}

// set replaces one stop of a position; a price of zero removes it.
func (g *guards) set(wanted guard, held simcore.PositionView) *apiError {
	g.mu.Lock()
	old := g.live[wanted.key][wanted.kind]
	g.mu.Unlock()
	if old.id != 0 {
		if _, err := g.sim.Exchange().CancelConditional(wanted.key.account, simcore.OrderRef{ID: old.id}); err != nil {
			return refused(err)
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
		return refused(err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.live[wanted.key] == nil {
		g.live[wanted.key] = map[string]liveGuard{}
	}
	g.live[wanted.key][wanted.kind] = liveGuard{placed.ID, wanted.price}
	delete(g.triggered, wanted.key)
	return nil
}

// request is the conditional order that closes the position.
func (g *guards) request(wanted guard, held simcore.PositionView) simcore.ConditionalRequest {
	rising := (opener(held) == simcore.Buy) == (wanted.kind == wordTakeProfit)
	return simcore.ConditionalRequest{
		OrderRequest: simcore.OrderRequest{
			Account: wanted.key.account, Symbol: wanted.key.symbol, Side: opener(held).Opposite(), PosSide: wanted.key.side,
			Type: simcore.Market, Qty: held.Qty.Abs(), ReduceOnly: true,
			Detail: &orderDetail{
				lastPrice: g.sim.Exchange().LastPrice(wanted.key.symbol), closeOnTrigger: true,
				stopOrderType: wanted.kind, createType: "CreateBy" + wanted.kind, triggerBy: wanted.triggerBy,
				rising: rising, conditional: true, triggerPrice: wanted.price, parentLinkID: wanted.parentLinkID,
			},
		},
		Rising: rising, Watch: watches[wanted.triggerBy], TriggerPrice: wanted.price,
		ClosePosition: true, NeedsPosition: true,
	}
}

// closeNow closes a position whose stop the price has passed already.
func (g *guards) closeNow(wanted guard, held simcore.PositionView) *apiError {
	if _, err := g.sim.Exchange().Place(g.request(wanted, held).OrderRequest); err != nil {
		return refused(err)
	}
	return nil
}
