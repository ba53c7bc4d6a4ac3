package bybitsim

import (
	"sort"
	"strconv"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

// positionRecord is a position. REST calls its entry price avgPrice, the stream
// entryPrice.
type positionRecord struct {
	Category               string `json:"category,omitempty"`
	PositionIdx            int    `json:"positionIdx"`
	TradeMode              int    `json:"tradeMode"`
	RiskID                 int    `json:"riskId"`
	RiskLimitValue         string `json:"riskLimitValue"`
	Symbol                 string `json:"symbol"`
	Side                   string `json:"side"`
	Size                   string `json:"size"`
	AvgPrice               string `json:"avgPrice,omitempty"`
	EntryPrice             string `json:"entryPrice,omitempty"`
	SessionAvgPrice        string `json:"sessionAvgPrice"`
	Leverage               string `json:"leverage"`
	PositionValue          string `json:"positionValue"`
	PositionBalance        string `json:"positionBalance"`
	MarkPrice              string `json:"markPrice"`
	PositionIM             string `json:"positionIM"`
	PositionMM             string `json:"positionMM"`
	PositionIMByMp         string `json:"positionIMByMp"`
	PositionMMByMp         string `json:"positionMMByMp"`
	TakeProfit             string `json:"takeProfit"`
	StopLoss               string `json:"stopLoss"`
	TrailingStop           string `json:"trailingStop"`
	UnrealisedPnl          string `json:"unrealisedPnl"`
	CumRealisedPnl         string `json:"cumRealisedPnl"`
	CurRealisedPnl         string `json:"curRealisedPnl"`
	CreatedTime            string `json:"createdTime"`
	UpdatedTime            string `json:"updatedTime"`
	TpslMode               string `json:"tpslMode"`
	LiqPrice               string `json:"liqPrice"`
	BustPrice              string `json:"bustPrice"`
	PositionStatus         string `json:"positionStatus"`
	AdlRankIndicator       int    `json:"adlRankIndicator"`
	AutoAddMargin          int    `json:"autoAddMargin"`
	LeverageSysUpdatedTime string `json:"leverageSysUpdatedTime"`
	MmrSysUpdatedTime      string `json:"mmrSysUpdatedTime"`
	Seq                    int64  `json:"seq"`
	BreakEvenPrice         string `json:"breakEvenPrice"`
	IsReduceOnly           bool   `json:"isReduceOnly"`
	OpenTime               int64  `json:"openTime"`
}

// positionOf returns a position for REST. Fields that do not apply are empty.
func (s *Sim) positionOf(account string, p *simcore.PositionView) positionRecord {
	key := positionKey{account, p.Symbol, p.Side}
	take, stop := s.positionStops.prices(key)
	brought := s.users.result(key)
	r := positionRecord{
		PositionIdx: positionIdx(p.Side), RiskID: 1, RiskLimitValue: s.listings[p.Symbol].Brackets[0].NotionalCap.String(),
		Symbol: p.Symbol, Size: p.Qty.Abs().String(), AvgPrice: p.EntryPrice.String(),
		Leverage: decimal.NewFromInt(int64(p.Leverage)).String(), PositionBalance: "0", MarkPrice: p.MarkPrice.String(),
		PositionIM: money(p.PositionMargin), PositionMM: money(p.MaintenanceMargin),
		PositionIMByMp: money(p.PositionMargin), PositionMMByMp: money(p.MaintenanceMargin),
		TakeProfit: orEmpty(take), StopLoss: orEmpty(stop), TrailingStop: "0", CumRealisedPnl: money(brought.Cum),
		CurRealisedPnl: "0", CreatedTime: millisText(p.OpenedAt), UpdatedTime: millisText(p.UpdatedAt), TpslMode: "Full",
		PositionStatus: "Normal", Seq: s.users.lastSeq(account, p.Symbol), OpenTime: millis(p.OpenedAt),
	}
	if p.Qty.IsZero() {
		r.OpenTime = 0
		return r
	}
	r.Side, r.AdlRankIndicator = "Buy", 2
	if p.Qty.IsNegative() {
		r.Side = "Sell"
	}
	r.PositionValue, r.UnrealisedPnl = money(p.EntryPrice.Mul(p.Qty.Abs())), money(p.UnrealizedPnL)
	r.SessionAvgPrice, r.LiqPrice = p.EntryPrice.String(), s.liquidation(p)
	r.CurRealisedPnl, r.BreakEvenPrice = money(brought.Cur), money(breakEven(p, brought.Cur))
	return r
}

// liquidation returns the liquidation price, empty where it could never be traded.
func (s *Sim) liquidation(p *simcore.PositionView) string {
	l := s.listings[p.Symbol]
	if p.LiquidationPrice.LessThanOrEqual(l.PriceMin) || p.LiquidationPrice.GreaterThanOrEqual(l.PriceMax) {
		return ""
	}
	return p.LiquidationPrice.StringFixed(l.pricePlaces)
}

// forStream returns the same position in the form of the stream.
func (r positionRecord) forStream() positionRecord {
	r.Category, r.EntryPrice, r.AvgPrice = "linear", r.AvgPrice, ""
	for _, text := range []*string{&r.PositionValue, &r.UnrealisedPnl, &r.TakeProfit, &r.StopLoss} {
		if *text == "" {
			*text = "0"
		}
	}
	return r
}

// positions returns the positions of an account in one symbol.
func (s *Sim) positions(view *simcore.AccountView, l *listing) []simcore.PositionView {
	for _, h := range view.Holdings {
		if h.Instrument.Symbol == l.Symbol {
			return h.Positions
		}
	}
	mark, _ := s.Exchange().Mark(l.Symbol)
	flat := simcore.PositionView{
		Symbol: l.Symbol, MarkPrice: mark.Mark, Leverage: simcore.DefaultLeverage(&l.Instrument),
	}
	if view.Mode == simcore.OneWay {
		return []simcore.PositionView{flat}
	}
	long, short := flat, flat
	long.Side, short.Side = simcore.PositionLong, simcore.PositionShort
	return []simcore.PositionView{long, short}
}

// position returns a position of an account, flat where there is none.
func (s *Sim) position(account, symbol string, side simcore.PositionSide) (simcore.PositionView, *apiError) {
	view, err := s.Exchange().Account(account)
	if err != nil {
		return simcore.PositionView{}, errorOf(err)
	}
	for _, p := range s.positions(&view, s.listings[symbol]) {
		if p.Side == side {
			return p, nil
		}
	}
	return simcore.PositionView{}, errModeMismatch
}

const (
	positionsLimitDefault = 20
	positionsLimitMax     = 200
)

// positionList returns the positions of a symbol, empty ones included, or all that
// are not empty.
func (s *Sim) positionList(c *call) (any, *apiError) {
	l := s.queried(c)
	if l == nil && c.query.Get("settleCoin") == "" {
		c.refuse(errParam("params error: symbol or settleCoin is required"))
	}
	limit := c.limit(positionsLimitDefault, positionsLimitMax)
	if c.invalid != nil {
		return nil, c.invalid
	}
	view, err := s.Exchange().Account(c.account.ID)
	if err != nil {
		return nil, errorOf(err)
	}
	records := []positionRecord{}
	if l != nil {
		for _, p := range s.positions(&view, l) {
			records = append(records, s.positionOf(view.ID, &p))
		}
	} else {
		records = s.openPositions(&view, c.query.Get("settleCoin"))
	}
	return linearPage(c, records, limit, func(r *positionRecord) string {
		return r.Symbol + ":" + decimal.NewFromInt(int64(r.PositionIdx)).String()
	})
}

type symbolInfoBody struct {
	Symbol      string `json:"symbol"`
	Leverage    string `json:"leverage"`
	Side        string `json:"side"`
	PositionIdx int    `json:"positionIdx"`
}

// symbolInfo returns the leverage of a symbol, or of all, whether there are positions
// or not. side has no meaning.
func (s *Sim) symbolInfo(c *call) (any, *apiError) {
	selected := s.selected(c)
	if c.invalid != nil {
		return nil, c.invalid
	}
	view, err := s.Exchange().Account(c.account.ID)
	if err != nil {
		return nil, errorOf(err)
	}
	body := categoryList[symbolInfoBody]{Category: "linear", List: []symbolInfoBody{}}
	for _, l := range selected {
		for _, p := range s.positions(&view, l) {
			body.List = append(body.List, symbolInfoBody{
				Symbol: l.Symbol, Leverage: strconv.Itoa(p.Leverage), PositionIdx: positionIdx(p.Side),
			})
		}
	}
	return body, nil
}

func (s *Sim) openPositions(view *simcore.AccountView, settleCoin string) []positionRecord {
	records := []positionRecord{}
	for _, h := range view.Holdings {
		for _, p := range h.Positions {
			if !p.Qty.IsZero() && h.Instrument.Quote == settleCoin {
				records = append(records, s.positionOf(view.ID, &p))
			}
		}
	}
	sort.SliceStable(records, func(i, j int) bool { return records[i].UpdatedTime > records[j].UpdatedTime })
	return records
}
