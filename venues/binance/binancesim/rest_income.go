package binancesim

import (
	"strconv"

	"github.com/shopspring/decimal"

	"venuegate/venues/simcore"
)

type incomeBody struct {
	Symbol     string `json:"symbol"`
	IncomeType string `json:"incomeType"`
	Income     string `json:"income"`
	Asset      string `json:"asset"`
	Time       int64  `json:"time"`
	Info       string `json:"info"`
	TranID     int64  `json:"tranId"`
	TradeID    string `json:"tradeId"`
}

// incomeWords are the venue's words for all causes but trades, whose profit and fee
// are rows of their own.
var incomeWords = map[simcore.WalletCause]string{
	simcore.CauseFunding: "FUNDING_FEE", simcore.CauseTransfer: "TRANSFER",
	simcore.CauseLiquidationFee: "INSURANCE_CLEAR", simcore.CauseInsurance: "INSURANCE_CLEAR",
}

func (s *Sim) income(c *call) (any, *apiError) {
	limit, page := c.params.limit(100, 1000), c.params.integer("page", 1)
	if page < 1 {
		c.params.refuse(bad(-1130, "Data sent for parameter 'page' is not valid."))
	}
	from, to := c.span()
	if c.params.invalid != nil {
		return nil, c.params.invalid
	}
	if from.IsZero() && to.IsZero() {
		from = c.now.Add(-queryWindowMax)
	}
	symbol, kind := c.params.text("symbol"), c.params.text("incomeType")
	changes := s.Exchange().WalletChanges(c.account.ID, func(w *simcore.WalletChange) bool {
		return (symbol == "" || w.Symbol == symbol) && within(w.Time, from, to)
	})
	rows := []incomeBody{}
	for i := range changes {
		for _, row := range incomeRows(&changes[i]) {
			if kind == "" || row.IncomeType == kind {
				rows = append(rows, row)
			}
		}
	}
	skip := min(len(rows), int(page-1)*limit)
	return rows[skip:min(len(rows), skip+limit)], nil
}

// incomeRows returns the rows of a change, which share its id: the venue's are unique
// within a type only.
func incomeRows(w *simcore.WalletChange) []incomeBody {
	row := func(word string, amount decimal.Decimal) incomeBody {
		return incomeBody{
			Symbol: w.Symbol, IncomeType: word, Income: money(amount), Asset: "USDT", Time: millis(w.Time), Info: word, TranID: w.ID,
		}
	}
	if w.Fill == nil {
		return []incomeBody{row(incomeWords[w.Cause], w.Amount)}
	}
	rows := []incomeBody{row("COMMISSION", w.Fill.Fee.Neg())}
	if profit := w.Fill.RealizedPnL; !profit.IsZero() {
		rows = []incomeBody{row("REALIZED_PNL", profit), rows[0]}
	}
	for i := range rows {
		rows[i].TradeID = strconv.FormatInt(w.Fill.TradeID, 10)
		rows[i].Info = rows[i].TradeID
	}
	return rows
}
