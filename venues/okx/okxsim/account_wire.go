package okxsim

import (
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

// balanceBody is the account in Futures mode: the fields of the other modes are
// empty.
type balanceBody struct {
	AdjEq       string       `json:"adjEq"`
	AvailEq     string       `json:"availEq"`
	BorrowFroz  string       `json:"borrowFroz"`
	Details     []detailBody `json:"details"`
	Imr         string       `json:"imr"`
	IsoEq       string       `json:"isoEq"`
	MgnRatio    string       `json:"mgnRatio"`
	Mmr         string       `json:"mmr"`
	NotionalUsd string       `json:"notionalUsd"`
	OrdFroz     string       `json:"ordFroz"`
	TotalEq     string       `json:"totalEq"`
	UTime       string       `json:"uTime"`
	Upl         string       `json:"upl"`
}

type detailBody struct {
	AvailBal      string `json:"availBal"`
	AvailEq       string `json:"availEq"`
	CashBal       string `json:"cashBal"`
	Ccy           string `json:"ccy"`
	CoinUsdPrice  string `json:"coinUsdPrice,omitempty"`
	DisEq         string `json:"disEq"`
	Eq            string `json:"eq"`
	EqUsd         string `json:"eqUsd"`
	FixedBal      string `json:"fixedBal"`
	FrozenBal     string `json:"frozenBal"`
	Imr           string `json:"imr"`
	Interest      string `json:"interest"`
	IsoEq         string `json:"isoEq"`
	IsoUpl        string `json:"isoUpl"`
	Liab          string `json:"liab"`
	MaxLoan       string `json:"maxLoan"`
	MgnRatio      string `json:"mgnRatio"`
	Mmr           string `json:"mmr"`
	NotionalLever string `json:"notionalLever"`
	OrdFrozen     string `json:"ordFrozen"`
	StgyEq        string `json:"stgyEq"`
	UTime         string `json:"uTime"`
	Upl           string `json:"upl"`
}

const ratioDigits = 16

func balanceOf(v *simcore.AccountView, now time.Time) balanceBody {
	equity := v.Wallet.Add(v.UnrealizedPnL)
	body := balanceBody{Details: []detailBody{}, IsoEq: "0", TotalEq: equity.String(), UTime: millis(now)}
	if v.Wallet.IsZero() && equity.IsZero() {
		return body
	}
	notional, iso := decimal.Zero, isolatedSums{}
	for i := range v.Holdings {
		for j := range v.Holdings[i].Positions {
			p := &v.Holdings[i].Positions[j]
			notional = notional.Add(p.Notional.Abs())
			iso.add(p)
		}
	}
	lever, ratio := "0", ""
	if equity.IsPositive() {
		lever = notional.DivRound(equity, ratioDigits).String()
	}
	if v.MaintenanceMargin.IsPositive() {
		ratio = equity.DivRound(v.MaintenanceMargin.Add(notional.Mul(v.FeeTaker)), ratioDigits).String()
	}
	body.Details = append(body.Details, detailBody{
		AvailBal: v.Available.String(), AvailEq: v.Available.String(), CashBal: v.Wallet.String(), Ccy: settleCoin,
		DisEq: equity.String(), Eq: equity.String(), EqUsd: equity.String(), FixedBal: "0",
		FrozenBal: v.InitialMargin.String(), Imr: v.InitialMargin.Sub(iso.margin).String(), IsoEq: iso.equity.String(), IsoUpl: iso.upl.String(), MgnRatio: ratio,
		Mmr: v.MaintenanceMargin.String(), NotionalLever: lever, OrdFrozen: v.InitialMargin.Sub(v.PositionMargin).String(),
		StgyEq: "0", UTime: millis(v.UpdatedAt), Upl: v.UnrealizedPnL.String(),
	})
	return body
}

// isolatedSums are what isolated positions hold apart from the rest.
type isolatedSums struct{ margin, equity, upl decimal.Decimal }

func (s *isolatedSums) add(p *simcore.PositionView) {
	if p.Isolated {
		s.margin, s.upl = s.margin.Add(p.PositionMargin), s.upl.Add(p.UnrealizedPnL)
		s.equity = s.equity.Add(p.IsolatedWallet).Add(p.UnrealizedPnL)
	}
}

type positionBody struct {
	Adl            string   `json:"adl"`
	AvailPos       string   `json:"availPos"`
	AvgPx          string   `json:"avgPx"`
	BePx           string   `json:"bePx"`
	CTime          string   `json:"cTime"`
	Ccy            string   `json:"ccy"`
	CloseOrderAlgo []string `json:"closeOrderAlgo"`
	Fee            string   `json:"fee"`
	FundingFee     string   `json:"fundingFee"`
	IdxPx          string   `json:"idxPx"`
	Imr            string   `json:"imr"`
	InstID         string   `json:"instId"`
	InstType       string   `json:"instType"`
	Interest       string   `json:"interest"`
	Last           string   `json:"last"`
	Lever          string   `json:"lever"`
	LiqPenalty     string   `json:"liqPenalty"`
	LiqPx          string   `json:"liqPx"`
	Margin         string   `json:"margin"`
	MarkPx         string   `json:"markPx"`
	MgnMode        string   `json:"mgnMode"`
	MgnRatio       string   `json:"mgnRatio"`
	Mmr            string   `json:"mmr"`
	NotionalUsd    string   `json:"notionalUsd"`
	PTime          string   `json:"pTime,omitempty"`
	Pnl            string   `json:"pnl"`
	Pos            string   `json:"pos"`
	PosID          string   `json:"posId"`
	PosSide        string   `json:"posSide"`
	RealizedPnl    string   `json:"realizedPnl"`
	SettledPnl     string   `json:"settledPnl"`
	TradeID        string   `json:"tradeId"`
	UTime          string   `json:"uTime"`
	Upl            string   `json:"upl"`
	UplRatio       string   `json:"uplRatio"`
	UsdPx          string   `json:"usdPx"`
}

// signedPos is signed in net mode; in long/short mode the side tells.
func signedPos(p *simcore.PositionView) decimal.Decimal {
	if p.Side == simcore.PositionBoth {
		return p.Qty
	}
	return p.Qty.Abs()
}

// positionID is the same for a position as long as the simulator lives.
func (l *listing) positionID(side simcore.PositionSide) string {
	return idWord(2_400_000_000_000_000_000 + l.code*10 + int64(side))
}

func (s *Sim) positionOf(account string, p *simcore.PositionView) positionBody {
	l, e := s.listings[p.Symbol], s.held.of(account, p.Symbol, p.Side)
	ratio := ""
	if cost := p.EntryPrice.Mul(l.baseQty(p.Qty.Abs())); cost.IsPositive() {
		ratio = p.UnrealizedPnL.Mul(decimal.NewFromInt(int64(p.Leverage))).DivRound(cost, ratioDigits).String()
	}
	body := positionBody{
		Adl: "1", AvgPx: orEmpty(p.EntryPrice), BePx: orEmpty(p.BreakEvenPrice), CTime: millis(p.OpenedAt), Ccy: settleCoin,
		CloseOrderAlgo: []string{}, Fee: e.fee.String(), FundingFee: e.funding.String(), IdxPx: p.MarkPrice.String(),
		Imr: p.PositionMargin.String(), InstID: p.Symbol, InstType: instTypeSwap, Last: s.Exchange().LastPrice(p.Symbol).String(),
		Lever: idWord(int64(p.Leverage)), LiqPenalty: "0", LiqPx: orEmpty(p.LiquidationPrice), MarkPx: p.MarkPrice.String(),
		MgnMode: marginWord(p.Isolated), Mmr: p.MaintenanceMargin.String(), NotionalUsd: p.Notional.Abs().String(), Pnl: e.pnl.String(),
		Pos: signedPos(p).String(), PosID: l.positionID(p.Side), PosSide: posSideWord(p.Side),
		RealizedPnl: e.pnl.Add(e.fee).Add(e.funding).String(), SettledPnl: "", TradeID: idWord(e.tradeID),
		UTime: millis(p.UpdatedAt), Upl: p.UnrealizedPnL.String(), UplRatio: ratio, UsdPx: "1",
	}
	if p.Side != simcore.PositionBoth {
		body.AvailPos = body.Pos
	}
	if p.Isolated {
		body.Imr, body.Margin = "", p.IsolatedWallet.String()
	}
	return body
}
