package binancesim

import (
	"strconv"

	"venuegate/venues/simcore"
)

// positionRiskBody is a row of positionRisk, version 3.
type positionRiskBody struct {
	Symbol                 string `json:"symbol"`
	PositionSide           string `json:"positionSide"`
	PositionAmt            string `json:"positionAmt"`
	EntryPrice             string `json:"entryPrice"`
	BreakEvenPrice         string `json:"breakEvenPrice"`
	MarkPrice              string `json:"markPrice"`
	UnRealizedProfit       string `json:"unRealizedProfit"`
	LiquidationPrice       string `json:"liquidationPrice"`
	IsolatedMargin         string `json:"isolatedMargin"`
	Notional               string `json:"notional"`
	MarginAsset            string `json:"marginAsset"`
	IsolatedWallet         string `json:"isolatedWallet"`
	InitialMargin          string `json:"initialMargin"`
	MaintMargin            string `json:"maintMargin"`
	PositionInitialMargin  string `json:"positionInitialMargin"`
	OpenOrderInitialMargin string `json:"openOrderInitialMargin"`
	Adl                    int    `json:"adl"`
	BidNotional            string `json:"bidNotional"`
	AskNotional            string `json:"askNotional"`
	UpdateTime             int64  `json:"updateTime"`
}

// positionRiskV2Body is a row of positionRisk, version 2.
type positionRiskV2Body struct {
	Symbol           string `json:"symbol"`
	PositionAmt      string `json:"positionAmt"`
	EntryPrice       string `json:"entryPrice"`
	BreakEvenPrice   string `json:"breakEvenPrice"`
	MarkPrice        string `json:"markPrice"`
	UnRealizedProfit string `json:"unRealizedProfit"`
	LiquidationPrice string `json:"liquidationPrice"`
	Leverage         string `json:"leverage"`
	MaxNotionalValue string `json:"maxNotionalValue"`
	MarginType       string `json:"marginType"`
	IsolatedMargin   string `json:"isolatedMargin"`
	IsAutoAddMargin  string `json:"isAutoAddMargin"`
	PositionSide     string `json:"positionSide"`
	Notional         string `json:"notional"`
	IsolatedWallet   string `json:"isolatedWallet"`
	UpdateTime       int64  `json:"updateTime"`
	Isolated         bool   `json:"isolated"`
	AdlQuantile      int    `json:"adlQuantile"`
}

// adlMiddle is the place of every position in the deleveraging queue.
const adlMiddle = 2

func (s *Sim) positionRiskV3(c *call) (any, *apiError) {
	v, only, err := s.positions(c)
	if err != nil {
		return nil, err
	}
	body := []positionRiskBody{}
	s.eachUsed(v, func(l *listing, p simcore.PositionView) {
		if only == "" || only == l.Symbol {
			body = append(body, l.positionRisk(p))
		}
	})
	return body, nil
}

// positions returns the account and the requested symbol of a call.
func (s *Sim) positions(c *call) (simcore.AccountView, string, *apiError) {
	only := s.onlySymbol(c)
	if c.params.invalid != nil {
		return simcore.AccountView{}, "", c.params.invalid
	}
	v, err := s.view(c)
	return v, only, err
}

func (l *listing) positionRisk(p simcore.PositionView) positionRiskBody {
	body := positionRiskBody{
		Symbol: p.Symbol, PositionSide: positionSide(p.Side), PositionAmt: l.qty(p.Qty),
		EntryPrice: entry(p.EntryPrice), BreakEvenPrice: entry(p.BreakEvenPrice), MarkPrice: money(p.MarkPrice),
		UnRealizedProfit: money(p.UnrealizedPnL), LiquidationPrice: moneyOrZero(p.LiquidationPrice),
		IsolatedMargin: moneyOrZero(isolatedMargin(p)), Notional: moneyOrZero(p.Notional), MarginAsset: "USDT",
		IsolatedWallet: moneyOrZero(p.IsolatedWallet), InitialMargin: moneyOrZero(p.InitialMargin),
		MaintMargin: moneyOrZero(p.MaintenanceMargin), PositionInitialMargin: moneyOrZero(p.PositionMargin),
		OpenOrderInitialMargin: moneyOrZero(p.OrderMargin),
		BidNotional:            trimmed(p.BidNotional), AskNotional: trimmed(p.AskNotional), UpdateTime: millis(p.UpdatedAt),
	}
	if !p.Qty.IsZero() {
		body.Adl = adlMiddle
	}
	return body
}

func (s *Sim) positionRiskV2(c *call) (any, *apiError) {
	v, only, err := s.positions(c)
	if err != nil {
		return nil, err
	}
	body := []positionRiskV2Body{}
	s.eachPosition(v, func(l *listing, p simcore.PositionView) {
		if only == "" || only == l.Symbol {
			body = append(body, l.positionRiskV2(p))
		}
	})
	return body, nil
}

func (l *listing) positionRiskV2(p simcore.PositionView) positionRiskV2Body {
	marginType := "cross"
	if p.Isolated {
		marginType = "isolated"
	}
	return positionRiskV2Body{
		Symbol: l.Symbol, PositionAmt: l.qty(p.Qty), EntryPrice: entry(p.EntryPrice), BreakEvenPrice: entry(p.BreakEvenPrice),
		MarkPrice: money(p.MarkPrice), UnRealizedProfit: money(p.UnrealizedPnL), LiquidationPrice: moneyOrZero(p.LiquidationPrice),
		Leverage: strconv.Itoa(p.Leverage), MaxNotionalValue: l.NotionalMax(p.Leverage).String(), MarginType: marginType,
		IsolatedMargin: money(isolatedMargin(p)), IsAutoAddMargin: "false", PositionSide: positionSide(p.Side),
		Notional: moneyOrZero(p.Notional), IsolatedWallet: moneyOrZero(p.IsolatedWallet), UpdateTime: millis(p.UpdatedAt),
		Isolated: p.Isolated, AdlQuantile: adlMiddle,
	}
}

func positionSide(side simcore.PositionSide) string {
	return [...]string{"BOTH", "LONG", "SHORT"}[side]
}
