package recordapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofiber/fiber/v2"
	"go.uber.org/zap"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/transport/registry"
)

// Route is a call with its path, which begins after the prefix of the edge.
type Route struct {
	Method string
	Path   string
	Handle Handler
}

// The resources of a view.
func keys(v *registry.View) *registry.Keys             { return v.Keys }
func users(v *registry.View) *registry.Users           { return v.Users }
func accounts(v *registry.View) *registry.Accounts     { return v.Accounts }
func hooks(v *registry.View) *registry.Hooks           { return v.Hooks }
func endpoints(v *registry.View) *registry.Endpoints   { return v.Endpoints }
func deliveries(v *registry.View) *registry.Deliveries { return v.Deliveries }
func files(v *registry.View) *registry.Files           { return v.Files }
func alerts(v *registry.View) *registry.Alerts         { return v.Alerts }
func signals(v *registry.View) *registry.Signals       { return v.Signals }
func overviews(v *registry.View) *registry.Overviews   { return v.Overviews }
func latencies(v *registry.View) *registry.Latencies   { return v.Latencies }

// Records returns the calls on the records of a view.
func Records() []Route {
	return []Route{
		{http.MethodGet, "/overview", ofCustomer(overviews, (*registry.Overviews).Get)},

		{http.MethodPost, "/keys", Create(keys, (*registry.Keys).Create)},
		{http.MethodGet, "/keys", List(keys, (*registry.Keys).List)},
		{http.MethodGet, "/keys/:id", One(keys, (*registry.Keys).Get)},
		{http.MethodPatch, "/keys/:id", Change(keys, (*registry.Keys).Change)},
		{http.MethodDelete, "/keys/:id", One(keys, (*registry.Keys).Revoke)},
		{http.MethodPost, "/keys/:id/rotate", Change(keys, (*registry.Keys).Rotate)},

		{http.MethodPost, "/users", Create(users, (*registry.Users).Create)},
		{http.MethodGet, "/users", List(users, (*registry.Users).List)},
		{http.MethodGet, "/users/:id", One(users, (*registry.Users).Get)},
		{http.MethodPatch, "/users/:id", Change(users, (*registry.Users).Change)},
		{http.MethodDelete, "/users/:id", One(users, (*registry.Users).Disable)},
		{http.MethodPost, "/users/:id/invite", Change(users, (*registry.Users).Invite)},

		{http.MethodPost, "/accounts", Create(accounts, (*registry.Accounts).Connect)},
		{http.MethodGet, "/accounts", List(accounts, (*registry.Accounts).List)},
		{http.MethodGet, "/accounts/:id", One(accounts, (*registry.Accounts).Get)},
		{http.MethodPatch, "/accounts/:id", Change(accounts, (*registry.Accounts).Change)},
		{http.MethodDelete, "/accounts/:id", One(accounts, (*registry.Accounts).Disconnect)},
		{http.MethodPost, "/accounts/:id/halt", Change(accounts, (*registry.Accounts).Halt)},
		{http.MethodPost, "/accounts/:id/resume", One(accounts, (*registry.Accounts).Resume)},
		{http.MethodPost, "/accounts/:id/unlock", One(accounts, (*registry.Accounts).Unlock)},
		{http.MethodGet, "/accounts/:id/risk", One(accounts, (*registry.Accounts).Risk)},
		{http.MethodPost, "/accounts/examine", Act(accounts, items((*registry.Accounts).Examine))},
		{http.MethodPost, "/halt", haltAll},
		{http.MethodPost, "/accounts/:id/check", One(accounts, items((*registry.Accounts).Check))},

		{http.MethodPost, "/hooks", Create(hooks, (*registry.Hooks).Create)},
		{http.MethodGet, "/hooks", List(hooks, (*registry.Hooks).List)},
		{http.MethodGet, "/hooks/:id", One(hooks, (*registry.Hooks).Get)},
		{http.MethodPatch, "/hooks/:id", changeTagged(hooks, (*registry.Hooks).Change, func(in *registry.HookChange, check func(registry.Hook) error) { in.Check = check })},
		{http.MethodDelete, "/hooks/:id", One(hooks, (*registry.Hooks).Remove)},
		{http.MethodPost, "/hooks/:id/rotate", Change(hooks, (*registry.Hooks).Rotate)},
		{http.MethodPost, "/hooks/:id/address", One(hooks, (*registry.Hooks).Address)},
		{http.MethodGet, "/hooks/:id/stats", One(hooks, (*registry.Hooks).Stats)},
		{http.MethodPost, "/hooks/:id/test", testHook},
		{http.MethodPost, "/hooks/:id/fire", fireHook},

		{http.MethodPost, "/endpoints", Create(endpoints, (*registry.Endpoints).Create)},
		{http.MethodGet, "/endpoints", List(endpoints, (*registry.Endpoints).List)},
		{http.MethodGet, "/endpoints/:id", One(endpoints, (*registry.Endpoints).Get)},
		{http.MethodPatch, "/endpoints/:id", changeTagged(endpoints, (*registry.Endpoints).Change, func(in *registry.EndpointChange, check func(registry.Endpoint) error) { in.Check = check })},
		{http.MethodDelete, "/endpoints/:id", One(endpoints, (*registry.Endpoints).Remove)},
		{http.MethodPost, "/endpoints/examine", Act(endpoints, items((*registry.Endpoints).Examine))},
		{http.MethodPost, "/endpoints/:id/rotate", Change(endpoints, (*registry.Endpoints).Rotate)},
		{http.MethodPost, "/endpoints/:id/test", One(endpoints, (*registry.Endpoints).Test)},
		{http.MethodPost, "/endpoints/:id/resend", Change(deliveries, (*registry.Deliveries).Resend)},
		{http.MethodGet, "/endpoints/:id/stats", One(deliveries, (*registry.Deliveries).Stats)},
		{http.MethodGet, "/endpoints/:id/deliveries", listDeliveries},
		{http.MethodGet, "/endpoints/:id/deliveries/:event", getDelivery},
		{http.MethodGet, "/endpoints/:id/deliveries/:event/attempts", listAttempts},
		{http.MethodGet, "/endpoints/:id/files", One(files, items((*registry.Files).List))},
		{http.MethodGet, "/endpoints/:id/files/:name", sendFile},

		{http.MethodPost, "/telegram/chats", Act(endpoints, (*registry.Endpoints).Chats)},

		{http.MethodGet, "/deliveries", listDeliveries},

		{http.MethodPost, "/alerts", Create(alerts, (*registry.Alerts).Create)},
		{http.MethodGet, "/alerts", List(alerts, (*registry.Alerts).List)},
		{http.MethodGet, "/alerts/:id", One(alerts, (*registry.Alerts).Get)},
		{http.MethodPatch, "/alerts/:id", Change(alerts, (*registry.Alerts).Change)},
		{http.MethodDelete, "/alerts/:id", One(alerts, (*registry.Alerts).Remove)},

		{http.MethodGet, "/signals", listSignals},
		{http.MethodGet, "/signals/:id", One(signals, (*registry.Signals).Get)},
		{http.MethodPost, "/signals/:id/test", One(signals, (*registry.Signals).Test)},

		{http.MethodGet, "/journal", listJournal},
		{http.MethodGet, "/journal/export", exportJournal},
		{http.MethodGet, "/latency", ofCustomer(latencies, (*registry.Latencies).Report)},
		{http.MethodGet, "/latency/:id", One(latencies, (*registry.Latencies).Order)},

		{http.MethodGet, "/trades", listTrades},
		{http.MethodGet, "/trades/export", exportTrades},
	}
}

// haltAll halts all accounts of a customer.
func haltAll(s *Server, v *registry.View, c *fiber.Ctx) error {
	return Act(accounts, items(func(a *registry.Accounts, ctx context.Context, order registry.CustomerHalt) ([]registry.HaltResult, error) {
		results, err := a.HaltAll(ctx, order)
		for i := range results {
			if r := &results[i]; r.Err != nil {
				public := publicError(r.Err)
				r.Error = &registry.HaltError{Code: public.Code, Message: public.Message}
				s.Log.Error("halt failed", zap.String("account", r.Account), zap.Error(r.Err))
			}
		}
		return results, err
	}))(s, v, c)
}

// testHook answers what the channel would do with the body as a signal.
func testHook(s *Server, v *registry.View, c *fiber.Ctx) error {
	id, body := Param(c, "id"), bytes.Clone(c.Request().Body())
	return Answer(s, c, http.StatusOK, func(ctx context.Context) (registry.SignalTest, error) {
		return v.Hooks.Test(ctx, id, body)
	})
}

// fireHook executes the body as a signal of the channel.
func fireHook(s *Server, v *registry.View, c *fiber.Ctx) error {
	id, body := Param(c, "id"), bytes.Clone(c.Request().Body())
	return Answer(s, c, http.StatusAccepted, func(ctx context.Context) (jsontext.Value, error) {
		return v.Hooks.Fire(ctx, id, body)
	})
}

func listSignals(s *Server, v *registry.View, c *fiber.Ctx) error {
	q := parseQuery(c, "customer", "channel", "symbol", "status", "reason", "text", "from", "to", "limit", "cursor")
	f := registry.SignalFilter{
		Customer: text(q, "customer"), Channel: text(q, "channel"), Symbol: text(q, "symbol"), Reason: text(q, "reason"), Text: text(q, "text"),
		Status: api.QueryOneOf(q, "status", "", persistence.SignalStatuses()...), From: q.Time("from"), To: q.Time("to"),
		Limit: q.Limit("limit", registry.PageDefault, registry.PageMax), Cursor: text(q, "cursor"),
	}
	if err := q.Err(); err != nil {
		return err
	}
	return Answer(s, c, http.StatusOK, func(ctx context.Context) (registry.Page[registry.Signal], error) { return v.Signals.List(ctx, f) })
}

func listJournal(s *Server, v *registry.View, c *fiber.Ctx) error {
	q := parseQuery(c, append(filterNames(), "limit", "cursor")...)
	f := journalFilter(q)
	f.Limit, f.Cursor = q.Limit("limit", registry.PageDefault, registry.PageMax), text(q, "cursor")
	if err := q.Err(); err != nil {
		return err
	}
	return Answer(s, c, http.StatusOK, func(ctx context.Context) (registry.Page[registry.Row], error) { return v.Journal.List(ctx, f) })
}

// parseQuery parses the query string of a call. An unknown parameter is an error: a
// misspelt filter would list too much.
func parseQuery(c *fiber.Ctx, known ...string) *api.Query {
	q := api.ParseQuery(string(c.Request().URI().QueryString()), known...)
	q.RejectUnknown()
	return q
}

// text returns a parameter unchanged; an absent one is empty.
func text(q *api.Query, name string) string {
	value, _ := q.Text(name)
	return value
}

func filterNames() []string {
	return []string{"customer", "channel", "symbol", "kind", "result", "subject", "text", "from", "to"}
}

// journalFilter returns the filter in a query.
func journalFilter(q *api.Query) registry.JournalFilter {
	return registry.JournalFilter{
		Customer: text(q, "customer"), Channel: text(q, "channel"), Symbol: text(q, "symbol"), Kind: text(q, "kind"),
		Result: text(q, "result"), Subject: text(q, "subject"), Text: text(q, "text"), From: q.Time("from"), To: q.Time("to"),
	}
}

// exportMedia are the media types of the formats of an export.
var exportMedia = map[string]string{registry.FormatLines: "application/jsonl", registry.FormatCSV: "text/csv; charset=utf-8"}

func exportJournal(s *Server, v *registry.View, c *fiber.Ctx) error {
	q := parseQuery(c, append(filterNames(), "format")...)
	f, format := journalFilter(q), api.QueryOneOf(q, "format", registry.FormatLines, registry.FormatLines, registry.FormatCSV)
	if err := q.Err(); err != nil {
		return err
	}
	write, err := v.Journal.Export(s.Context, f, format)
	if err != nil {
		return err
	}
	s.streamRows(c, exportMedia[format], write)
	return nil
}

func listTrades(s *Server, v *registry.View, c *fiber.Ctx) error {
	q := parseQuery(c, append(tradeNames(), "limit", "cursor")...)
	trades, page := tradeQuery(q), pageRequest(q)
	if err := q.Err(); err != nil {
		return err
	}
	return Answer(s, c, http.StatusOK, func(ctx context.Context) (registry.TradePage, error) { return v.Trades.List(ctx, trades, page) })
}

func exportTrades(s *Server, v *registry.View, c *fiber.Ctx) error {
	q := parseQuery(c, tradeNames()...)
	trades := tradeQuery(q)
	if err := q.Err(); err != nil {
		return err
	}
	write, err := v.Trades.Export(s.Context, trades)
	if err != nil {
		return err
	}
	s.streamRows(c, exportMedia[registry.FormatLines], write)
	return nil
}

func tradeNames() []string { return []string{"customer", "exchange", "symbol", "from", "to"} }

func tradeQuery(q *api.Query) registry.TradeQuery {
	return registry.TradeQuery{
		Customer: text(q, "customer"), Exchange: q.Exchange("exchange"), Symbol: q.Symbol("symbol"), From: q.Time("from"), To: q.Time("to"),
	}
}

// mediaWorkbook is the type of an .xlsx file.
const mediaWorkbook = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

// file sends a file of an endpoint.
func sendFile(s *Server, v *registry.View, c *fiber.Ctx) error {
	ctx, cancel := context.WithTimeout(s.Context, Timeout)
	defer cancel()
	name := Param(c, "name")
	file, err := v.Files.Open(ctx, Param(c, "id"), name)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return errors.Join(err, file.Close())
	}
	c.Set(fiber.HeaderContentType, mediaWorkbook)
	c.Set(fiber.HeaderContentDisposition, fmt.Sprintf("attachment; filename=%q", name)) // no name needs escaping
	c.Context().SetBodyStream(file, int(info.Size()))                                   // which closes it
	return nil
}
