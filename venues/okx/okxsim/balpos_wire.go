package okxsim

import (
	"time"

	"venuegate/venues/simcore"
)

// balPosBody is a message of the channel balance_and_position, with the changes only.
type balPosBody struct {
	BalData   []balDataBody  `json:"balData"`
	EventType string         `json:"eventType"`
	PTime     string         `json:"pTime"`
	PosData   []posDataBody  `json:"posData"`
	Trades    []tradeRefBody `json:"trades"`
}

type balDataBody struct {
	CashBal string `json:"cashBal"`
	Ccy     string `json:"ccy"`
	UTime   string `json:"uTime"`
}

type posDataBody struct {
	// BaseBal, PosCcy and QuoteBal are of margin trading, and empty.
	BaseBal  string `json:"baseBal"`
	PosCcy   string `json:"posCcy"`
	QuoteBal string `json:"quoteBal"`

	AvgPx    string `json:"avgPx"`
	Ccy      string `json:"ccy"`
	InstID   string `json:"instId"`
	InstType string `json:"instType"`
	MgnMode  string `json:"mgnMode"`
	Pos      string `json:"pos"`
	PosID    string `json:"posId"`
	PosSide  string `json:"posSide"`
	TradeID  string `json:"tradeId"`
	UTime    string `json:"uTime"`
}

type tradeRefBody struct {
	InstID  string `json:"instId"`
	TradeID string `json:"tradeId"`
}

func (h *hub) balPos(at time.Time, reason string, balance simcore.Balance, positions []simcore.PositionView) balPosBody {
	body := balPosBody{
		BalData:   []balDataBody{{CashBal: balance.Wallet.String(), Ccy: settleCoin, UTime: millis(at)}},
		EventType: reason, PTime: millis(at), PosData: []posDataBody{}, Trades: []tradeRefBody{},
	}
	for i := range positions {
		p := &positions[i]
		l := h.sim.listings[p.Symbol]
		body.PosData = append(body.PosData, posDataBody{
			AvgPx: orEmpty(p.EntryPrice), Ccy: settleCoin, InstID: p.Symbol, InstType: instTypeSwap, MgnMode: marginModeName(p.Isolated),
			Pos: signedPos(p).String(), PosID: l.positionID(p.Side), PosSide: posSideName(p.Side), UTime: millis(p.UpdatedAt),
		})
	}
	return body
}

// sendBalPos sends a message to all listeners of an account. The lock is held.
func (h *hub) sendBalPos(account string, body balPosBody) {
	for sub := range h.topics[channelBalPos+"@"+account] {
		h.sendPrivate(sub, pushBody{Data: []balPosBody{body}})
	}
}

// warningBody is a message of the channel liquidation-warning.
type warningBody struct {
	CTime    string `json:"cTime"`
	Ccy      string `json:"ccy"`
	InstID   string `json:"instId"`
	InstType string `json:"instType"`
	Lever    string `json:"lever"`
	MarkPx   string `json:"markPx"`
	MgnMode  string `json:"mgnMode"`
	MgnRatio string `json:"mgnRatio"`
	PTime    string `json:"pTime"`
	Pos      string `json:"pos"`
	PosCcy   string `json:"posCcy"`
	PosID    string `json:"posId"`
	PosSide  string `json:"posSide"`
	UTime    string `json:"uTime"`
}

func (l *listing) warning(p *simcore.PositionView, ratio string, at time.Time) warningBody {
	return warningBody{
		CTime: millis(p.OpenedAt), Ccy: settleCoin, InstID: p.Symbol, InstType: instTypeSwap, Lever: idText(int64(p.Leverage)),
		MarkPx: p.MarkPrice.String(), MgnMode: marginModeName(p.Isolated), MgnRatio: ratio, PTime: millis(at), Pos: signedPos(p).String(),
		PosID: l.positionID(p.Side), PosSide: posSideName(p.Side), UTime: millis(p.UpdatedAt),
	}
}
