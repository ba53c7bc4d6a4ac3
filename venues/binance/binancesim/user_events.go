package binancesim

import (
	"time"

	"venuegate/venues/simcore"
)

// Names of user events.
const (
	eventOrder   = "ORDER_TRADE_UPDATE"
	eventAccount = "ACCOUNT_UPDATE"
	eventAlgo    = "ALGO_UPDATE"
	eventLite    = "TRADE_LITE"
	eventConfig  = "ACCOUNT_CONFIG_UPDATE"
	eventMargin  = "MARGIN_CALL"
)

type orderEvent struct {
	Event string         `json:"e"`
	T     int64          `json:"T"`
	E     int64          `json:"E"`
	Order orderEventBody `json:"o"`
}

type orderEventBody struct {
	Symbol        string  `json:"s"`
	ClientID      string  `json:"c"`
	Side          string  `json:"S"`
	Type          string  `json:"o"`
	TIF           string  `json:"f"`
	Qty           string  `json:"q"`
	Price         string  `json:"p"`
	Average       string  `json:"ap"`
	StopPrice     string  `json:"sp"`
	Execution     string  `json:"x"`
	Status        string  `json:"X"`
	ID            int64   `json:"i"`
	LastQty       string  `json:"l"`
	Filled        string  `json:"z"`
	LastPrice     string  `json:"L"`
	Fee           string  `json:"n"`
	FeeAsset      string  `json:"N"`
	TradeTime     int64   `json:"T"`
	TradeID       int64   `json:"t"`
	BidNotional   string  `json:"b"`
	AskNotional   string  `json:"a"`
	Maker         bool    `json:"m"`
	ReduceOnly    bool    `json:"R"`
	WorkingType   string  `json:"wt"`
	OrigType      string  `json:"ot"`
	PositionSide  string  `json:"ps"`
	ClosePosition bool    `json:"cp"`
	Realized      string  `json:"rp"`
	PriceProtect  bool    `json:"pP"`
	StrategyID    int64   `json:"si"`
	StrategyState int     `json:"ss"`
	StrategyType  *string `json:"st,omitempty"`
	SelfTrade     string  `json:"V"`
	PriceMatch    string  `json:"pm"`
	GoodTill      int64   `json:"gtd"`
	Expiry        string  `json:"er"`
}

type accountEvent struct {
	Event  string           `json:"e"`
	T      int64            `json:"T"`
	E      int64            `json:"E"`
	Update accountEventBody `json:"a"`
}

type accountEventBody struct {
	Balances  []balanceEvent  `json:"B"`
	Positions []positionEvent `json:"P"`
	Reason    string          `json:"m"`
	Symbol    string          `json:"S,omitempty"`
}

type balanceEvent struct {
	Asset  string `json:"a"`
	Wallet string `json:"wb"`
	Cross  string `json:"cw"`
	Change string `json:"bc"`
}

type positionEvent struct {
	Symbol         string `json:"s"`
	Amount         string `json:"pa"`
	Entry          string `json:"ep"`
	Realized       string `json:"cr"`
	Unrealized     string `json:"up"`
	MarginType     string `json:"mt"`
	IsolatedWallet string `json:"iw"`
	PositionSide   string `json:"ps"`
	MarginAsset    string `json:"ma"`
	BreakEven      string `json:"bep"`
}

type liteEvent struct {
	Event     string `json:"e"`
	E         int64  `json:"E"`
	T         int64  `json:"T"`
	Symbol    string `json:"s"`
	Qty       string `json:"q"`
	Price     string `json:"p"`
	Maker     bool   `json:"m"`
	ClientID  string `json:"c"`
	Side      string `json:"S"`
	LastPrice string `json:"L"`
	LastQty   string `json:"l"`
	TradeID   int64  `json:"t"`
	OrderID   int64  `json:"i"`
}

type configEvent struct {
	Event  string        `json:"e"`
	E      int64         `json:"E"`
	T      int64         `json:"T"`
	Config *symbolChange `json:"ac,omitempty"`
}

type symbolChange struct {
	Symbol   string `json:"s"`
	Leverage int    `json:"l"`
}

// receive converts an event of the exchange into user events, in the venue's order:
// the account before the fill that changed it.
func (u *users) receive(event simcore.Event) {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch body := event.Body.(type) {
	case simcore.OrderEvent:
		u.orderChanged(event.Time, &body)
	case simcore.ConditionalEvent:
		u.algoChanged(event.Time, &body.Conditional)
	case simcore.AccountEvent:
		u.accountChanged(event.Time, &body)
	case simcore.MarginCallEvent:
		u.marginCalled(event.Time, &body)
	case simcore.ConfigEvent:
		u.configChanged(event.Time, &body)
	}
}

func (u *users) orderChanged(at time.Time, event *simcore.OrderEvent) {
	o := &event.Order
	if !u.hasListeners(o.Account) {
		return
	}
	l := u.sim.listings[o.Symbol]
	sendOrder := func() {
		u.send(o.Account, eventOrder, orderEvent{
			Event: eventOrder, T: millis(at), E: millis(at), Order: l.orderEvent(at, event),
		})
	}
	switch {
	case event.Kind != simcore.OrderFilled:
		sendOrder()
	case o.Liquidation:
		sendOrder()
		u.sendFilled(at, event)
	default:
		u.sendFilled(at, event)
		u.send(o.Account, eventLite, l.lite(at, o, event.Fill))
		sendOrder()
	}
}

// sendFilled publishes the balance and the position after a fill.
func (u *users) sendFilled(at time.Time, event *simcore.OrderEvent) {
	u.sendAccount(at, event.Order.Account, accountEventBody{
		Balances:  []balanceEvent{balance(event.Balance, "0")},
		Positions: []positionEvent{positionChange(&event.Position)}, Reason: "ORDER",
	})
}

func (u *users) sendAccount(at time.Time, account string, body accountEventBody) {
	u.send(account, eventAccount, accountEvent{Event: eventAccount, T: millis(at), E: millis(at), Update: body})
}

func balance(b simcore.Balance, change string) balanceEvent {
	return balanceEvent{Asset: "USDT", Wallet: money(b.Wallet), Cross: money(b.CrossWallet), Change: change}
}

func positionChange(p *simcore.PositionView) positionEvent {
	marginType := "cross"
	if p.Isolated {
		marginType = "isolated"
	}
	return positionEvent{
		Symbol: p.Symbol, Amount: trimmed(p.Qty), Entry: trimmed(p.EntryPrice), Realized: trimmed(p.RealizedPnL),
		Unrealized: trimmed(p.UnrealizedPnL), MarginType: marginType, IsolatedWallet: trimmed(p.IsolatedWallet),
		PositionSide: positionSide(p.Side), MarginAsset: "USDT", BreakEven: trimmed(p.BreakEvenPrice),
	}
}

func (l *listing) lite(at time.Time, o *simcore.Order, f *simcore.Fill) liteEvent {
	price := "0"
	if o.Type == simcore.Limit {
		price = l.price(o.Price())
	}
	return liteEvent{
		Event: eventLite, E: millis(at), T: millis(at), Symbol: o.Symbol, Qty: l.qty(o.Qty()), Price: price,
		Maker: f.Maker, ClientID: o.ClientID, Side: sideName(o.Side), LastPrice: l.price(f.Price), LastQty: l.qty(f.Qty),
		TradeID: f.TradeID, OrderID: o.ID,
	}
}

// executionType returns the event field x.
func executionType(event *simcore.OrderEvent) string {
	if event.Kind == simcore.OrderFilled && event.Order.Liquidation {
		return "CALCULATED"
	}
	return [...]string{"NEW", "TRADE", "AMENDMENT", "CANCELED", "EXPIRED"}[event.Kind]
}

func (l *listing) orderEvent(at time.Time, event *simcore.OrderEvent) orderEventBody {
	o, detail := &event.Order, detailOf(&event.Order)
	body := orderEventBody{
		Symbol: o.Symbol, ClientID: o.ClientID, Side: sideName(o.Side), Type: typeName(o), OrigType: typeName(o),
		TIF: tifName(o), Qty: trimmed(o.Qty()), Price: trimmed(o.Price()), Average: trimmed(o.AvgPrice()), StopPrice: "0",
		Execution: executionType(event), Status: statusName(o), ID: o.ID, LastQty: "0", Filled: trimmed(o.FilledQty()),
		LastPrice: "0", Fee: "0", FeeAsset: "USDT", TradeTime: millis(at),
		BidNotional: trimmed(event.Position.BidNotional), AskNotional: trimmed(event.Position.AskNotional),
		ReduceOnly: o.ReduceOnly, WorkingType: orContract(detail.workingType), PositionSide: positionSide(o.PosSide),
		ClosePosition: o.ClosePosition, Realized: "0", PriceProtect: detail.priceProtect,
		SelfTrade: selfTradeName(o.SelfTrade), PriceMatch: orNone(detail.priceMatch), GoodTill: millis(o.ExpireAt),
		Expiry: expiryReason(o),
	}
	if o.Parent != 0 {
		word := "ALGO_CONDITION"
		body.StrategyID, body.StrategyState, body.StrategyType = o.Parent, -1, &word
	}
	if f := event.Fill; f != nil {
		body.LastQty, body.LastPrice, body.Fee = trimmed(f.Qty), trimmed(f.Price), trimmed(f.Fee)
		body.TradeID, body.Maker, body.Realized = f.TradeID, f.Maker, trimmed(f.RealizedPnL)
		body.TradeTime = millis(f.Time) // the time that userTrades shows
	}
	return body
}

// accountReason returns the field m of an account event.
func accountReason(reason simcore.AccountReason) string {
	return [...]string{"FUNDING_FEE", "DEPOSIT", "INSURANCE_CLEAR", "MARGIN_TRANSFER"}[reason]
}

func (u *users) accountChanged(at time.Time, event *simcore.AccountEvent) {
	change := trimmed(event.Change)
	if event.Reason == simcore.AccountMarginTransfer {
		change = "0"
	}
	body := accountEventBody{
		Balances:  []balanceEvent{balance(event.Balance, change)},
		Positions: []positionEvent{}, Reason: accountReason(event.Reason),
	}
	if event.Reason == simcore.AccountFunding {
		body.Symbol = event.Symbol
	}
	for i := range event.Positions {
		body.Positions = append(body.Positions, positionChange(&event.Positions[i]))
	}
	u.sendAccount(at, event.Account, body)
}

// configChanged publishes a new leverage; the venue has no event for other settings.
func (u *users) configChanged(at time.Time, event *simcore.ConfigEvent) {
	if event.Symbol == "" {
		return
	}
	u.send(event.Account, eventConfig, configEvent{
		Event: eventConfig, E: millis(at), T: millis(at),
		Config: &symbolChange{Symbol: event.Symbol, Leverage: event.Leverage},
	})
}
