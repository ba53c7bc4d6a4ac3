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
	events, err := s.deps.Records.Events(in.ctx, in.principal.Customer, after, limit)
	if errors.Is(err, persistence.ErrNotFound) {
		q.Add("after", "unknown_value", after, "the id of an event of the last 30 days")
		return answer{}, q.Err()
	}
	if err != nil {
		return answer{}, err
	}
	return ok(api.AppendList(room(len(events)), events, appendEvent)), nil
}

func appendEvent(dst []byte, e *persistence.Event) []byte {
	return api.AppendEvent(dst, e.ID, string(e.Type), e.CreatedAt, e.Data)
}
