package binancesim

import (
	"time"

	"venuegate/venues/simcore"
)

type marginCallEvent struct {
	Event       string               `json:"e"`
	E           int64                `json:"E"`
	CrossWallet string               `json:"cw"`
	Positions   []marginCallPosition `json:"p"`
}

// marginCallPosition has its margin type in upper case, unlike the account events.
type marginCallPosition struct {
	Symbol         string `json:"s"`
	PositionSide   string `json:"ps"`
	Amount         string `json:"pa"`
	MarginType     string `json:"mt"`
	IsolatedWallet string `json:"iw"`
	Mark           string `json:"mp"`
	Unrealized     string `json:"up"`
	Maintenance    string `json:"mm"`
}

func (u *users) marginCalled(at time.Time, call *simcore.MarginCallEvent) {
	body := marginCallEvent{Event: eventMargin, E: millis(at), CrossWallet: trimmed(call.Balance.CrossWallet)}
	for _, p := range call.Positions {
		body.Positions = append(body.Positions, marginCallPosition{
			Symbol: p.Symbol, PositionSide: positionSide(p.Side), Amount: trimmed(p.Qty), MarginType: "CROSSED",
			IsolatedWallet: "0", Mark: trimmed(p.MarkPrice), Unrealized: trimmed(p.UnrealizedPnL),
			Maintenance: trimmed(p.MaintenanceMargin),
		})
	}
	u.send(call.Account, eventMargin, body)
}
