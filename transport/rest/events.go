package rest

import (
	"errors"

	"venuegate/persistence"
	"venuegate/transport/api"
)

func getEvents(s *Server, in *call) (answer, error) {
	q := in.query
	after := q.Identifier("after")
	limit := q.Limit("limit", api.EventsLimitDefault, api.EventsLimitMax)
	if err := q.Err(); err != nil {
		return answer{}, err
	}
	events, err := s.publicEvents(in, after, limit)
	if errors.Is(err, persistence.ErrNotFound) {
		q.Add("after", "unknown_value", after, "the id of an event of the last 30 days")
		return answer{}, q.Err()
	}
	if err != nil {
		return answer{}, err
	}
	return ok(api.AppendList(room(len(events)), events, appendEvent)), nil
}

// publicEvents leaves out what is for messaging channels alone.
func (s *Server) publicEvents(in *call, after string, limit int) ([]persistence.Event, error) {
	var public []persistence.Event
	for {
		events, err := s.deps.Records.Events(in.ctx, in.principal.Customer, after, limit)
		if err != nil {
			return nil, err
		}
		for _, e := range events {
			if e.Type != persistence.EventNotification && len(public) < limit {
				public = append(public, e)
			}
		}
		if len(events) < limit || len(public) == limit {
			return public, nil
		}
		after = events[len(events)-1].ID
	}
}

func appendEvent(dst []byte, e *persistence.Event) []byte {
	return api.AppendEvent(dst, e.ID, string(e.Type), e.CreatedAt, e.Data)
}
