package rest

import (
	"errors"
	"strconv"

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
	cursor, err := s.openCursor(in, "events")
	if err != nil {
		return response{}, err
	}
	page := eventPage{limit: f.limit}
	if cursor.ID != "" {
		if page.last, err = strconv.ParseUint(cursor.ID, 10, 64); err != nil {
			return response{}, err // sealCursor has written it
		}
	}
	out, err := in.reading.list(in.ctx, rowsOf(f.limit, true), func() ([]byte, int, error) {
		more, err := s.readEvents(in, f.after, &page)
		if err != nil {
			return nil, page.rows(), err
		}
		var next *persistence.PagePosition
		if more {
			next = &persistence.PagePosition{ID: strconv.FormatUint(page.last, 10)}
		}
		body := api.AppendPage(newBuffer(len(page.public)), page.public, appendEvent, s.sealCursor(in, "events", next, cursor.From, cursor.To))
		return body, page.rows(), nil
	})
	if errors.Is(err, persistence.ErrNotFound) {
		in.query.Add(afterParameter, api.RuleUnknownValue, f.after, "the id of an event of the last 30 days")
		return response{}, in.query.Err()
	}
	return out, err
}

// eventPage is one page of events without notifications, which are for messaging channels
// only.
type eventPage struct {
	limit  int
	public []persistence.Event
	// last is the sequence of the last event before the next page, zero before the first.
	last uint64
	// read is the number of events that were read, notifications too.
	read int
}

// rows returns the cost of the page in rows.
func (p *eventPage) rows() int {
	return len(p.public) + (p.read-len(p.public))*filterRows/persistence.ScanRowsMax
}

// readEvents reads a page: the events after the last one of the page before, or after that
// with the id after on the first page. It scans at most persistence.ScanRowsMax events, and
// reports whether there are more.
func (s *Server) readEvents(in *call, after string, page *eventPage) (more bool, err error) {
	batch := page.limit + 1 // suffices if there are no notifications
	for scanned := 0; ; batch = min(persistence.PageSizeMax, persistence.ScanRowsMax+1-scanned) {
		var events []persistence.Event
		if page.last == 0 {
			events, err = s.deps.Records.Events(in.ctx, in.principal.Customer, after, batch)
		} else {
			events, err = s.deps.Records.EventsSince(in.ctx, in.principal.Customer, page.last, batch)
		}
		if err != nil {
			return false, err
		}
		page.read += len(events)
		for _, e := range events {
			if len(page.public) == page.limit || scanned == persistence.ScanRowsMax {
				return true, nil
			}
			scanned++
			if page.last = e.Seq; e.Type.IsPublic() {
				page.public = append(page.public, e)
			}
		}
		if len(events) < batch {
			return false, nil
		}
	}
}

func appendEvent(dst []byte, e *persistence.Event) []byte {
	return api.AppendEvent(dst, e.ID, string(e.Type), e.CreatedAt, e.Data)
}
