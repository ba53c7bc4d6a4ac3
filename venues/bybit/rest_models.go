package bybit

import (
	"encoding/json"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
)

// bookRecord is the result of GET /v5/market/orderbook.
type bookRecord struct {
	Symbol   string      `json:"s"`
	Bids     [][2]string `json:"b"`
	Asks     [][2]string `json:"a"`
	Time     integer     `json:"ts"`
	UpdateID integer     `json:"u"`
}

// update brings the book to fixed-point numbers, in an update of the pool.
func (b *bookRecord) update(i *venues.Instrument, received time.Time) (*venues.BookUpdate, error) {
	if b.UpdateID <= 0 {
		return nil, payload.Missing("u")
	}
	if b.Symbol != i.VenueSymbol {
		return nil, payload.UnknownWord("symbol", b.Symbol)
	}
	u := venues.NewBookUpdate()
	u.Symbol, u.Snapshot = i.Symbol, true
	u.FirstSeq, u.LastSeq = uint64(b.UpdateID), uint64(b.UpdateID)
	u.VenueTime, u.Received = b.Time.time(), received
	scale := i.Scale()
	for _, side := range []struct {
		rows   [][2]string
		levels *[]venues.Level
	}{{b.Bids, &u.Bids}, {b.Asks, &u.Asks}} {
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

// klineRow is one row of GET /v5/market/kline: start, open, high, low, close,
// volume, turnover.
type klineRow []json.RawMessage

const klineColumns = 7

func (k klineRow) candle(symbol string, tf venues.Timeframe, now time.Time) (venues.Candle, error) {
	if len(k) < klineColumns {
		return venues.Candle{}, payload.Missing("kline column")
	}
	var started integer
	var open, high, low, last, volume, turnover number
	for column, target := range []any{&started, &open, &high, &low, &last, &volume, &turnover} {
		if err := json.Unmarshal(k[column], target); err != nil {
			return venues.Candle{}, err
		}
		if n, ok := target.(*number); ok && !n.Valid {
			return venues.Candle{}, payload.Missing("kline column")
		}
	}
	if started <= 0 {
		return venues.Candle{}, payload.Missing("start")
	}
	end := started.time().Add(venues.Timeframes()[tf])
	return venues.Candle{
		Symbol: symbol, Timeframe: tf, Start: started.time(), End: end,
		Open: open.Decimal, High: high.Decimal, Low: low.Decimal, Close: last.Decimal,
		Volume: volume.Decimal, Turnover: turnover.Decimal,
		Closed: !now.Before(end),
	}, nil
}

// orderRecord is an order, as queries and the private stream tell it alike.
type orderRecord struct {
	Category       string  `json:"category"` // of the stream alone
	OrderID        string  `json:"orderId"`
	OrderLinkID    string  `json:"orderLinkId"`
	Symbol         string  `json:"symbol"`
	Side           string  `json:"side"`
	PositionIdx    integer `json:"positionIdx"`
	OrderStatus    string  `json:"orderStatus"`
	CreateType     string  `json:"createType"`
	CancelType     string  `json:"cancelType"`
	RejectReason   string  `json:"rejectReason"`
	OrderType      string  `json:"orderType"`
	StopOrderType  string  `json:"stopOrderType"`
	ParentLinkID   string  `json:"parentOrderLinkId"`
	TimeInForce    string  `json:"timeInForce"`
	Price          number  `json:"price"`
	Qty            number  `json:"qty"`
	AvgPrice       number  `json:"avgPrice"`
	CumExecQty     number  `json:"cumExecQty"`
	TriggerPrice   number  `json:"triggerPrice"`
	ReduceOnly     bool    `json:"reduceOnly"`
	CloseOnTrigger bool    `json:"closeOnTrigger"`
	UpdatedTime    integer `json:"updatedTime"`
}

// executionRecord is an execution, as queries and the private stream tell it
// alike.
type executionRecord struct {
	Category      string    `json:"category"` // of the stream alone
	Symbol        string    `json:"symbol"`
	OrderID       string    `json:"orderId"`
	OrderLinkID   string    `json:"orderLinkId"`
	Side          string    `json:"side"`
	OrderPrice    number    `json:"orderPrice"`
	OrderQty      number    `json:"orderQty"`
	LeavesQty     number    `json:"leavesQty"`
	OrderType     string    `json:"orderType"`
	StopOrderType string    `json:"stopOrderType"`
	CreateType    string    `json:"createType"`
	ExecType      string    `json:"execType"`
	ExecID        string    `json:"execId"`
	ExecPrice     number    `json:"execPrice"`
	ExecQty       number    `json:"execQty"`
	ExecFee       number    `json:"execFee"`
	FeeCurrency   string    `json:"feeCurrency"`
	ExtraFees     extraFees `json:"extraFees"`
	ExecPnl       number    `json:"execPnl"`
	ClosedSize    number    `json:"closedSize"`
	ExecTime      integer   `json:"execTime"`
	IsMaker       bool      `json:"isMaker"`
}

// extraFees are taxes beside the fee; the venue prints "" for none.
type extraFees []struct {
	FeeCoin string `json:"feeCoin"`
	Fee     number `json:"fee"`
}

func (f *extraFees) UnmarshalJSON(data []byte) error {
	if unquote(data) == "" {
		*f = nil
		return nil
	}
	type plain extraFees
	return json.Unmarshal(data, (*plain)(f))
}

// positionRecord is a position. Queries call its price avgPrice, the stream
// entryPrice.
type positionRecord struct {
	Category      string       `json:"category"` // of the stream alone
	PositionIdx   positionSlot `json:"positionIdx"`
	Symbol        string       `json:"symbol"`
	Side          string       `json:"side"`
	Size          number       `json:"size"`
	AvgPrice      number       `json:"avgPrice"`
	EntryPrice    number       `json:"entryPrice"`
	MarkPrice     number       `json:"markPrice"`
	LiqPrice      number       `json:"liqPrice"`
	UnrealisedPnl number       `json:"unrealisedPnl"`
	Leverage      number       `json:"leverage"`
	TakeProfit    number       `json:"takeProfit"`
	StopLoss      number       `json:"stopLoss"`
	OpenTime      integer      `json:"openTime"`
	UpdatedTime   integer      `json:"updatedTime"`
}

// walletRecord is the unified account of GET /v5/account/wallet-balance. Its
// totals are in USD over all coins; isolated margin has none.
type walletRecord struct {
	TotalAvailableBalance number       `json:"totalAvailableBalance"`
	TotalInitialMargin    number       `json:"totalInitialMargin"`
	Coins                 []coinRecord `json:"coin"`
}

type coinRecord struct {
	Coin            string `json:"coin"`
	Equity          number `json:"equity"`
	USDValue        number `json:"usdValue"`
	WalletBalance   number `json:"walletBalance"`
	Locked          number `json:"locked"`
	Bonus           number `json:"bonus"`
	TotalOrderIM    number `json:"totalOrderIM"`
	TotalPositionIM number `json:"totalPositionIM"`
	UnrealisedPnl   number `json:"unrealisedPnl"`
}

// ackRecord is the answer to a change of an order.
type ackRecord struct {
	OrderID     string `json:"orderId"`
	OrderLinkID string `json:"orderLinkId"`
}
