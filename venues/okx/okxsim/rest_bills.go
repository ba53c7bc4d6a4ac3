package okxsim

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

// billBody is a change of the balance.
type billBody struct {
	unusedInFill

	Bal        string `json:"bal"`
	BalChg     string `json:"balChg"`
	BillID     string `json:"billId"`
	Ccy        string `json:"ccy"`
	ClOrdID    string `json:"clOrdId"`
	ExecType   string `json:"execType"`
	Fee        string `json:"fee"`
	FillIdxPx  string `json:"fillIdxPx"`
	FillMarkPx string `json:"fillMarkPx"`
	FillTime   string `json:"fillTime"`
	From       string `json:"from"`
	InstID     string `json:"instId"`
	InstType   string `json:"instType"`
	Interest   string `json:"interest"`
	MgnMode    string `json:"mgnMode"`
	Notes      string `json:"notes"`
	OrdID      string `json:"ordId"`
	Pnl        string `json:"pnl"`
	PosBal     string `json:"posBal"`
	PosBalChg  string `json:"posBalChg"`
	Px         string `json:"px"`
	SubType    string `json:"subType"`
	Sz         string `json:"sz"`
	Tag        string `json:"tag"`
	To         string `json:"to"`
	TradeID    string `json:"tradeId"`
	TS         string `json:"ts"`
	Type       string `json:"type"`
}

// Types and subtypes of bills. Those of trades are in [subTypeOf].
const (
	billTransfer    = "1"
	billTrade       = "2"
	billLiquidation = "5"
	billFunding     = "8"

	billTransferIn      = "11"
	billTransferOut     = "12"
	billLiquidationIn   = "110"
	billLiquidationOut  = "111"
	billFundingExpense  = "173"
	billFundingIncome   = "174"
	accountFundingWord  = "6"
	accountTradingWord  = "18"
	retentionBills      = 7 * 24 * time.Hour
	billPositionBalance = "0" // of isolated positions of spot margin only
)

// bill returns the row of a change of the wallet.
func (s *Sim) bill(account string, w *simcore.WalletChange) billBody {
	body := billBody{
		Bal: w.Balance.String(), BalChg: w.Amount.String(), BillID: idText(w.ID), Ccy: settleCoin, Fee: "0", Interest: "0",
		Pnl: "0", PosBal: billPositionBalance, PosBalChg: billPositionBalance, TS: millis(w.Time),
	}
	if w.Symbol != "" {
		body.InstID, body.InstType, body.MgnMode = w.Symbol, instTypeSwap, marginModeName(w.Isolated)
	}
	income := w.Amount.IsPositive()
	switch w.Cause {
	case simcore.CauseTrade:
		s.billTrade(&body, account, w)
	case simcore.CauseFunding:
		body.Type, body.SubType = billFunding, either(income, billFundingIncome, billFundingExpense)
		body.Pnl, body.Sz, body.Px = w.Amount.String(), w.Qty.Abs().String(), w.Mark.String()
	case simcore.CauseTransfer:
		body.Type, body.SubType = billTransfer, either(income, billTransferIn, billTransferOut)
		body.From, body.To = either(income, accountFundingWord, accountTradingWord), either(income, accountTradingWord, accountFundingWord)
		body.Sz = w.Amount.Abs().String()
	case simcore.CauseLiquidationFee, simcore.CauseInsurance:
		body.Type, body.SubType = billLiquidation, either(income, billLiquidationIn, billLiquidationOut)
		body.Pnl, body.Sz = w.Amount.String(), decimal.Zero.String()
	}
	return body
}

func (s *Sim) billTrade(body *billBody, account string, w *simcore.WalletChange) {
	o := s.orderOfFill(account, w.Fill)
	f := s.listings[w.Symbol].fill(w.Fill, o, simcore.MarkPrice{Mark: w.Mark})
	body.Type, body.SubType = either(o.Liquidation, billLiquidation, billTrade), f.SubType
	body.ClOrdID, body.ExecType, body.Fee, body.FillTime = f.ClOrdID, f.ExecType, f.Fee, f.FillTime
	body.FillMarkPx, body.OrdID, body.Pnl, body.Px, body.Sz = f.FillMarkPx, f.OrdID, f.FillPnl, f.FillPx, f.FillSz
	body.Tag, body.TradeID = f.Tag, f.TradeID
}

func either(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

func (s *Sim) bills(c *call) (any, *apiError) { return s.billsWithin(c, retentionBills) }

func (s *Sim) billsArchive(c *call) (any, *apiError) { return s.billsWithin(c, retentionArchive) }

// billsWithin returns a page of the bills of a time, the latest first.
func (s *Sim) billsWithin(c *call, kept time.Duration) (any, *apiError) {
	p := c.page()
	if c.invalid != nil {
		return nil, c.invalid
	}
	now := s.Clock.Now()
	changes := s.Exchange().WalletChanges(c.account.ID, func(w *simcore.WalletChange) bool {
		return now.Sub(w.Time) < kept && p.holds(w.ID, w.Time)
	})
	slices.Reverse(changes)
	body := []billBody{}
	for i := range changes {
		row := s.bill(c.account.ID, &changes[i])
		if len(body) < p.limit && c.selects("instType", row.InstType) && c.selects("instId", row.InstID) && c.selects("ccy", row.Ccy) &&
			c.selects("mgnMode", row.MgnMode) && c.selects("type", row.Type) && c.selects("subType", row.SubType) {
			body = append(body, row)
		}
	}
	return body, nil
}
