package rest

import (
	"errors"
	"net/http"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/venues"
)

func postOrder(s *Server, in *call) (response, error) {
	o, err := api.DecodePlaceOrder(in.body)
	if err != nil {
		return response{}, err
	}
	o.Command = in.placement()
	s.complete(&o, in)
	order, err := s.deps.Trader.Place(in.ctx, o)
	if err != nil {
		return response{}, err
	}
	return orderResponse(&order), nil
}

// complete sets what the body of an order does not have.
func (s *Server) complete(o *venues.PlaceOrder, in *call) {
	o.Symbol = s.canonical(o.Exchange, o.Symbol)
	o.Scope, o.Source = persistence.ScopeREST, in.principal.Source
}

func postOrderCheck(s *Server, in *call) (response, error) {
	o, faults, err := api.DecodeOrderCheck(in.body)
	if err != nil {
		return response{}, err
	}
	check := venues.OrderCheck{Faults: faults}
	if len(faults) == 0 {
		o.Command = in.command()
		s.complete(&o, in)
		if check, err = s.deps.Trader.CheckOrder(in.ctx, o); err != nil {
			return response{}, err
		}
	}
	return ok(api.AppendOrderCheck(newBuffer(1), &check)), nil
}

// orderResponse returns 201 for an order that the venue has acknowledged, and 202 if
// that is not known yet.
func orderResponse(o *venues.Order) response {
	out := response{status: http.StatusCreated, body: api.AppendOrder(newBuffer(1), o)}
	if o.Status == venues.StatusPending || o.Status == venues.StatusUnknown {
		out.status = http.StatusAccepted
	}
	return out
}

func getOrder(s *Server, in *call) (response, error) {
	record, err := s.deps.Records.Order(in.ctx, in.principal.Customer, in.id)
	if errors.Is(err, persistence.ErrNotFound) {
		return response{}, venues.Errorf(venues.CodeNotFound, "no order %s", in.id)
	}
	if err != nil {
		return response{}, err
	}
	return ok(api.AppendOrder(newBuffer(1), &record.Order)), nil
}

// orderParameters are the parameters of GET /v1/orders.
var orderParameters = parameters[persistence.OrderQuery]{
	{"status", func(q *api.Query, name string, o *persistence.OrderQuery) {
		o.View = api.QueryOneOf(q, name, persistence.OrdersOpen, persistence.OrdersOpen, persistence.OrdersClosed, persistence.OrdersAll)
	}},
	{"exchange", func(q *api.Query, name string, o *persistence.OrderQuery) { o.Exchange = q.Exchange(name) }},
	{"symbol", func(q *api.Query, name string, o *persistence.OrderQuery) { o.Symbol = q.Symbol(name) }},
	{"requestId", func(q *api.Query, name string, o *persistence.OrderQuery) { o.RequestID = q.RequestID(name) }},
	{"source", func(q *api.Query, name string, o *persistence.OrderQuery) {
		o.Source = api.QueryOneOf(q, name, "", venues.Sources()...)
	}},
	{"channelId", func(q *api.Query, name string, o *persistence.OrderQuery) { o.ChannelID = q.Identifier(name) }},
	{fromParameter, func(q *api.Query, name string, o *persistence.OrderQuery) { o.From = q.Time(name) }},
	{"to", func(q *api.Query, name string, o *persistence.OrderQuery) { o.To = q.Time(name) }},
	{"limit", func(q *api.Query, name string, o *persistence.OrderQuery) {
		o.Limit = q.Limit(name, api.OrdersLimitDefault, api.OrdersLimitMax)
	}},
}

func getOrders(s *Server, in *call) (response, error) {
	query := persistence.OrderQuery{Customer: in.principal.Customer}
	orderParameters.decode(in.query, &query)
	checkPeriod(in.query, query.From, query.To)
	cursor, err := s.openCursor(in, "orders")
	if err != nil {
		return response{}, err
	}
	if err := s.requireConnected(in, query.Exchange); err != nil {
		return response{}, err
	}
	query.Symbol = s.canonical(query.Exchange, query.Symbol)
	query.After = cursor.position()
	skips := query.View != persistence.OrdersOpen && query.RequestID == "" &&
		(query.Exchange != "" || query.Symbol != "" || query.View == persistence.OrdersClosed || query.ByOrigin())
	return in.reading.list(in.ctx, rowsOf(query.Limit, skips), func() ([]byte, int, error) {
		page, err := s.deps.Records.Orders(in.ctx, query)
		if err != nil {
			return nil, rowsOf(0, skips), err
		}
		next := s.sealCursor(in, "orders", page.Next, query.From, query.To)
		return api.AppendPage(newBuffer(len(page.Items)), page.Items, appendOrderRecord, next), rowsOf(len(page.Items), skips), nil
	})
}

func appendOrderRecord(dst []byte, r *persistence.OrderRecord) []byte {
	return api.AppendOrder(dst, &r.Order)
}

func patchOrder(s *Server, in *call) (response, error) {
	a, err := api.DecodeAmendOrder(in.body)
	if err != nil {
		return response{}, err
	}
	a.Command, a.OrderID = in.command(), in.id
	order, err := s.deps.Trader.Amend(in.ctx, a)
	if err != nil {
		return response{}, err
	}
	return ok(api.AppendOrder(newBuffer(1), &order)), nil
}

func deleteOrder(s *Server, in *call) (response, error) {
	order, err := s.deps.Trader.Cancel(in.ctx, venues.CancelOrder{Command: in.command(), OrderID: in.id})
	if err != nil {
		return response{}, err
	}
	return ok(api.AppendOrder(newBuffer(1), &order)), nil
}

func deleteOrders(s *Server, in *call) (response, error) {
	c, err := readCancelFilters(in)
	if err != nil {
		return response{}, err
	}
	c.Command = in.command()
	c.Symbol = s.canonical(c.Exchange, c.Symbol)
	results, err := s.deps.Trader.CancelAll(in.ctx, c)
	if err != nil {
		return response{}, err
	}
	return ok(api.AppendList(newBuffer(len(results)), results, api.AppendCancelResult)), nil
}

// readCancelFilters returns the filters from the query, or from the body if the query
// has none. Both at once are an error: choosing one would cancel orders that the
// other excludes.
func readCancelFilters(in *call) (venues.CancelOrders, error) {
	c, given, err := api.ParseCancelOrders(in.rawQuery)
	if err != nil || len(in.body) == 0 {
		return c, err
	}
	if given {
		return venues.CancelOrders{}, api.FieldError("body", api.RuleNotApplicable, "", "filters in the query or in the body, not in both")
	}
	return api.DecodeCancelOrders(in.body)
}
