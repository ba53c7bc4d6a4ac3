package okxsim

import (
	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

type positionBody struct {
	unusedInPosition

	Adl            string           `json:"adl"`
	AvailPos       string           `json:"availPos"`
	AvgPx          string           `json:"avgPx"`
	BePx           string           `json:"bePx"`
	BizRefID       string           `json:"bizRefId"`
	BizRefType     string           `json:"bizRefType"`
	CTime          string           `json:"cTime"`
	Ccy            string           `json:"ccy"`
	CloseOrderAlgo []closeOrderBody `json:"closeOrderAlgo"`
	Fee            string           `json:"fee"`
	FundingFee     string           `json:"fundingFee"`
	IdxPx          string           `json:"idxPx"`
	Imr            string           `json:"imr"`
	InstID         string           `json:"instId"`
	InstType       string           `json:"instType"`
	Interest       string           `json:"interest"`
	Last           string           `json:"last"`
	Lever          string           `json:"lever"`
	LiqPenalty     string           `json:"liqPenalty"`
	LiqPx          string           `json:"liqPx"`
	Margin         string           `json:"margin"`
	MarkPx         string           `json:"markPx"`
	MgnMode        string           `json:"mgnMode"`
	MgnRatio       string           `json:"mgnRatio"`
	Mmr            string           `json:"mmr"`
	NonSettleAvgPx string           `json:"nonSettleAvgPx"`
	NotionalUsd    string           `json:"notionalUsd"`
	PTime          string           `json:"pTime,omitempty"`
	Pnl            string           `json:"pnl"`
	Pos            string           `json:"pos"`
	PosCcy         string           `json:"posCcy"`
	PosID          string           `json:"posId"`
	PosSide        string           `json:"posSide"`
	RealizedPnl    string           `json:"realizedPnl"`
	SettledPnl     string           `json:"settledPnl"`
	TradeID        string           `json:"tradeId"`
	UTime          string           `json:"uTime"`
	Upl            string           `json:"upl"`
	UplLastPx      string           `json:"uplLastPx"`
	UplRatio       string           `json:"uplRatio"`
	UplRatioLastPx string           `json:"uplRatioLastPx"`
	UsdPx          string           `json:"usdPx"`
}

// closeOrderBody is an algo order that closes the whole position.
type closeOrderBody struct {
	AlgoID          string `json:"algoId"`
	CloseFraction   string `json:"closeFraction"`
	SlTriggerPx     string `json:"slTriggerPx"`
	SlTriggerPxType string `json:"slTriggerPxType"`
	TpTriggerPx     string `json:"tpTriggerPx"`
	TpTriggerPxType string `json:"tpTriggerPxType"`
}

// signedPos returns the size of a position: signed in net mode, absolute in
// long/short mode.
func signedPos(p *simcore.PositionView) decimal.Decimal {
	if p.Side == simcore.PositionBoth {
		return p.Qty
	}
	return p.Qty.Abs()
}

// positionID returns an id that depends only on the instrument and the side.
func (l *listing) positionID(side simcore.PositionSide) string {
	return idText(2_400_000_000_000_000_000 + l.code*10 + int64(side))
}

// positionOf returns a position of an account, valued at present prices.
func (s *Sim) positionOf(v *simcore.AccountView, p *simcore.PositionView) positionBody {
	l, e := s.listings[p.Symbol], s.holdings.of(v.ID, p.Symbol, p.Side)
	last := s.Exchange().LastPrice(p.Symbol)
	uplLast := last.Sub(p.EntryPrice).Mul(l.baseQty(p.Qty))
	body := positionBody{
		Adl: "1", AvgPx: orEmpty(p.EntryPrice), BePx: orEmpty(breakEven(p, v.FeeTaker)), CTime: millis(p.OpenedAt), Ccy: settleCoin,
		CloseOrderAlgo: s.algos.closing(v.ID, p), Fee: e.fee.String(), FundingFee: e.funding.String(), IdxPx: p.IndexPrice.String(),
		Imr: p.PositionMargin.String(), InstID: p.Symbol, InstType: instTypeSwap, Last: last.String(),
		Lever: idText(int64(p.Leverage)), LiqPenalty: e.penalty.String(), LiqPx: orEmpty(p.LiquidationPrice), MarkPx: p.MarkPrice.String(),
		MgnMode: marginModeName(p.Isolated), Mmr: p.MaintenanceMargin.String(), NotionalUsd: p.Notional.Abs().String(), Pnl: e.pnl.String(),
		Pos: signedPos(p).String(), PosID: l.positionID(p.Side), PosSide: posSideName(p.Side),
		RealizedPnl: e.realized().String(), TradeID: idText(e.tradeID), UTime: millis(p.UpdatedAt),
		Upl: p.UnrealizedPnL.String(), UplRatio: l.returnOn(p, p.UnrealizedPnL),
		UplLastPx: uplLast.String(), UplRatioLastPx: l.returnOn(p, uplLast), UsdPx: "1",
	}
	if p.Side != simcore.PositionBoth {
		body.AvailPos = body.Pos
	}
	if p.Isolated {
		body.Imr, body.Margin = "", p.IsolatedWallet.String()
		body.MgnRatio = ratioOf(p.IsolatedWallet.Add(p.UnrealizedPnL), neededBy(p, v.FeeTaker))
	} else if !p.Qty.IsZero() {
		body.MgnRatio = crossRatio(v)
	}
	return body
}

// returnOn returns a profit over the initial margin of the position, empty without a
// margin.
func (l *listing) returnOn(p *simcore.PositionView, profit decimal.Decimal) string {
	cost := p.EntryPrice.Mul(l.baseQty(p.Qty.Abs()))
	return ratioOf(profit.Mul(decimal.NewFromInt(int64(p.Leverage))), cost)
}

// breakEven returns the price at which closing pays the fees of opening and closing.
func breakEven(p *simcore.PositionView, fee decimal.Decimal) decimal.Decimal {
	const priceDigits = 10
	side := decimal.NewFromInt(int64(p.Qty.Sign()))
	one := decimal.NewFromInt(1)
	return p.EntryPrice.Mul(one.Add(fee.Mul(side))).DivRound(one.Sub(fee.Mul(side)), priceDigits)
}

// closing returns the live algo orders that close a whole position.
func (d *algoBook) closing(account string, p *simcore.PositionView) []closeOrderBody {
	d.mu.Lock()
	defer d.mu.Unlock()
	live := d.liveOf(account, func(a *algo) bool {
		return a.arg.CloseFraction != "" && a.arg.InstID == p.Symbol && a.posSide == p.Side
	})
	found := make([]closeOrderBody, 0, len(live))
	for _, a := range live {
		r := &a.arg
		found = append(found, closeOrderBody{
			AlgoID: idText(a.id), CloseFraction: r.CloseFraction,
			SlTriggerPx: r.SlTriggerPx, SlTriggerPxType: pxType(r.SlTriggerPx, r.SlTriggerPxType),
			TpTriggerPx: r.TpTriggerPx, TpTriggerPxType: pxType(r.TpTriggerPx, r.TpTriggerPxType),
		})
	}
	return found
}
