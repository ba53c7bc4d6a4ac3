package bybit

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
)

const (
	executionsPath = "/v5/execution/list"
	// executionsWindow is the longest time span of one request, executionsPage the
	// maximum number of rows.
	executionsWindow = 7 * 24 * time.Hour
	executionsPage   = 100
)

// executionRecord is an execution, in queries and on the private stream.
type executionRecord struct {
	Category      string         `json:"category"` // on the stream only
	Symbol        string         `json:"symbol"`
	OrderID       string         `json:"orderId"`
	OrderLinkID   string         `json:"orderLinkId"`
	Side          string         `json:"side"`
	OrderPrice    payload.Number `json:"orderPrice"`
	OrderQty      payload.Number `json:"orderQty"`
	LeavesQty     payload.Number `json:"leavesQty"`
	OrderType     string         `json:"orderType"`
	StopOrderType string         `json:"stopOrderType"`
	CreateType    string         `json:"createType"`
	ExecType      string         `json:"execType"`
	ExecID        string         `json:"execId"`
	ExecPrice     payload.Number `json:"execPrice"`
	ExecQty       payload.Number `json:"execQty"`
	ExecFee       payload.Number `json:"execFee"`
	FeeCurrency   string         `json:"feeCurrency"`
	ExtraFees     extraFees      `json:"extraFees"`
	ExecPnl       payload.Number `json:"execPnl"`
	ClosedSize    payload.Number `json:"closedSize"`
	ExecTime      integer        `json:"execTime"`
	IsMaker       bool           `json:"isMaker"`
}

// extraFees are taxes in addition to the fee; the venue prints "" for none.
type extraFees []struct {
	FeeCoin string         `json:"feeCoin"`
	Fee     payload.Number `json:"fee"`
}

func (f *extraFees) UnmarshalJSON(data []byte) error {
	if payload.Unquote(data) == "" {
		*f = nil
		return nil
	}
	type plain extraFees
	return json.Unmarshal(data, (*plain)(f))
}

// Fills returns the executions of an instrument in [From, To), oldest first, in windows
// of seven days. Funding is not an execution.
func (a *Account) Fills(ctx context.Context, q venues.FillsQuery) ([]venues.Fill, error) {
	hedge, err := a.hedgeOf(ctx, q.Symbol)
	if err != nil {
		return nil, err
	}
	var fills []venues.Fill
	seen := make(map[string]bool)
	for from, to := range connector.Spans(q.From, q.To, executionsWindow) {
		rows, err := a.executions(ctx, q.Symbol, from, to)
		if err != nil {
			return nil, a.c.explainUnlisted(q.Symbol, err)
		}
		for n := range rows {
			row := &rows[n]
			if !row.isFill() || seen[row.ExecID] {
				continue
			}
			seen[row.ExecID] = true
			fill, err := row.fill(hedge)
			if err != nil {
				return nil, restclient.Unreadable(http.MethodGet, executionsPath, err)
			}
			if at := fill.ExecutedAt; !at.Before(q.From) && at.Before(q.To) {
				fills = append(fills, fill)
			}
		}
	}
	slices.SortStableFunc(fills, func(a, b venues.Fill) int {
		return cmp.Or(a.ExecutedAt.Compare(b.ExecutedAt.Time), cmp.Compare(a.VenueTradeID, b.VenueTradeID))
	})
	return fills, nil
}

// executions reads those of one instrument; of all if symbol is empty.
func (a *Account) executions(ctx context.Context, symbol string, from, to time.Time) ([]executionRecord, error) {
	p := restclient.Params{
		{"category", category},
		{"startTime", formatMillis(from)},
		{"endTime", formatMillis(to.Add(-time.Millisecond))},
	}
	if symbol != "" {
		p = p.With("symbol", a.c.venueSymbol(symbol))
	}
	return pages[executionRecord](ctx, a.c, get(executionsPath, p, a, restclient.PriorityReconcile), executionsPage)
}

// execTrade is the type of an execution in the market.
const execTrade = "Trade"

// isFill reports whether the row changed a position by a price and a quantity.
func (r *executionRecord) isFill() bool { return r.ExecType != "Funding" && r.ExecType != "UNKNOWN" }

// fill converts an execution. It does not name its position; in hedge mode that follows
// from whether it closed anything.
func (r *executionRecord) fill(hedge bool) (venues.Fill, error) {
	side, err := parseSide(r.Side)
	symbol := canonicalSymbol(r.Symbol)
	switch {
	case err != nil:
		return venues.Fill{}, err
	case r.ExecID == "":
		return venues.Fill{}, payload.Missing("execId")
	case r.OrderID == "" && r.ExecType == execTrade: // a settlement has no order
		return venues.Fill{}, payload.Missing("orderId")
	case symbol == "":
		return venues.Fill{}, payload.Missing("symbol")
	case !r.ExecQty.Decimal.IsPositive():
		return venues.Fill{}, payload.Missing("execQty")
	case !r.ExecPrice.Decimal.IsPositive():
		return venues.Fill{}, payload.Missing("execPrice")
	case r.ExecTime <= 0:
		return venues.Fill{}, payload.Missing("execTime")
	}
	fill := venues.Fill{
		Exchange: venues.Bybit, Symbol: symbol, Side: side,
		PositionSide: connector.PositionOf(hedge, side, r.ClosedSize.Decimal.IsPositive()),
		Qty:          r.ExecQty.Decimal, Price: r.ExecPrice.Decimal, Liquidity: venues.Taker,
		RealizedPnl:  r.ExecPnl.Optional,
		VenueTradeID: r.ExecID, VenueOrderID: r.OrderID, ExecutedAt: venues.At(r.ExecTime.time()),
	}
	if r.IsMaker {
		fill.Liquidity = venues.Maker
	}
	fill.Fee, fill.FeeCurrency = r.fee()
	return fill, nil
}

// fee returns the venue's fee with the taxes on it in the same coin. If the coin is
// missing it is the settlement coin.
func (r *executionRecord) fee() (fee venues.Optional, currency string) {
	if currency = r.FeeCurrency; currency == "" {
		currency = settleCoin(r.Symbol)
	}
	if fee = r.ExecFee.Optional; !fee.Valid {
		return fee, ""
	}
	for _, extra := range r.ExtraFees {
		if extra.FeeCoin == currency {
			fee.Decimal = fee.Decimal.Add(extra.Fee.Decimal)
		}
	}
	return fee, currency
}
