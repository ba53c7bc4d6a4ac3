package okx

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
)

const (
	recentFillsPath = "/api/v5/trade/fills"
	fillsPath       = "/api/v5/trade/fills-history"
	// recentFills is the period that is read from recentFillsPath. The venue documents
	// three days for that list; the history may miss the newest executions.
	recentFills = 48 * time.Hour
	// fillsLimit and recentFillsLimit are the venue's rate limits of the two lists.
	fillsLimit       = 10
	recentFillsLimit = 60
	// fillsSlack is added to the end of a requested period: the venue selects by the
	// time of its record (ts), which is later than the execution (fillTime).
	fillsSlack = time.Minute
	// fillsPagesMax bounds one call: a hundred thousand executions.
	fillsPagesMax = 1000
)

// fillRecord is a row of both lists of executions.
type fillRecord struct {
	InstID   string         `json:"instId"`
	OrdID    string         `json:"ordId"`
	TradeID  string         `json:"tradeId"`
	BillID   string         `json:"billId"`
	Side     string         `json:"side"`
	PosSide  string         `json:"posSide"`
	FillSz   payload.Number `json:"fillSz"`
	FillPx   payload.Number `json:"fillPx"`
	FillPnl  payload.Number `json:"fillPnl"`
	FillTime milliTime      `json:"fillTime"`
	Fee      payload.Number `json:"fee"`
	FeeCcy   string         `json:"feeCcy"`
	ExecType string         `json:"execType"`
	TS       milliTime      `json:"ts"`
}

// Fills returns the executions of an instrument in [From, To), oldest first: recent ones
// from the list without delay, older ones from the history.
func (a *Account) Fills(ctx context.Context, q venues.FillsQuery) ([]venues.Fill, error) {
	k, err := a.c.instrument(ctx, q.Symbol)
	if err != nil {
		return nil, err
	}
	reader := fillsReader{account: a, k: k, query: q, seen: make(map[fillKey]bool)}
	err = a.eachFillList(q.From, q.To, func(path string, perWindow int, from, to time.Time) error {
		return reader.read(ctx, path, perWindow, from, to)
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(reader.fills, func(x, y venues.Fill) int {
		return x.ExecutedAt.Compare(y.ExecutedAt.Time)
	})
	return reader.fills, nil
}

// eachFillList calls read for the lists that cover a period: the history for its older part,
// the list without delay for the newer one.
func (a *Account) eachFillList(from, to time.Time, read func(path string, perWindow int, from, to time.Time) error) error {
	boundary := a.c.Clock.Now().Add(-recentFills)
	if from.Before(boundary) {
		if err := read(fillsPath, fillsLimit, from, earlier(to, boundary)); err != nil {
			return err
		}
	}
	if !to.After(boundary) {
		return nil
	}
	return read(recentFillsPath, recentFillsLimit, later(from, boundary), to)
}

func earlier(a, b time.Time) time.Time { return slices.MinFunc([]time.Time{a, b}, time.Time.Compare) }

func later(a, b time.Time) time.Time { return slices.MaxFunc([]time.Time{a, b}, time.Time.Compare) }

// fillKey identifies a fill. The trade id alone does not: both sides of a self-trade have
// the same.
type fillKey struct{ trade, order string }

// fillsReader collects the fills of one query from both lists, each fill once.
type fillsReader struct {
	account *Account
	k       *instrument
	query   venues.FillsQuery
	seen    map[fillKey]bool
	fills   []venues.Fill
}

// read collects the rows of one list, whose pages are newest first. perWindow is the list's
// rate limit.
func (f *fillsReader) read(ctx context.Context, path string, perWindow int, from, to time.Time) error {
	p := restclient.Params{
		{"instType", f.k.instType},
		{"instId", f.k.VenueSymbol},
		{"begin", strconv.FormatInt(from.UnixMilli(), 10)},
		{"end", strconv.FormatInt(to.Add(fillsSlack).UnixMilli(), 10)},
	}
	start := len(f.fills)
	err := eachRecord(ctx, f.account, f.account.signedRead(path, p, perWindow), fillsPagesMax, func(row *fillRecord) (id string, err error) {
		if err := f.add(row); err != nil {
			return "", restclient.Unreadable(http.MethodGet, path, err)
		}
		return row.BillID, nil
	})
	slices.Reverse(f.fills[start:]) // so that equal times keep the venue's order
	return err
}

func (f *fillsReader) add(row *fillRecord) error {
	if row.InstID != f.k.VenueSymbol {
		return payload.UnknownValue("instId", row.InstID)
	}
	fill, err := row.fill(f.k)
	if err != nil {
		return err
	}
	key := fillKey{row.TradeID, row.OrdID}
	if f.seen[key] || fill.ExecutedAt.Before(f.query.From) || !fill.ExecutedAt.Before(f.query.To) {
		return nil
	}
	f.seen[key] = true
	f.fills = append(f.fills, fill)
	return nil
}

func (r *fillRecord) fill(k *instrument) (venues.Fill, error) {
	side, errSide := parseSide(r.Side)
	posSide, errPosSide := parsePositionSide(r.PosSide)
	if err := errors.Join(errSide, errPosSide); err != nil {
		return venues.Fill{}, err
	}
	executed := r.FillTime
	if executed.IsZero() {
		executed = r.TS
	}
	switch {
	case r.TradeID == "":
		return venues.Fill{}, payload.Missing("tradeId")
	case r.OrdID == "":
		return venues.Fill{}, payload.Missing("ordId")
	case !r.FillSz.Decimal.IsPositive():
		return venues.Fill{}, payload.Missing("fillSz")
	case !r.FillPx.Decimal.IsPositive():
		return venues.Fill{}, payload.Missing("fillPx")
	case executed.IsZero():
		return venues.Fill{}, payload.Missing("fillTime")
	}
	return venues.Fill{
		Exchange: venues.OKX, Symbol: k.Symbol, Side: side, PositionSide: posSide,
		Qty: k.toBase(r.FillSz.Decimal), Price: r.FillPx.Decimal,
		Fee: feeOf(r.Fee), FeeCurrency: r.FeeCcy,
		Liquidity: parseLiquidity(r.ExecType), RealizedPnl: r.FillPnl.Optional,
		VenueTradeID: r.TradeID, VenueOrderID: r.OrdID, ExecutedAt: venues.At(executed.Time),
	}, nil
}
