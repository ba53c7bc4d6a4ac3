package bybitsim

import (
	"slices"
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

// walletRecord is the wallet in REST and in the stream. The totals are in USD;
// one USDT is one USD here.
type walletRecord struct {
	AccountType                string       `json:"accountType"`
	AccountIMRate              string       `json:"accountIMRate"`
	AccountMMRate              string       `json:"accountMMRate"`
	AccountIMRateByMp          string       `json:"accountIMRateByMp"`
	AccountMMRateByMp          string       `json:"accountMMRateByMp"`
	AccountLTV                 string       `json:"accountLTV"`
	TotalEquity                string       `json:"totalEquity"`
	TotalWalletBalance         string       `json:"totalWalletBalance"`
	TotalMarginBalance         string       `json:"totalMarginBalance"`
	TotalAvailableBalance      string       `json:"totalAvailableBalance"`
	TotalPerpUPL               string       `json:"totalPerpUPL"`
	TotalInitialMargin         string       `json:"totalInitialMargin"`
	TotalMaintenanceMargin     string       `json:"totalMaintenanceMargin"`
	TotalInitialMarginByMp     string       `json:"totalInitialMarginByMp"`
	TotalMaintenanceMarginByMp string       `json:"totalMaintenanceMarginByMp"`
	Coin                       []coinRecord `json:"coin"`
}

type coinRecord struct {
	Coin                string `json:"coin"`
	Equity              string `json:"equity"`
	UsdValue            string `json:"usdValue"`
	WalletBalance       string `json:"walletBalance"`
	AvailableToWithdraw string `json:"availableToWithdraw"`
	AvailableToBorrow   string `json:"availableToBorrow"`
	BorrowAmount        string `json:"borrowAmount"`
	AccruedInterest     string `json:"accruedInterest"`
	TotalOrderIM        string `json:"totalOrderIM"`
	TotalPositionIM     string `json:"totalPositionIM"`
	TotalPositionMM     string `json:"totalPositionMM"`
	UnrealisedPnl       string `json:"unrealisedPnl"`
	CumRealisedPnl      string `json:"cumRealisedPnl"`
	Bonus               string `json:"bonus"`
	CollateralSwitch    bool   `json:"collateralSwitch"`
	MarginCollateral    bool   `json:"marginCollateral"`
	Locked              string `json:"locked"`
	SpotHedgingQty      string `json:"spotHedgingQty"`
	SpotBorrow          string `json:"spotBorrow"`
}

func walletOf(a *simcore.AccountView, realized decimal.Decimal) walletRecord {
	equity := a.Wallet.Add(a.UnrealizedPnL)
	if isolated(a) {
		return isolatedWalletOf(a, realized)
	}
	im, mm := ratio(a.InitialMargin, equity), ratio(a.MaintenanceMargin, equity)
	return walletRecord{
		AccountType: "UNIFIED", AccountIMRate: im, AccountMMRate: mm, AccountIMRateByMp: im, AccountMMRateByMp: mm, AccountLTV: "0",
		TotalEquity: money(equity), TotalWalletBalance: money(a.Wallet), TotalMarginBalance: money(equity),
		TotalAvailableBalance: money(a.Available), TotalPerpUPL: money(a.UnrealizedPnL),
		TotalInitialMargin: money(a.InitialMargin), TotalMaintenanceMargin: money(a.MaintenanceMargin),
		TotalInitialMarginByMp: money(a.InitialMargin), TotalMaintenanceMarginByMp: money(a.MaintenanceMargin),
		Coin: []coinRecord{coinOf(a, realized)},
	}
}

// isolatedWalletOf returns the wallet of an account with isolated margin, without
// the fields of cross margin.
func isolatedWalletOf(a *simcore.AccountView, realized decimal.Decimal) walletRecord {
	equity := money(a.Wallet.Add(a.UnrealizedPnL))
	return walletRecord{
		AccountType: "UNIFIED", TotalEquity: equity, TotalWalletBalance: money(a.Wallet), Coin: []coinRecord{coinOf(a, realized)},
	}
}

func coinOf(a *simcore.AccountView, realized decimal.Decimal) coinRecord {
	equity := money(a.Wallet.Add(a.UnrealizedPnL))
	return coinRecord{
		Coin: "USDT", Equity: equity, UsdValue: equity, WalletBalance: money(a.Wallet),
		BorrowAmount: "0", AccruedInterest: "0", TotalOrderIM: money(a.InitialMargin.Sub(a.PositionMargin)),
		TotalPositionIM: money(a.PositionMargin), TotalPositionMM: money(a.MaintenanceMargin),
		UnrealisedPnl: money(a.UnrealizedPnL), CumRealisedPnl: money(realized), Bonus: "0",
		CollateralSwitch: true, MarginCollateral: true, Locked: "0", SpotHedgingQty: "0", SpotBorrow: "0",
	}
}

// isolated reports whether an account's margin is isolated. The exchange has it for
// each symbol, the venue for the whole account.
func isolated(a *simcore.AccountView) bool {
	return slices.ContainsFunc(a.Holdings, func(h simcore.HoldingView) bool { return h.Isolated })
}

// ratio returns the quotient, truncated to four decimals.
func ratio(part, whole decimal.Decimal) string {
	if !whole.IsPositive() {
		return "0"
	}
	return part.DivRound(whole, 8).Truncate(4).String()
}

type list[T any] struct {
	List []T `json:"list"`
}

func (s *Sim) walletBalance(c *call) (any, *apiError) {
	if c.query.Get("accountType") != "UNIFIED" {
		return nil, errParam("accountType only support UNIFIED.")
	}
	view, err := s.Exchange().Account(c.account.ID)
	if err != nil {
		return nil, errorOf(err)
	}
	record := walletOf(&view, s.users.realised(view.ID))
	coin := c.query.Get("coin")
	if coin == "" && view.Wallet.IsZero() || coin != "" && coin != "USDT" {
		record.Coin = []coinRecord{}
	}
	return list[walletRecord]{List: []walletRecord{record}}, nil
}

type accountInfoBody struct {
	MarginMode          string `json:"marginMode"`
	UpdatedTime         string `json:"updatedTime"`
	UnifiedMarginStatus int    `json:"unifiedMarginStatus"`
	DcpStatus           string `json:"dcpStatus"`
	TimeWindow          int    `json:"timeWindow"`
	SmpGroup            int    `json:"smpGroup"`
	IsMasterTrader      bool   `json:"isMasterTrader"`
	SpotHedgingStatus   string `json:"spotHedgingStatus"`
}

func (s *Sim) accountInfo(c *call) (any, *apiError) {
	view, err := s.Exchange().Account(c.account.ID)
	if err != nil {
		return nil, errorOf(err)
	}
	const unifiedTradingAccount2 = 5
	mode := "REGULAR_MARGIN"
	if isolated(&view) {
		mode = "ISOLATED_MARGIN"
	}
	return accountInfoBody{
		MarginMode: mode, UpdatedTime: millisText(view.UpdatedAt), UnifiedMarginStatus: unifiedTradingAccount2,
		DcpStatus: "OFF", SpotHedgingStatus: "OFF",
	}, nil
}

type feeRateBody struct {
	Symbol       string `json:"symbol"`
	TakerFeeRate string `json:"takerFeeRate"`
	MakerFeeRate string `json:"makerFeeRate"`
}

func (s *Sim) feeRate(c *call) (any, *apiError) {
	selected := s.selected(c)
	if c.invalid != nil {
		return nil, c.invalid
	}
	rates := list[feeRateBody]{}
	for _, l := range selected {
		rates.List = append(rates.List, feeRateBody{l.Symbol, feeTaker.String(), feeMaker.String()})
	}
	return rates, nil
}

type keyBody struct {
	ID            string              `json:"id"`
	Note          string              `json:"note"`
	APIKey        string              `json:"apiKey"`
	ReadOnly      int                 `json:"readOnly"`
	Secret        string              `json:"secret"`
	Permissions   map[string][]string `json:"permissions"`
	IPs           []string            `json:"ips"`
	Type          int                 `json:"type"`
	DeadlineDay   int                 `json:"deadlineDay"`
	ExpiredAt     string              `json:"expiredAt"`
	CreatedAt     string              `json:"createdAt"`
	Unified       int                 `json:"unified"`
	Uta           int                 `json:"uta"`
	UserID        int64               `json:"userID"`
	InviterID     int64               `json:"inviterID"`
	VipLevel      string              `json:"vipLevel"`
	MktMakerLevel string              `json:"mktMakerLevel"`
	AffiliateID   int64               `json:"affiliateID"`
	IsMaster      bool                `json:"isMaster"`
	ParentUID     string              `json:"parentUid"`
	KycLevel      string              `json:"kycLevel"`
	KycRegion     string              `json:"kycRegion"`
}

// keyLifeDays is the lifetime of keys without an address.
const keyLifeDays = 90

func (s *Sim) queryAPI(c *call) (any, *apiError) {
	permissions := map[string][]string{
		"ContractTrade": {}, "Spot": {}, "Wallet": {}, "Options": {}, "Derivatives": {}, "Exchange": {}, "NFT": {}, "CopyTrading": {},
	}
	readOnly := 1
	if c.account.Permissions.Trade {
		readOnly = 0
	}
	permissions["ContractTrade"] = []string{"Order", "Position"}
	permissions["Derivatives"] = []string{"DerivativesTrade"}
	if c.account.Permissions.Withdraw {
		permissions["Wallet"] = []string{"AccountTransfer", "Withdraw"}
	}
	id, err := strconv.ParseInt(userID(c.account.ID), 10, 64)
	if err != nil {
		return nil, bad(10016, "Request timeout, please try again later")
	}
	created := s.Clock.Base().Truncate(time.Hour)
	return keyBody{
		ID: userID(c.sent.key), Note: "simulated", APIKey: c.sent.key, ReadOnly: readOnly, Permissions: permissions, IPs: []string{"*"},
		Type: 1, DeadlineDay: keyLifeDays, ExpiredAt: created.AddDate(0, 0, keyLifeDays).UTC().Format(time.RFC3339),
		CreatedAt: created.UTC().Format(time.RFC3339), Uta: 1, UserID: id, VipLevel: "No VIP", MktMakerLevel: "0",
		IsMaster: true, ParentUID: "0", KycLevel: "LEVEL_DEFAULT",
	}, nil
}
