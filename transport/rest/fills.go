package rest

import (
	"time"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/venues"
)

// fillParameters are the parameters of GET /v1/fills.
var fillParameters = parameters[persistence.FillQuery]{
	{"exchange", func(q *api.Query, name string, f *persistence.FillQuery) { f.Exchange = q.Exchange(name) }},
	{"symbol", func(q *api.Query, name string, f *persistence.FillQuery) { f.Symbol = q.Symbol(name) }},
	{"orderId", func(q *api.Query, name string, f *persistence.FillQuery) { f.OrderID = q.Identifier(name) }},
	{"limit", func(q *api.Query, name string, f *persistence.FillQuery) {
		f.Limit = q.Limit(name, api.FillsLimitDefault, api.FillsLimitMax)
	}},
	{fromParameter, func(q *api.Query, name string, f *persistence.FillQuery) { f.From = q.Time(name) }},
	{"to", func(q *api.Query, name string, f *persistence.FillQuery) { f.To = q.Time(name) }},
}

func getFills(s *Server, in *call) (response, error) {
	query := persistence.FillQuery{Customer: in.principal.Customer}
	fillParameters.decode(in.query, &query)
	from, to := query.From, query.To
	checkPeriod(in.query, from, to)
	cursor, err := s.openCursor(in, "fills")
	if err != nil {
		return response{}, err
	}
	query.From, query.To = cursor.From, cursor.To
	if cursor.ID == "" {
		if query.From, query.To, err = fillsPeriod(from, to, in.now); err != nil {
			return response{}, err
		}
	}
	if err := s.requireConnected(in, query.Exchange); err != nil {
		return response{}, err
	}
	query.Symbol = s.canonical(query.Exchange, query.Symbol)
	query.After = cursor.position()
	skips := query.Exchange != "" || query.Symbol != "" || query.OrderID != ""
	return in.reading.list(in.ctx, rowsOf(query.Limit, skips), func() ([]byte, int, error) {
		page, err := s.deps.Records.Fills(in.ctx, query)
		if err != nil {
			return nil, rowsOf(0, skips), err
		}
		next := s.sealCursor(in, "fills", page.Next, query.From, query.To)
		return api.AppendPage(newBuffer(len(page.Items)), page.Items, appendFillRecord, next), rowsOf(len(page.Items), skips), nil
	})
}

func appendFillRecord(dst []byte, r *persistence.FillRecord) []byte {
	return api.AppendFill(dst, &r.Fill)
}

// fillsPeriod returns the period of a listing: to defaults to now, from to 31 days
// before to. It returns an error if the period is longer than that.
func fillsPeriod(from, to, now time.Time) (time.Time, time.Time, error) {
	const longest = api.FillsWindowDaysMax * 24 * time.Hour
	if to.IsZero() {
		to = now
	}
	if from.IsZero() {
		from = to.Add(-longest)
	}
	if to.Sub(from) > longest {
		return from, to, venues.InvalidFields(venues.FieldError{
			Field: fromParameter, Rule: api.RuleOutOfRange, Given: from.Format(venues.TimeFormat),
			Allowed: to.Add(-longest).Format(venues.TimeFormat) + " or later",
		}).With("maxDays", api.FillsWindowDaysMax)
	}
	return from, to, nil
}
