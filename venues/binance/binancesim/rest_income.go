package binancesim

import (
	"strconv"

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

func incomeWord(kind simcore.IncomeKind) string {
	return [...]string{"REALIZED_PNL", "COMMISSION", "FUNDING_FEE", "TRANSFER", "INSURANCE_CLEAR"}[kind]
}

func (s *Sim) income(c *call) (any, *apiError) {
	limit, err := c.params.limit(100, 1000)
	if err != nil {
		return nil, err
	}
	page, err := c.params.integer("page", 1)
	if err != nil {
		return nil, err
	}
	if page < 1 {
		return nil, bad(-1130, "Data sent for parameter 'page' is not valid.")
	}
	from, to, err := c.span()
	if err != nil {
		return nil, err
	}
	if from.IsZero() && to.IsZero() {
		from = c.now.Add(-queryWindowMax)
	}
	symbol, kind := c.params.text("symbol"), c.params.text("incomeType")
	rows := s.Exchange().Income(c.account.ID, func(i *simcore.Income) bool {
		return (symbol == "" || i.Symbol == symbol) && (kind == "" || incomeWord(i.Kind) == kind) && within(i.Time, from, to)
	})
	skip := min(len(rows), int(page-1)*limit)
	rows = rows[skip:min(len(rows), skip+limit)]
	body := []incomeBody{}
	for i := range rows {
		body = append(body, incomeRow(&rows[i]))
	}
	return body, nil
}

func incomeRow(i *simcore.Income) incomeBody {
	body := incomeBody{
		Symbol: i.Symbol, IncomeType: incomeWord(i.Kind), Income: money(i.Amount), Asset: "USDT",
		Time: millis(i.Time), Info: incomeWord(i.Kind), TranID: i.ID,
	}
	if i.TradeID != 0 {
		body.TradeID = strconv.FormatInt(i.TradeID, 10)
		body.Info = body.TradeID
	}
	return body
}
