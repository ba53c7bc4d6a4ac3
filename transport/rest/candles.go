package rest

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/venues"
)

// candleFilter is the query of GET /v1/candles.
type candleFilter struct {
	venues.ReadCandles
	limit int
}

var candleParameters = parameters[candleFilter]{
	{"exchange", func(q *api.Query, name string, f *candleFilter) {
		q.Require(name)
		f.Exchange = q.Exchange(name)
	}},
	{"symbol", func(q *api.Query, name string, f *candleFilter) {
		q.Require(name)
		f.Symbol = q.Symbol(name)
	}},
	{"timeframe", func(q *api.Query, name string, f *candleFilter) {
		q.Require(name)
		f.Timeframe = api.QueryOneOf(q, name, "", timeframes()...)
	}},
	{fromParameter, func(q *api.Query, name string, f *candleFilter) { f.From = q.Time(name) }},
	{"to", func(q *api.Query, name string, f *candleFilter) { f.To = q.Time(name) }},
	{"limit", func(q *api.Query, name string, f *candleFilter) {
		f.limit = q.Limit(name, api.CandlesLimitDefault, api.CandlesLimitMax)
	}},
}

// timeframes returns all timeframes, shortest first.
func timeframes() []venues.Timeframe {
	lengths := venues.Timeframes()
	return slices.SortedFunc(maps.Keys(lengths), func(a, b venues.Timeframe) int { return cmp.Compare(lengths[a], lengths[b]) })
}

// candlesSince is a time before which no venue has candles. An earlier from would cost
// many empty pages.
var candlesSince = time.Date(2017, 1, 1, 0, 0, 0, 0, time.UTC)

func getCandles(s *Server, in *call) (response, error) {
	var f candleFilter
	candleParameters.decode(in.query, &f)
	checkPeriod(in.query, f.From, f.To)
	cursor, err := s.openCursor(in, "candles")
	if err != nil {
		return response{}, err
	}
	end := f.page(cursor, in.now)
	// Read before the list is made: it may wait for the venue.
	candles, err := s.deps.Market.Candles(in.ctx, f.ReadCandles)
	if err != nil {
		return response{}, err
	}
	return in.reading.list(in.ctx, rowsOf(len(candles), false), func() ([]byte, int, error) {
		var next *persistence.PagePosition
		if f.To.Before(end) {
			next = &persistence.PagePosition{At: venues.At(f.To), ID: string(f.Timeframe)}
		}
		body := api.AppendPage(newBuffer(len(candles)), candles, api.AppendCandle, s.sealCursor(in, "candles", next, f.From, end))
		return body, len(candles), nil
	})
}

// page limits the period to one page, whose bounds are starts of candles, and returns the end
// of the whole period: to, by default now, of the first page. Without from, the page has the
// newest candles of the period.
func (f *candleFilter) page(c cursor, now time.Time) (end time.Time) {
	length := venues.Timeframes()[f.Timeframe]
	page := time.Duration(f.limit) * length
	end = f.To
	if end.IsZero() || end.After(now) {
		end = now
	}
	end = nextStart(end, length)
	switch {
	case c.ID != "":
		f.From, end = c.At, c.To
	case f.From.IsZero():
		f.From = end.Add(-page)
	case f.From.Before(candlesSince):
		f.From = nextStart(candlesSince, length)
	default:
		f.From = nextStart(f.From, length)
	}
	f.To = f.From.Add(page)
	if f.To.After(end) {
		f.To = end
	}
	return end
}

// nextStart returns the start of the first candle that begins at a time or later. Candles
// of a week begin on Monday, as multiples of a week since the zero time do.
func nextStart(at time.Time, length time.Duration) time.Time {
	start := at.UTC().Truncate(length)
	if start.Before(at) {
		start = start.Add(length)
	}
	return start
}
