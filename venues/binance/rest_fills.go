package binance

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
)

const (
	fillsPath = "/fapi/v1/userTrades"
	// fillsWindow is the longest time span of one request, fillsPage the maximum number
	// of rows.
	fillsWindow = 7 * 24 * time.Hour
	fillsPage   = 1000
	// fillsPagesMax bounds one call: half a million executions.
	fillsPagesMax = 500
	// fillsRetention is how far back the venue returns executions and income: a little
	// less than the shortest three months.
	fillsRetention = 88 * 24 * time.Hour
)

// tradeRecord is a row of GET /fapi/v1/userTrades.
type tradeRecord struct {
	Symbol          string         `json:"symbol"`
	ID              int64          `json:"id"`
	OrderID         int64          `json:"orderId"`
	Side            string         `json:"side"`
	PositionSide    string         `json:"positionSide"`
	Price           payload.Number `json:"price"`
	Qty             payload.Number `json:"qty"`
	RealizedPnl     payload.Number `json:"realizedPnl"`
	Commission      payload.Number `json:"commission"`
	CommissionAsset string         `json:"commissionAsset"`
	Time            int64          `json:"time"`
	Maker           bool           `json:"maker"`
}

// Fills returns the executions of an instrument in [From, To), oldest first: in windows
// of seven days, and within a window by trade id. Executions that the venue no longer
// returns are missing.
func (a *Account) Fills(ctx context.Context, q venues.FillsQuery) ([]venues.Fill, error) {
	reader := fillsReader{account: a, symbol: q.Symbol, seen: make(map[fillKey]bool)}
	for from, to := range connector.Spans(a.earliestFills(q.From), q.To, fillsWindow) {
		if err := reader.window(ctx, from, to); err != nil {
			return nil, err
		}
	}
	return reader.fills, nil
}

// earliestFills returns from, or the earliest time from which the venue returns
// executions.
func (a *Account) earliestFills(from time.Time) time.Time {
	if oldest := a.c.Clock.Now().Add(-fillsRetention); from.Before(oldest) {
		return oldest
	}
	return from
}

// fillKey identifies a fill: both sides of a self-trade have one trade id.
type fillKey struct{ trade, order int64 }

type fillsReader struct {
	account *Account
	symbol  string
	seen    map[fillKey]bool
	fills   []venues.Fill
	pages   int
}

// window reads one time span. After a full page it continues by id from the last one:
// that trade may have a second row on the next page.
func (f *fillsReader) window(ctx context.Context, from, to time.Time) error {
	p := restclient.Params{
		{"startTime", strconv.FormatInt(from.UnixMilli(), 10)},
		{"endTime", strconv.FormatInt(to.UnixMilli()-1, 10)},
	}
	for {
		rows, err := f.page(ctx, p)
		if err != nil {
			return err
		}
		before := len(f.seen)
		for n := range rows {
			if !payload.Millis(rows[n].Time).Before(to) {
				return nil
			}
			if err := f.add(&rows[n], from); err != nil {
				return restclient.Unreadable(http.MethodGet, fillsPath, err)
			}
		}
		if len(rows) < fillsPage {
			return nil
		}
		next := rows[len(rows)-1].ID
		if len(f.seen) == before {
			next++ // nothing new: continue after it
		}
		p = restclient.Params{{"fromId", strconv.FormatInt(next, 10)}}
	}
}

func (f *fillsReader) page(ctx context.Context, p restclient.Params) ([]tradeRecord, error) {
	if f.pages++; f.pages > fillsPagesMax {
		return nil, venues.Errorf(venues.CodeExchangeUnavailable, "more than %d pages of executions", fillsPagesMax)
	}
	var rows []tradeRecord
	err := f.account.c.call(ctx, request{
		method: http.MethodGet, path: fillsPath, security: signed, account: f.account,
		params:   append(restclient.Params{{"symbol", f.account.c.venueSymbol(f.symbol)}, {"limit", strconv.Itoa(fillsPage)}}, p...),
		priority: restclient.PriorityReconcile, weight: 5,
	}, &rows)
	return rows, err
}

func (f *fillsReader) add(row *tradeRecord, from time.Time) error {
	key := fillKey{row.ID, row.OrderID}
	if f.seen[key] {
		return nil
	}
	f.seen[key] = true
	fill, err := row.fill()
	if err != nil {
		return err
	}
	if !fill.ExecutedAt.Before(from) {
		f.fills = append(f.fills, fill)
	}
	return nil
}

func (r *tradeRecord) fill() (venues.Fill, error) {
	side, errSide := parseSide(r.Side)
	posSide, errPosSide := parseOrderPositionSide(r.PositionSide)
	if err := errors.Join(errSide, errPosSide); err != nil {
		return venues.Fill{}, err
	}
	symbol := canonicalSymbol(r.Symbol)
	switch {
	case symbol == "":
		return venues.Fill{}, payload.UnknownValue("symbol", r.Symbol)
	case r.ID <= 0:
		return venues.Fill{}, payload.Missing("id")
	case r.OrderID <= 0:
		return venues.Fill{}, payload.Missing("orderId")
	case !r.Qty.Decimal.IsPositive():
		return venues.Fill{}, payload.Missing("qty")
	case !r.Price.Decimal.IsPositive():
		return venues.Fill{}, payload.Missing("price")
	case payload.Millis(r.Time).IsZero():
		return venues.Fill{}, payload.Missing("time")
	}
	return venues.Fill{
		Exchange: venues.Binance, Symbol: symbol, Side: side, PositionSide: posSide,
		Qty: r.Qty.Decimal, Price: r.Price.Decimal,
		Fee: r.Commission.Optional, FeeCurrency: r.CommissionAsset,
		Liquidity: liquidity(r.Maker), RealizedPnl: r.RealizedPnl.Optional,
		VenueTradeID: strconv.FormatInt(r.ID, 10), VenueOrderID: strconv.FormatInt(r.OrderID, 10),
		ExecutedAt: venues.At(payload.Millis(r.Time)),
	}, nil
}

func liquidity(maker bool) venues.Liquidity {
	if maker {
		return venues.Maker
	}
	return venues.Taker
}
