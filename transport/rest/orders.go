package rest

import (
	"errors"
	"net/http"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/venues"
)

func postOrder(s *Server, in *call) (answer, error) {
	o, err := api.DecodePlaceOrder(in.body)
	if err != nil {
		return answer{}, err
	}
	o.Command = in.command()
	o.Symbol = s.canonical(o.Exchange, o.Symbol)
	o.Scope, o.Source = persistence.ScopeREST, venues.SourceAPI
	order, err := s.deps.Trader.Place(in.ctx, o)
	if err != nil {
		return answer{}, err
	}
	return placed(&order), nil
}

// placed tells an order that the venue has acknowledged from one of which that
// is not known.
func placed(o *venues.Order) answer {
	a := answer{status: http.StatusCreated, body: api.AppendOrder(room(1), o)}
	if o.Status == venues.StatusPending || o.Status == venues.StatusUnknown {
		a.status = http.StatusAccepted
	}
	return a
}

func getOrder(s *Server, in *call) (answer, error) {
	record, err := s.deps.Records.Order(in.ctx, in.principal.Customer, in.id)
	if errors.Is(err, persistence.ErrNotFound) {
		return answer{}, venues.Errorf(venues.CodeNotFound, "no order %s", in.id)
	}
	if err != nil {
		return answer{}, err
	}
	return ok(api.AppendOrder(room(1), &record.Order)), nil
}

func getOrders(s *Server, in *call) (answer, error) {
	q := in.query
	query := persistence.OrderQuery{
		Customer:  in.principal.Customer,
		View:      api.QueryOneOf(q, "status", persistence.OrdersOpen, persistence.OrdersOpen, persistence.OrdersClosed, persistence.OrdersAll),
		Exchange:  q.Exchange("exchange"),
		Symbol:    q.Symbol("symbol"),
		RequestID: q.RequestID("requestId"),
		From:      q.Time("from"),
		To:        q.Time("to"),
		Limit:     q.Limit("limit", api.OrdersLimitDefault, api.OrdersLimitMax),
	}
	checkSpan(q, query.From, query.To)
	cursor, err := s.openCursor(in, "orders")
	if err != nil {
		return answer{}, err
	}
	if err := s.requireConnected(in, query.Exchange); err != nil {
		return answer{}, err
	}
	query.Symbol = s.canonical(query.Exchange, query.Symbol)
	query.After = cursor.position()
	page, err := s.deps.Records.Orders(in.ctx, query)
	if err != nil {
		return answer{}, err
	}
	next := s.sealCursor(in, "orders", page.Next, query.From, query.To)
	return ok(api.AppendPage(room(len(page.Items)), page.Items, appendOrderRecord, next)), nil
}

func appendOrderRecord(dst []byte, r *persistence.OrderRecord) []byte {
	return api.AppendOrder(dst, &r.Order)
}

func patchOrder(s *Server, in *call) (answer, error) {
	a, err := api.DecodeAmendOrder(in.body)
	if err != nil {
		return answer{}, err
	}
	a.Command, a.OrderID = in.command(), in.id
	order, err := s.deps.Trader.Amend(in.ctx, a)
	if err != nil {
		return answer{}, err
	}
	return ok(api.AppendOrder(room(1), &order)), nil
}

func deleteOrder(s *Server, in *call) (answer, error) {
	order, err := s.deps.Trader.Cancel(in.ctx, venues.CancelOrder{Command: in.command(), OrderID: in.id})
	if err != nil {
		return answer{}, err
	}
	return ok(api.AppendOrder(room(1), &order)), nil
}

func deleteOrders(s *Server, in *call) (answer, error) {
	c, err := cancelFilters(in)
	if err != nil {
		return answer{}, err
	}
	c.Command = in.command()
	c.Symbol = s.canonical(c.Exchange, c.Symbol)
	results, err := s.deps.Trader.CancelAll(in.ctx, c)
	if err != nil {
		return answer{}, err
	}
	return ok(api.AppendList(room(len(results)), results, api.AppendCancelResult)), nil
}

// cancelFilters takes the filters from the query, or from the body if the query
// has none. Both at once is refused: to pick one would cancel what the other
// left out.
func cancelFilters(in *call) (venues.CancelOrders, error) {
	c, given, err := api.ParseCancelOrders(in.rawQuery)
	if err != nil || len(in.body) == 0 {
		return c, err
	}
	if given {
		return venues.CancelOrders{}, api.Fault("body", api.RuleNotApplicable, "", "filters in the query or in the body, not in both")
	}
	return api.DecodeCancelOrders(in.body)
}
