package admin

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofiber/fiber/v2"
	"go.uber.org/zap"

	"venuegate/persistence"
	"venuegate/transport/api"
)

// routeSignals are the calls on what takes signals and carries events.
func (s *Server) routeSignals(v1 fiber.Router) {
	r := s.Registry

	v1.Post("/hooks", create(s, r.CreateHook))
	v1.Get("/hooks", list(s, r.Hooks))
	v1.Get("/hooks/:id", one(s, r.Hook))
	v1.Patch("/hooks/:id", change(s, r.ChangeHook))
	v1.Delete("/hooks/:id", one(s, r.RemoveHook))
	v1.Post("/hooks/:id/rotate", change(s, r.RotateHook))
	v1.Post("/hooks/:id/test", s.fireHook)

	v1.Post("/endpoints", create(s, r.CreateEndpoint))
	v1.Get("/endpoints", list(s, r.Endpoints))
	v1.Get("/endpoints/:id", one(s, r.Endpoint))
	v1.Patch("/endpoints/:id", change(s, r.ChangeEndpoint))
	v1.Delete("/endpoints/:id", one(s, r.RemoveEndpoint))
	v1.Post("/endpoints/:id/rotate", change(s, r.RotateEndpoint))
	v1.Post("/endpoints/:id/test", one(s, r.TestEndpoint))
	v1.Post("/endpoints/:id/resend", change(s, r.Resend))
	v1.Get("/endpoints/:id/deliveries", s.deliveries)
	v1.Get("/endpoints/:id/files", one(s, func(ctx context.Context, id string) (Items[File], error) {
		files, err := r.EndpointFiles(ctx, id)
		return Items[File]{files}, err
	}))
	v1.Get("/endpoints/:id/files/:name", s.file)

	v1.Post("/alerts", create(s, r.CreateAlert))
	v1.Get("/alerts", list(s, r.Alerts))
	v1.Get("/alerts/:id", one(s, r.Alert))
	v1.Patch("/alerts/:id", change(s, r.ChangeAlert))
	v1.Delete("/alerts/:id", one(s, r.RemoveAlert))

	v1.Get("/journal", s.journal)
	v1.Get("/journal/export", s.export)
	v1.Get("/journal/verify", one(s, func(ctx context.Context, _ string) (Verified, error) { return r.VerifyJournal(ctx) }))
}

// fireHook takes the body as a sender would write it.
func (s *Server) fireHook(c *fiber.Ctx) error {
	id, body := c.Params("id"), bytes.Clone(c.Request().Body())
	return answer(s, c, http.StatusAccepted, func(ctx context.Context) (jsontext.Value, error) {
		return s.Registry.FireHook(ctx, id, body)
	})
}

func (s *Server) deliveries(c *fiber.Ctx) error {
	q := parseQuery(c, "status", "eventId", "limit", "cursor")
	id, f := c.Params("id"), DeliveryFilter{
		Status:  api.QueryOneOf(q, "status", "", persistence.DeliveryPending, persistence.DeliveryDelivered, persistence.DeliveryUndelivered),
		EventID: text(q, "eventId"), Limit: q.Limit("limit", pageDefault, pageMax), Cursor: text(q, "cursor"),
	}
	if err := q.Err(); err != nil {
		return err
	}
	return answer(s, c, http.StatusOK, func(ctx context.Context) (Page[Delivery], error) { return s.Registry.Deliveries(ctx, id, f) })
}

func (s *Server) journal(c *fiber.Ctx) error {
	q := parseQuery(c, append(filterMembers(), "limit", "cursor")...)
	f := filter(q)
	f.Limit, f.Cursor = q.Limit("limit", pageDefault, pageMax), text(q, "cursor")
	if err := q.Err(); err != nil {
		return err
	}
	return answer(s, c, http.StatusOK, func(ctx context.Context) (Page[Row], error) { return s.Registry.Journal(ctx, f) })
}

// media are the formats of an export.
var media = map[string]string{FormatLines: "application/jsonl", FormatCSV: "text/csv; charset=utf-8"}

func (s *Server) export(c *fiber.Ctx) error {
	q := parseQuery(c, append(filterMembers(), "format")...)
	f, format := filter(q), api.QueryOneOf(q, "format", FormatLines, FormatLines, FormatCSV)
	if err := q.Err(); err != nil {
		return err
	}
	if err := s.Registry.checkJournalOwner(s.calls, f.Customer); err != nil {
		return err
	}
	s.stream(c, media[format], func(w io.Writer) error {
		buffered := bufio.NewWriter(w)
		err := s.Registry.Export(s.calls, f, format, buffered)
		if err == nil {
			err = buffered.Flush()
		}
		if err != nil {
			s.Log.Warn("the export of a journal broke off", zap.Error(err))
		}
		return err
	})
	return nil
}

// parseQuery reads the query string of one call. A parameter that nobody knows is a
// fault: a misspelt filter would show too much.
func parseQuery(c *fiber.Ctx, known ...string) *api.Query {
	q := api.ParseQuery(string(c.Request().URI().QueryString()), known...)
	q.RefuseUnknown(known...)
	return q
}

// text is a parameter as it is; absent is empty.
func text(q *api.Query, name string) string {
	value, _ := q.Text(name)
	return value
}

func filterMembers() []string {
	return []string{"customer", "channel", "symbol", "kind", "result", "subject", "from", "to"}
}

func filter(q *api.Query) JournalFilter {
	return JournalFilter{
		Customer: text(q, "customer"), Channel: text(q, "channel"), Symbol: text(q, "symbol"), Kind: text(q, "kind"),
		Result: text(q, "result"), Subject: text(q, "subject"), From: q.Time("from"), To: q.Time("to"),
	}
}
