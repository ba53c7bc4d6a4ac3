package rest

import (
	"errors"

	"venuegate/persistence"
	"venuegate/transport/api"
)

// eventFilter is the query of GET /v1/events.
type eventFilter struct {
	after string
	limit int
}

const afterParameter = "after"

var eventParameters = parameters[eventFilter]{
	{afterParameter, func(q *api.Query, name string, f *eventFilter) { f.after = q.Identifier(name) }},
	{"limit", func(q *api.Query, name string, f *eventFilter) {
		f.limit = q.Limit(name, api.EventsLimitDefault, api.EventsLimitMax)
	}},
}

func getEvents(s *Server, in *call) (response, error) {
	var f eventFilter
	eventParameters.decode(in.query, &f)
	if err := in.query.Err(); err != nil {
		return response{}, err
	}
	out, err := in.reading.list(in.ctx, f.limit, false, func() ([]byte, int, error) {
		events, rows, err := s.publicEvents(in, f.after, f.limit)
		return api.AppendList(newBuffer(len(events)), events, appendEvent), rows, err
	})
	if errors.Is(err, persistence.ErrNotFound) {
		in.query.Add(afterParameter, api.RuleUnknownValue, f.after, "the id of an event of the last 30 days")
		return response{}, in.query.Err()
	}
	return out, err
}

// publicEvents returns up to limit events after the given one, without notifications,
// which are for messaging channels only, and the number of rows that it has read.
func (s *Server) publicEvents(in *call, after string, limit int) (public []persistence.Event, rows int, err error) {
	for {
		events, err := s.deps.Records.Events(in.ctx, in.principal.Customer, after, limit)
		if err != nil {
			return nil, rows, err
		}
		rows += len(events)
		for _, e := range events {
			if e.Type.IsPublic() && len(public) < limit {
				public = append(public, e)
			}
		}
		if len(events) < limit || len(public) == limit {
			return public, rows, nil
		}
		after = events[len(events)-1].ID
	}
}

func appendEvent(dst []byte, e *persistence.Event) []byte {
	return api.AppendEvent(dst, e.ID, string(e.Type), e.CreatedAt, e.Data)
}
