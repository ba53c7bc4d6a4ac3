package binancesim

import (
	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

// accountTotals are the first fields of both account versions.
type accountTotals struct {
	TotalInitialMargin          string `json:"totalInitialMargin"`
	TotalMaintMargin            string `json:"totalMaintMargin"`
	TotalWalletBalance          string `json:"totalWalletBalance"`
	TotalUnrealizedProfit       string `json:"totalUnrealizedProfit"`
	TotalMarginBalance          string `json:"totalMarginBalance"`
	TotalPositionInitialMargin  string `json:"totalPositionInitialMargin"`
	TotalOpenOrderInitialMargin string `json:"totalOpenOrderInitialMargin"`
	TotalCrossWalletBalance     string `json:"totalCrossWalletBalance"`
	TotalCrossUnPnl             string `json:"totalCrossUnPnl"`
	AvailableBalance            string `json:"availableBalance"`
	MaxWithdrawAmount           string `json:"maxWithdrawAmount"`
}

type assetBody struct {
	Asset                  string `json:"asset"`
	WalletBalance          string `json:"walletBalance"`
	UnrealizedProfit       string `json:"unrealizedProfit"`
	MarginBalance          string `json:"marginBalance"`
	MaintMargin            string `json:"maintMargin"`
	InitialMargin          string `json:"initialMargin"`
	PositionInitialMargin  string `json:"positionInitialMargin"`
	OpenOrderInitialMargin string `json:"openOrderInitialMargin"`
	CrossWalletBalance     string `json:"crossWalletBalance"`
	CrossUnPnl             string `json:"crossUnPnl"`
	AvailableBalance       string `json:"availableBalance"`
	MaxWithdrawAmount      string `json:"maxWithdrawAmount"`
	MarginAvailable        *bool  `json:"marginAvailable,omitempty"`
	UpdateTime             int64  `json:"updateTime"`
}

type accountV3Body struct {
	accountTotals
	Assets    []assetBody    `json:"assets"`
	Positions []positionBody `json:"positions"`
}

// positionBody is a position within the account, version 3.
type positionBody struct {
	Symbol           string `json:"symbol"`
	PositionSide     string `json:"positionSide"`
	PositionAmt      string `json:"positionAmt"`
	UnrealizedProfit string `json:"unrealizedProfit"`
	IsolatedMargin   string `json:"isolatedMargin"`
	Notional         string `json:"notional"`
	IsolatedWallet   string `json:"isolatedWallet"`
	InitialMargin    string `json:"initialMargin"`
	MaintMargin      string `json:"maintMargin"`
	UpdateTime       int64  `json:"updateTime"`
}

type accountV2Body struct {
	FeeTier           int   `json:"feeTier"`
	FeeBurn           bool  `json:"feeBurn"`
	CanTrade          bool  `json:"canTrade"`
	CanDeposit        bool  `json:"canDeposit"`
	CanWithdraw       bool  `json:"canWithdraw"`
	UpdateTime        int64 `json:"updateTime"`
	MultiAssetsMargin bool  `json:"multiAssetsMargin"`
	TradeGroupID      int   `json:"tradeGroupId"`
	accountTotals
	Assets    []assetBody      `json:"assets"`
	Positions []positionV2Body `json:"positions"`
}

// positionV2Body is a position within the account, version 2, which lists every
// symbol.
type positionV2Body struct {
	Symbol                 string `json:"symbol"`
	InitialMargin          string `json:"initialMargin"`
	MaintMargin            string `json:"maintMargin"`
	UnrealizedProfit       string `json:"unrealizedProfit"`
	PositionInitialMargin  string `json:"positionInitialMargin"`
	OpenOrderInitialMargin string `json:"openOrderInitialMargin"`
	Leverage               string `json:"leverage"`
	Isolated               bool   `json:"isolated"`
	EntryPrice             string `json:"entryPrice"`
	BreakEvenPrice         string `json:"breakEvenPrice"`
	MaxNotional            string `json:"maxNotional"`
	BidNotional            string `json:"bidNotional"`
	AskNotional            string `json:"askNotional"`
	PositionSide           string `json:"positionSide"`
	PositionAmt            string `json:"positionAmt"`
	UpdateTime             int64  `json:"updateTime"`
}

func (s *Sim) view(c *call) (simcore.AccountView, *apiError) {
	view, err := s.Exchange().Account(c.account.ID)
	if err != nil {
		return view, errorOf(err, 0)
	}
	return view, nil
}

func totals(v simcore.AccountView) accountTotals {
	return accountTotals{
		TotalInitialMargin: money(v.InitialMargin), TotalMaintMargin: money(v.MaintenanceMargin),
		TotalWalletBalance: money(v.Wallet), TotalUnrealizedProfit: money(v.UnrealizedPnL),
		TotalMarginBalance:          money(v.Wallet.Add(v.UnrealizedPnL)),
		TotalPositionInitialMargin:  money(v.PositionMargin),
		TotalOpenOrderInitialMargin: money(v.InitialMargin.Sub(v.PositionMargin)),
		TotalCrossWalletBalance:     money(v.CrossWallet), TotalCrossUnPnl: money(v.CrossUnrealizedPnL),
		AvailableBalance: money(v.Available), MaxWithdrawAmount: money(withdrawable(v)),
	}
}

// withdrawable returns the balance that may be withdrawn, without unrealised profit.
func withdrawable(v simcore.AccountView) decimal.Decimal {
	return decimal.Max(decimal.Zero, decimal.Min(v.Available, v.CrossWallet))
}

func asset(v simcore.AccountView) assetBody {
	return assetBody{
		Asset: "USDT", WalletBalance: money(v.Wallet), UnrealizedProfit: money(v.UnrealizedPnL),
		MarginBalance: money(v.Wallet.Add(v.UnrealizedPnL)), MaintMargin: money(v.MaintenanceMargin),
		InitialMargin: money(v.InitialMargin), PositionInitialMargin: money(v.PositionMargin),
		OpenOrderInitialMargin: money(v.InitialMargin.Sub(v.PositionMargin)),
		CrossWalletBalance:     money(v.CrossWallet), CrossUnPnl: money(v.CrossUnrealizedPnL),
		AvailableBalance: money(v.Available), MaxWithdrawAmount: money(withdrawable(v)),
		UpdateTime: millis(v.UpdatedAt),
	}
}

func (s *Sim) accountV3(c *call) (any, *apiError) {
	v, err := s.view(c)
	if err != nil {
		return nil, err
	}
	body := accountV3Body{accountTotals: totals(v), Assets: []assetBody{asset(v)}, Positions: []positionBody{}}
	s.eachUsed(v, func(l *listing, p simcore.PositionView) { body.Positions = append(body.Positions, l.position(p)) })
	return body, nil
}

// eachUsed visits the positions that version 3 lists: they are open, or open orders
// would open them.
func (s *Sim) eachUsed(v simcore.AccountView, visit func(*listing, simcore.PositionView)) {
	for _, h := range v.Holdings {
		for _, p := range h.Positions {
			if !p.Qty.IsZero() || !p.BidNotional.IsZero() || !p.AskNotional.IsZero() {
				visit(s.listings[h.Instrument.Symbol], p)
			}
		}
	}
}

func (l *listing) position(p simcore.PositionView) positionBody {
	return positionBody{
		Symbol: p.Symbol, PositionSide: positionSide(p.Side), PositionAmt: l.qty(p.Qty),
		UnrealizedProfit: money(p.UnrealizedPnL), IsolatedMargin: moneyOrZero(isolatedMargin(p)),
		Notional: moneyOrZero(p.Notional), IsolatedWallet: moneyOrZero(p.IsolatedWallet),
		InitialMargin: moneyOrZero(p.InitialMargin), MaintMargin: moneyOrZero(p.MaintenanceMargin),
		UpdateTime: millis(p.UpdatedAt),
	}
}

// isolatedMargin returns the isolated wallet plus the unrealised profit.
func isolatedMargin(p simcore.PositionView) decimal.Decimal {
	if !p.Isolated || p.Qty.IsZero() {
		return decimal.Zero
	}
	return p.IsolatedWallet.Add(p.UnrealizedPnL)
}

func (s *Sim) accountV2(c *call) (any, *apiError) {
	v, err := s.view(c)
	if err != nil {
		return nil, err
	}
	available := true
	row := asset(v)
	row.MarginAvailable = &available
	body := accountV2Body{
		CanTrade: v.Permissions.Trade, CanDeposit: true, CanWithdraw: v.Permissions.Withdraw, TradeGroupID: -1,
		accountTotals: totals(v), Assets: []assetBody{row}, Positions: []positionV2Body{},
	}
	s.eachPosition(v, func(l *listing, p simcore.PositionView) {
		body.Positions = append(body.Positions, l.positionV2(p))
	})
	return body, nil
}

func (l *listing) positionV2(p simcore.PositionView) positionV2Body {
	return positionV2Body{
		Symbol: l.Symbol, InitialMargin: moneyOrZero(p.InitialMargin), MaintMargin: moneyOrZero(p.MaintenanceMargin),
		UnrealizedProfit: money(p.UnrealizedPnL), PositionInitialMargin: moneyOrZero(p.PositionMargin),
		OpenOrderInitialMargin: moneyOrZero(p.OrderMargin), Leverage: decimal.NewFromInt(int64(p.Leverage)).String(),
		Isolated: p.Isolated, EntryPrice: entry(p.EntryPrice), BreakEvenPrice: entry(p.BreakEvenPrice),
		MaxNotional: l.NotionalMax(p.Leverage).String(), BidNotional: trimmed(p.BidNotional), AskNotional: trimmed(p.AskNotional),
		PositionSide: positionSide(p.Side), PositionAmt: l.qty(p.Qty), UpdateTime: millis(p.UpdatedAt),
	}
}

// eachPosition visits the positions of every symbol, unused ones included.
func (s *Sim) eachPosition(v simcore.AccountView, visit func(*listing, simcore.PositionView)) {
	held := map[string]simcore.HoldingView{}
	for _, h := range v.Holdings {
		held[h.Instrument.Symbol] = h
	}
	for _, name := range s.symbols {
		l := s.listings[name]
		h, ok := held[name]
		if !ok {
			h = s.untouched(l, v.Mode)
		}
		for _, p := range h.Positions {
			visit(l, p)
		}
	}
}

// untouched returns the position in a symbol that the account never used.
func (s *Sim) untouched(l *listing, mode simcore.PositionMode) simcore.HoldingView {
	mark, _ := s.Exchange().Mark(l.Symbol)
	sides := []simcore.PositionSide{simcore.PositionBoth}
	if mode == simcore.Hedge {
		sides = []simcore.PositionSide{simcore.PositionLong, simcore.PositionShort}
	}
	view := simcore.HoldingView{Instrument: &l.Instrument, Leverage: simcore.DefaultLeverage(&l.Instrument)}
	for _, side := range sides {
		view.Positions = append(view.Positions, simcore.PositionView{
			Symbol: l.Symbol, Side: side, MarkPrice: mark.Mark, Leverage: view.Leverage,
		})
	}
	return view
}

type balanceBody struct {
	AccountAlias       string `json:"accountAlias"`
	Asset              string `json:"asset"`
	Balance            string `json:"balance"`
	CrossWalletBalance string `json:"crossWalletBalance"`
	CrossUnPnl         string `json:"crossUnPnl"`
	AvailableBalance   string `json:"availableBalance"`
	MaxWithdrawAmount  string `json:"maxWithdrawAmount"`
	MarginAvailable    bool   `json:"marginAvailable"`
	UpdateTime         int64  `json:"updateTime"`
}

func (s *Sim) balances(c *call) (any, *apiError) {
	v, err := s.view(c)
	if err != nil {
		return nil, err
	}
	return []balanceBody{{
		AccountAlias: "SgsR", Asset: "USDT", Balance: money(v.Wallet), CrossWalletBalance: money(v.CrossWallet),
		CrossUnPnl: money(v.CrossUnrealizedPnL), AvailableBalance: money(v.Available),
		MaxWithdrawAmount: money(withdrawable(v)), MarginAvailable: true, UpdateTime: millis(v.UpdatedAt),
	}}, nil
}
