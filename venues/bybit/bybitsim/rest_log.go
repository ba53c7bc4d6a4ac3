package bybitsim

import (
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

// logRecord is a row of the transaction log.
type logRecord struct {
	ID              string `json:"id"`
	Symbol          string `json:"symbol"`
	Category        string `json:"category"`
	Side            string `json:"side"`
	TransactionTime string `json:"transactionTime"`
	Type            string `json:"type"`
	TransSubType    string `json:"transSubType"`
	Qty             string `json:"qty"`
	Size            string `json:"size"`
	Currency        string `json:"currency"`
	TradePrice      string `json:"tradePrice"`
	Funding         string `json:"funding"`
	Fee             string `json:"fee"`
	CashFlow        string `json:"cashFlow"`
	Change          string `json:"change"`
	CashBalance     string `json:"cashBalance"`
	FeeRate         string `json:"feeRate"`
	BonusChange     string `json:"bonusChange"`
	TradeID         string `json:"tradeId"`
	OrderID         string `json:"orderId"`
	OrderLinkID     string `json:"orderLinkId"`
	ExtraFees       string `json:"extraFees"`
}

// Types of the transaction log.
const (
	logTrade       = "TRADE"
	logFunding     = "SETTLEMENT"
	logLiquidation = "LIQUIDATION"
	logTransferIn  = "TRANSFER_IN"
	logTransferOut = "TRANSFER_OUT"
)

// logRecordOf returns the row of a change of the wallet.
func (s *Sim) logRecordOf(account string, w *simcore.WalletChange) logRecord {
	r := logRecord{
		ID:     userID(account) + "_" + w.Symbol + "_" + strconv.FormatInt(w.ID, 10),
		Symbol: w.Symbol, Side: "None", TransactionTime: millisText(w.Time), Qty: "0", Size: w.Qty.String(), Currency: "USDT",
		TradePrice: "0", Fee: "0", CashFlow: "0", Change: money(w.Amount), CashBalance: money(w.Balance), FeeRate: "0",
		BonusChange: "0", TradeID: uuidOf(w.ID),
	}
	if w.Symbol != "" {
		r.Category = "linear"
	}
	switch w.Cause {
	case simcore.CauseTrade:
		s.logTrade(&r, account, w.Fill)
	case simcore.CauseFunding:
		r.Type, r.Side, r.Funding, r.Qty = logFunding, "Buy", money(w.Amount), w.Qty.Abs().String()
		r.TradePrice, r.FeeRate, r.OrderID = w.Mark.String(), w.FundingRate.String(), uuidOf(w.ID)
		if w.Qty.IsNegative() {
			r.Side, r.FeeRate = "Sell", w.FundingRate.Neg().String()
		}
	case simcore.CauseLiquidationFee:
		r.Type, r.Fee = logLiquidation, money(w.Amount.Neg())
	case simcore.CauseInsurance:
		r.Type, r.CashFlow = logLiquidation, money(w.Amount)
	case simcore.CauseTransfer:
		r.Type, r.CashFlow = logTransferIn, money(w.Amount)
		if w.Amount.IsNegative() {
			r.Type = logTransferOut
		}
	}
	return r
}

func (s *Sim) logTrade(r *logRecord, account string, f *simcore.Fill) {
	r.Type, r.Side, r.Qty, r.TradePrice = logTrade, sideName(f.Side), f.Qty.String(), f.Price.String()
	r.Fee, r.CashFlow, r.FeeRate = money(f.Fee), money(f.RealizedPnL), feeRateOf(f).String()
	r.TradeID, r.OrderID, r.OrderLinkID = executionID(f.TradeID, f.Maker), uuidOf(f.OrderID), f.ClientID
	if o, err := s.Exchange().Order(account, f.Symbol, simcore.OrderRef{ID: f.OrderID}); err == nil && o.Liquidation {
		r.Type = logLiquidation
	}
}

func feeRateOf(f *simcore.Fill) decimal.Decimal {
	if f.Maker {
		return feeMaker
	}
	return feeTaker
}

const (
	logLimitDefault = 20
	logLimitMax     = 50
	logWindow       = 24 * time.Hour
)

// transactionLog returns the changes of the wallet, the latest first. Without a time it
// returns those of a day.
func (s *Sim) transactionLog(c *call) (any, *apiError) {
	if kind := c.query.Get("accountType"); kind != "" && kind != "UNIFIED" {
		return nil, errParam("accountType only support UNIFIED.")
	}
	from, to := c.span(logWindow)
	limit := c.limit(logLimitDefault, logLimitMax)
	if c.invalid != nil {
		return nil, c.invalid
	}
	kind, kept := c.query.Get("type"), []logRecord{}
	changes := s.Exchange().WalletChanges(c.account.ID, func(w *simcore.WalletChange) bool { return within(w.Time, from, to) })
	for n := len(changes) - 1; n >= 0; n-- {
		r := s.logRecordOf(c.account.ID, &changes[n])
		if s.logged(c, &r) && (kind == "" || kind == r.Type) {
			kept = append(kept, r)
		}
	}
	list, cursor, failed := paginate(c, kept, limit, func(r *logRecord) string { return r.ID + ":1" })
	if failed != nil {
		return nil, failed
	}
	return logPage{list, cursor}, nil
}

// logged reports whether a query selects a row by category, currency and coin.
func (s *Sim) logged(c *call, r *logRecord) bool {
	category, currency, base := c.query.Get("category"), c.query.Get("currency"), c.query.Get("baseCoin")
	l := s.listings[r.Symbol]
	return (category == "" || category == r.Category) && (currency == "" || currency == r.Currency) &&
		(base == "" || l != nil && l.Base == base)
}

type logPage struct {
	List   []logRecord `json:"list"`
	Cursor string      `json:"nextPageCursor"`
}
