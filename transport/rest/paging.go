package rest

import (
	"slices"
	"time"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/venues"
)

// cursor of a request; zero on the first page.
type cursor struct{ api.Cursor }

func (c cursor) position() *persistence.Position {
	if c.ID == "" {
		return nil
	}
	return &persistence.Position{At: venues.At(c.At), ID: c.ID}
}

// openCursor reads the parameter cursor, together with every other fault of the
// query. A cursor is good for the customer and the list that it was made for,
// under the same filters.
func (s *Server) openCursor(in *call, list string) (cursor, error) {
	if err := in.query.Err(); err != nil {
		return cursor{}, err
	}
	text, given := in.query.Text("cursor")
	if !given {
		return cursor{}, nil
	}
	opened, err := s.cursors.Open(text, in.binding(list)...)
	return cursor{opened}, err
}

// sealCursor makes the cursor of the next page; empty if there is none.
func (s *Server) sealCursor(in *call, list string, next *persistence.Position, from, to time.Time) string {
	if next == nil {
		return ""
	}
	return s.cursors.Seal(api.Cursor{At: next.At.Time, ID: next.ID, From: from, To: to}, in.binding(list)...)
}

func (in *call) binding(list string) []string {
	return slices.Concat([]string{list, in.principal.Customer}, in.query.Filters())
}

// checkSpan notes a period that ends before it begins.
func checkSpan(q *api.Query, from, to time.Time) {
	if !from.IsZero() && !to.IsZero() && !from.Before(to) {
		q.Add("from", "out_of_range", from.Format(venues.TimeFormat), "before to")
	}
}

// requireConnected is nil if the customer has an account at the exchange, or
// none was asked for.
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
