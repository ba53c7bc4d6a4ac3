package okxsim

import (
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

// balanceBody is the account in Futures mode: the fields of the other modes are
// empty.
type balanceBody struct {
	unusedInBalance

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
	unusedInDetail

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
	lever := "0"
	if equity.IsPositive() {
		lever = notional.DivRound(equity, ratioDigits).String()
	}
	body.Details = append(body.Details, detailBody{
		unusedInDetail: unusedDetail,
		AvailBal:       v.Available.String(), AvailEq: v.Available.String(), CashBal: v.Wallet.String(), Ccy: settleCoin,
		DisEq: equity.String(), Eq: equity.String(), EqUsd: equity.String(), FixedBal: "0",
		FrozenBal: v.InitialMargin.String(), Imr: v.InitialMargin.Sub(iso.margin).String(), IsoEq: iso.equity.String(), IsoUpl: iso.upl.String(), MgnRatio: crossRatio(v),
		Mmr: v.MaintenanceMargin.Sub(iso.maintenance).String(), NotionalLever: lever, OrdFrozen: v.InitialMargin.Sub(v.PositionMargin).String(),
		StgyEq: "0", UTime: millis(v.UpdatedAt), Upl: v.UnrealizedPnL.String(),
	})
	return body
}

// only returns the account with the given coins only, or with all for none.
func (b balanceBody) only(coins string) balanceBody {
	if coins != "" && !strings.Contains(","+coins+",", ","+settleCoin+",") {
		b.Details = []detailBody{}
	}
	return b
}

// crossRatio returns the margin ratio of all cross positions together: equity over
// required margin, empty where there are none.
func crossRatio(v *simcore.AccountView) string {
	needed := decimal.Zero
	for i := range v.Holdings {
		for j := range v.Holdings[i].Positions {
			if p := &v.Holdings[i].Positions[j]; !p.Isolated {
				needed = needed.Add(neededBy(p, v.FeeTaker))
			}
		}
	}
	return ratioOf(v.CrossWallet.Add(v.CrossUnrealizedPnL), needed)
}

// neededBy returns the maintenance margin of a position plus the fee of closing it.
func neededBy(p *simcore.PositionView, fee decimal.Decimal) decimal.Decimal {
	return p.MaintenanceMargin.Add(p.Notional.Abs().Mul(fee))
}

func ratioOf(equity, needed decimal.Decimal) string {
	if !needed.IsPositive() {
		return ""
	}
	return equity.DivRound(needed, ratioDigits).String()
}

// isolatedSums are the sums over isolated positions.
type isolatedSums struct{ margin, equity, upl, maintenance decimal.Decimal }

func (s *isolatedSums) add(p *simcore.PositionView) {
	if p.Isolated {
		s.margin, s.upl = s.margin.Add(p.PositionMargin), s.upl.Add(p.UnrealizedPnL)
		s.maintenance = s.maintenance.Add(p.MaintenanceMargin)
		s.equity = s.equity.Add(p.IsolatedWallet).Add(p.UnrealizedPnL)
	}
}
