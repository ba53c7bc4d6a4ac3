package binance

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
)

// depthSnapshot is GET /fapi/v1/depth.
type depthSnapshot struct {
	LastUpdateID uint64      `json:"lastUpdateId"`
	Time         int64       `json:"T"`
	EventTime    int64       `json:"E"`
	Bids         [][2]string `json:"bids"`
	Asks         [][2]string `json:"asks"`
}

// update brings the snapshot to fixed-point numbers, in an update of the pool.
func (d *depthSnapshot) update(symbol string, scale venues.Scale, received time.Time) (*venues.BookUpdate, error) {
	if d.LastUpdateID == 0 {
		return nil, payload.Missing("lastUpdateId")
	}
	u := venues.NewBookUpdate()
	u.Symbol, u.Snapshot = symbol, true
	u.FirstSeq, u.LastSeq = d.LastUpdateID, d.LastUpdateID
	u.VenueTime, u.Received = payload.Millis(d.Time), received
	for _, side := range []struct {
		rows   [][2]string
		levels *[]venues.Level
	}{{d.Bids, &u.Bids}, {d.Asks, &u.Asks}} {
		for _, row := range side.rows {
			level, err := payload.Level(row[0], row[1], scale)
			if err != nil {
				u.Release()
				return nil, err
			}
			*side.levels = append(*side.levels, level)
		}
	}
	return u, nil
}

// klineRow is one row of GET /fapi/v1/klines: an array of mixed types.
type klineRow []json.RawMessage

// klineColumns is how many columns of a row are used: open time, prices, volume,
// close time, quote volume.
const klineColumns = 8

func (k klineRow) candle(symbol string, tf venues.Timeframe, now time.Time) (venues.Candle, error) {
	if len(k) < klineColumns {
		return venues.Candle{}, payload.Missing("kline column")
	}
	var opened, closed int64
	var open, high, low, last, volume, turnover number
	for column, target := range []any{&opened, &open, &high, &low, &last, &volume, &closed, &turnover} {
		if err := json.Unmarshal(k[column], target); err != nil {
			return venues.Candle{}, fmt.Errorf("kline column %d: %w", column, err)
		}
		if n, ok := target.(*number); ok && !n.Valid {
			return venues.Candle{}, payload.Missing(fmt.Sprintf("kline column %d", column))
		}
	}
	end := payload.Millis(closed + 1)
	return venues.Candle{
		Symbol: symbol, Timeframe: tf, Start: payload.Millis(opened), End: end,
		Open: open.Decimal, High: high.Decimal, Low: low.Decimal, Close: last.Decimal,
		Volume: volume.Decimal, Turnover: turnover.Decimal,
		Closed: !now.Before(end),
	}, nil
}

// orderRecord is an order of the order endpoints. Answers to changes lack
// avgPrice, answers to queries have it.
type orderRecord struct {
	OrderID       int64  `json:"orderId"`
	Symbol        string `json:"symbol"`
	Status        string `json:"status"`
	ClientOrderID string `json:"clientOrderId"`
	Price         number `json:"price"`
	AvgPrice      number `json:"avgPrice"`
	OrigQty       number `json:"origQty"`
	ExecutedQty   number `json:"executedQty"`
	TimeInForce   string `json:"timeInForce"`
	Type          string `json:"type"`
	OrigType      string `json:"origType"`
	ReduceOnly    bool   `json:"reduceOnly"`
	ClosePosition bool   `json:"closePosition"`
	Side          string `json:"side"`
	PositionSide  string `json:"positionSide"`
	StopPrice     number `json:"stopPrice"`
	UpdateTime    int64  `json:"updateTime"`
}

// idText is an id that the venue prints as a string here and as a number there.
type idText string

func (id *idText) UnmarshalJSON(data []byte) error {
	text := strings.Trim(string(data), `"`)
	if text == "null" {
		text = ""
	}
	if text != "" {
		if _, err := strconv.ParseUint(text, 10, 64); err != nil {
			return err
		}
	}
	*id = idText(text)
	return nil
}

// algoRecord is an order of the algo endpoints.
type algoRecord struct {
	AlgoID        int64  `json:"algoId"`
	ClientAlgoID  string `json:"clientAlgoId"`
	OrderType     string `json:"orderType"`
	Symbol        string `json:"symbol"`
	Side          string `json:"side"`
	PositionSide  string `json:"positionSide"`
	TimeInForce   string `json:"timeInForce"`
	Quantity      number `json:"quantity"`
	AlgoStatus    string `json:"algoStatus"`
	ActualOrderID idText `json:"actualOrderId"`
	ActualPrice   number `json:"actualPrice"`
	ActualQty     number `json:"actualQty"`
	TriggerPrice  number `json:"triggerPrice"`
	Price         number `json:"price"`
	ClosePosition bool   `json:"closePosition"`
	ReduceOnly    bool   `json:"reduceOnly"`
	CreateTime    int64  `json:"createTime"`
	UpdateTime    int64  `json:"updateTime"`
}

// tradeRecord is a row of GET /fapi/v1/userTrades.
type tradeRecord struct {
	Symbol          string `json:"symbol"`
	ID              int64  `json:"id"`
	OrderID         int64  `json:"orderId"`
	Side            string `json:"side"`
	PositionSide    string `json:"positionSide"`
	Price           number `json:"price"`
	Qty             number `json:"qty"`
	RealizedPnl     number `json:"realizedPnl"`
	Commission      number `json:"commission"`
	CommissionAsset string `json:"commissionAsset"`
	Time            int64  `json:"time"`
	Maker           bool   `json:"maker"`
}

// accountRecord is GET /fapi/v3/account.
type accountRecord struct {
	TotalInitialMargin    number        `json:"totalInitialMargin"`
	TotalUnrealizedProfit number        `json:"totalUnrealizedProfit"`
	TotalMarginBalance    number        `json:"totalMarginBalance"`
	AvailableBalance      number        `json:"availableBalance"`
	Assets                []assetRecord `json:"assets"`
}

type assetRecord struct {
	Asset            string `json:"asset"`
	WalletBalance    number `json:"walletBalance"`
	UnrealizedProfit number `json:"unrealizedProfit"`
	MarginBalance    number `json:"marginBalance"`
	InitialMargin    number `json:"initialMargin"`
	AvailableBalance number `json:"availableBalance"`
}

// accountConfig is GET /fapi/v1/accountConfig.
type accountConfig struct {
	CanTrade          *bool `json:"canTrade"`
	DualSidePosition  *bool `json:"dualSidePosition"`
	MultiAssetsMargin *bool `json:"multiAssetsMargin"`
}

// positionRecord is a row of GET /fapi/v3/positionRisk.
type positionRecord struct {
	Symbol           string `json:"symbol"`
	PositionSide     string `json:"positionSide"`
	PositionAmt      number `json:"positionAmt"`
	EntryPrice       number `json:"entryPrice"`
	MarkPrice        number `json:"markPrice"`
	UnrealizedProfit number `json:"unRealizedProfit"`
	LiquidationPrice number `json:"liquidationPrice"`
	UpdateTime       int64  `json:"updateTime"`
}

// symbolConfig is a row of GET /fapi/v1/symbolConfig.
type symbolConfig struct {
	Symbol     string `json:"symbol"`
	MarginType string `json:"marginType"`
	Leverage   number `json:"leverage"`
}

// bracketRecord is a row of GET /fapi/v1/leverageBracket.
type bracketRecord struct {
	Symbol   string `json:"symbol"`
	Brackets []struct {
		InitialLeverage number `json:"initialLeverage"`
	} `json:"brackets"`
}
