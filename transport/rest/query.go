package rest

import (
	"slices"
	"time"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/venues"
)

// parameter describes one parameter of a query string that is decoded into a T.
type parameter[T any] struct {
	name string
	// read stores the value of the parameter, or its default, in the target.
	read func(q *api.Query, name string, target *T)
}

// parameters describes the query string of one route: the one place where its
// parameters are named. Errors are reported in this order.
type parameters[T any] []parameter[T]

func (p parameters[T]) names() []string {
	names := make([]string, len(p))
	for i := range p {
		names[i] = p[i].name
	}
	return names
}

// decode reads every parameter into target; q holds the errors.
func (p parameters[T]) decode(q *api.Query, target *T) {
	for i := range p {
		p[i].read(q, p[i].name, target)
	}
}

// cursorParameter is read by Server.openCursor, after the other parameters.
const cursorParameter = "cursor"

// cursor is the cursor of a request, zero on the first page.
type cursor struct{ api.Cursor }

func (c cursor) position() *persistence.PagePosition {
	if c.ID == "" {
		return nil
	}
	return &persistence.PagePosition{At: venues.At(c.At), ID: c.ID}
}

// openCursor returns the errors of the query, or else the cursor in it. A cursor is
// valid for the customer and the list that it was made for, with the same filters.
func (s *Server) openCursor(in *call, list string) (cursor, error) {
	if err := in.query.Err(); err != nil {
		return cursor{}, err
	}
	text, given := in.query.Text(cursorParameter)
	if !given {
		return cursor{}, nil
	}
	opened, err := s.cursors.Open(text, in.cursorFilters(list)...)
	return cursor{opened}, err
}

// sealCursor returns the cursor of the next page, or "" if there is none.
func (s *Server) sealCursor(in *call, list string, next *persistence.PagePosition, from, to time.Time) string {
	if next == nil {
		return ""
	}
	return s.cursors.Seal(api.Cursor{At: next.At.Time, ID: next.ID, From: from, To: to}, in.cursorFilters(list)...)
}

// cursorFilters returns what a cursor is bound to.
func (in *call) cursorFilters(list string) []string {
	return slices.Concat([]string{list, in.principal.Customer}, in.query.Filters())
}

// fromParameter is the start of a period.
const fromParameter = "from"

// checkPeriod records an error for a period that ends before it begins.
func checkPeriod(q *api.Query, from, to time.Time) {
	if !from.IsZero() && !to.IsZero() && !from.Before(to) {
		q.Add(fromParameter, api.RuleOutOfRange, from.Format(venues.TimeFormat), "before to")
	}
}

// requireConnected returns an error if the customer has no account at the requested
// exchange. An empty exchange is no error.
func (s *Server) requireConnected(in *call, exchange venues.Venue) error {
	if exchange == "" {
		return nil
	}
	accounts, err := s.deps.Records.VenueAccounts(in.ctx, in.principal.Customer)
	if err != nil {
		return err
	}
	for _, a := range accounts {
		if a.Exchange == exchange {
			return nil
		}
	}
	return notConnected(exchange)
}

func notConnected(exchange venues.Venue) *venues.Error {
	return venues.Errorf(venues.CodeNotFound, "%s is not connected", exchange).With("exchange", string(exchange))
}
