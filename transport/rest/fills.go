package rest

import (
	"time"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/venues"
)

func getFills(s *Server, in *call) (answer, error) {
	q := in.query
	query := persistence.FillQuery{
		Customer: in.principal.Customer,
		Exchange: q.Exchange("exchange"),
		Symbol:   q.Symbol("symbol"),
		OrderID:  q.Identifier("orderId"),
		Limit:    q.Limit("limit", api.FillsLimitDefault, api.FillsLimitMax),
	}
	from, to := q.Time("from"), q.Time("to")
	checkSpan(q, from, to)
	cursor, err := s.openCursor(in, "fills")
	if err != nil {
		return answer{}, err
	}
	query.From, query.To = cursor.From, cursor.To
	if cursor.ID == "" {
		if query.From, query.To, err = fillsWindow(from, to, in.now); err != nil {
			return answer{}, err
		}
	}
	if err := s.requireConnected(in, query.Exchange); err != nil {
		return answer{}, err
	}
	query.Symbol = s.canonical(query.Exchange, query.Symbol)
	query.After = cursor.position()
	page, err := s.deps.Records.Fills(in.ctx, query)
	if err != nil {
		return answer{}, err
	}
	next := s.sealCursor(in, "fills", page.Next, query.From, query.To)
	return ok(api.AppendPage(room(len(page.Items)), page.Items, appendFillRecord, next)), nil
}

func appendFillRecord(dst []byte, r *persistence.FillRecord) []byte {
	return api.AppendFill(dst, &r.Fill)
}

// fillsWindow settles the period: to is now unless given, from 31 days before
// to.
func fillsWindow(from, to, now time.Time) (time.Time, time.Time, error) {
	const widest = api.FillsWindowDaysMax * 24 * time.Hour
	if to.IsZero() {
		to = now
	}
	if from.IsZero() {
		from = to.Add(-widest)
	}
	if to.Sub(from) > widest {
		return from, to, venues.InvalidFields(venues.FieldFault{
			Field: "from", Rule: "out_of_range", Given: from.Format(venues.TimeFormat),
			Allowed: to.Add(-widest).Format(venues.TimeFormat) + " or later",
		}).With("maxDays", api.FillsWindowDaysMax)
	}
	return from, to, nil
}
