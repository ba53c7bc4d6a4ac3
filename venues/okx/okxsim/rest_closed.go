package okxsim

import (
	"time"

	"github.com/shopspring/decimal"
)

// closedPositionBody is a position that has been closed, in part or in full.
type closedPositionBody struct {
	CTime          string `json:"cTime"`
	Ccy            string `json:"ccy"`
	CloseAvgPx     string `json:"closeAvgPx"`
	CloseTotalPos  string `json:"closeTotalPos"`
	Direction      string `json:"direction"`
	Fee            string `json:"fee"`
	FundingFee     string `json:"fundingFee"`
	InstID         string `json:"instId"`
	InstType       string `json:"instType"`
	Lever          string `json:"lever"`
	LiqPenalty     string `json:"liqPenalty"`
	MgnMode        string `json:"mgnMode"`
	NonSettleAvgPx string `json:"nonSettleAvgPx"`
	OpenAvgPx      string `json:"openAvgPx"`
	OpenMaxPos     string `json:"openMaxPos"`
	Pnl            string `json:"pnl"`
	PnlRatio       string `json:"pnlRatio"`
	PosID          string `json:"posId"`
	PosSide        string `json:"posSide"`
	RealizedPnl    string `json:"realizedPnl"`
	SettledPnl     string `json:"settledPnl"`
	TriggerPx      string `json:"triggerPx"`
	Type           string `json:"type"`
	UTime          string `json:"uTime"`
	Uly            string `json:"uly"`
}

// closedPosition returns a row of the history. The ratio is the total over the margin
// of all that was opened, as in the recorded rows.
func (l *listing) closedPosition(p *endedPosition) closedPositionBody {
	direction := "long"
	if p.short {
		direction = "short"
	}
	average := func(value, contracts decimal.Decimal) string {
		return value.DivRound(l.baseQty(contracts), ratioDigits).String()
	}
	return closedPositionBody{
		CTime: millis(p.openedAt), Ccy: settleCoin, CloseAvgPx: average(p.closeValue, p.closed), CloseTotalPos: p.closed.String(),
		Direction: direction, Fee: p.fee.String(), FundingFee: p.funding.String(), InstID: p.symbol, InstType: instTypeSwap,
		Lever: idText(int64(p.leverage)), LiqPenalty: p.penalty.String(), MgnMode: marginModeName(p.isolated),
		OpenAvgPx: average(p.openValue, p.opened), OpenMaxPos: p.maxQty.String(), Pnl: p.pnl.String(),
		PnlRatio: ratioOf(p.realized().Mul(decimal.NewFromInt(int64(p.leverage))), p.openValue), PosID: l.positionID(p.side),
		PosSide: posSideName(p.side), RealizedPnl: p.realized().String(), TriggerPx: orEmpty(p.trigger), Type: p.closeType,
		UTime: millis(p.updatedAt), Uly: l.family(),
	}
}

// positionsHistory returns the positions that were closed within three months, the
// latest change first. after and before bound that time.
func (s *Sim) positionsHistory(c *call) (any, *apiError) {
	p := c.page()
	if c.invalid != nil {
		return nil, c.invalid
	}
	body, now := []closedPositionBody{}, s.Clock.Now()
	for _, ended := range s.holdings.closedOf(c.account.ID) {
		row := s.listings[ended.symbol].closedPosition(&ended)
		if len(body) < p.limit && p.holds(ended.updatedAt.UnixMilli(), ended.updatedAt) && isKept(ended.updatedAt, now) &&
			c.selects("instType", row.InstType) && c.selects("instId", row.InstID) && c.selects("mgnMode", row.MgnMode) &&
			c.selects("type", row.Type) && c.selects("posId", row.PosID) {
			body = append(body, row)
		}
	}
	return body, nil
}

func isKept(at, now time.Time) bool { return now.Sub(at) < retentionArchive }

// selects reports whether a parameter of the query is absent or equal to a value.
func (c *call) selects(name, value string) bool {
	wanted := c.query(name)
	return wanted == "" || wanted == value
}
