package admin

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofiber/fiber/v2"
	"go.uber.org/zap"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/venues"
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
	q := query{Ctx: c}
	id, f := c.Params("id"), DeliveryFilter{
		Status: persistence.DeliveryStatus(c.Query("status")), EventID: c.Query("eventId"), Limit: q.count("limit"), Cursor: c.Query("cursor"),
	}
	statuses := []persistence.DeliveryStatus{"", persistence.DeliveryPending, persistence.DeliveryDelivered, persistence.DeliveryUndelivered}
	if !slices.Contains(statuses, f.Status) {
		q.fault("status", api.RuleUnknownValue, string(f.Status), "pending, delivered, undelivered")
	}
	if err := q.check("status", "eventId", "limit", "cursor"); err != nil {
		return err
	}
	return answer(s, c, http.StatusOK, func(ctx context.Context) (Page[Delivery], error) { return s.Registry.Deliveries(ctx, id, f) })
}

func (s *Server) journal(c *fiber.Ctx) error {
	q := query{Ctx: c}
	f := q.filter()
	f.Limit, f.Cursor = q.count("limit"), c.Query("cursor")
	if err := q.check(append(filterMembers, "limit", "cursor")...); err != nil {
		return err
	}
	return answer(s, c, http.StatusOK, func(ctx context.Context) (Page[Row], error) { return s.Registry.Journal(ctx, f) })
}

// export streams. A failure on the way breaks the connection, so that a part
// does not look whole.
func (s *Server) export(c *fiber.Ctx) error {
	q := query{Ctx: c}
	f, format := q.filter(), c.Query("format", FormatLines)
	media, known := map[string]string{FormatLines: "application/jsonl", FormatCSV: "text/csv; charset=utf-8"}[format]
	if !known {
		q.fault("format", api.RuleUnknownValue, format, "jsonl, csv")
	}
	if err := q.check(append(filterMembers, "format")...); err != nil {
		return err
	}
	if err := s.Registry.checkJournalOwner(s.calls, f.Customer); err != nil {
		return err
	}
	reader, writer := io.Pipe()
	// It ends with the export, or when the server closes the reader because the
	// client has gone.
	go func() {
		buffered := bufio.NewWriter(writer)
		err := s.Registry.Export(s.calls, f, format, buffered)
		if err == nil {
			err = buffered.Flush()
		}
		if err != nil {
			s.Log.Warn("the export of a journal broke off", zap.Error(err))
		}
		writer.CloseWithError(err)
	}()
	c.Set(fiber.HeaderContentType, media)
	c.Context().SetBodyStream(reader, -1)
	return nil
}

// query reads the query string of one call and collects what is wrong with it.
type query struct {
	*fiber.Ctx
	faults []venues.FieldFault
}

var filterMembers = []string{"customer", "channel", "symbol", "kind", "result", "subject", "from", "to"}

func (q *query) filter() JournalFilter {
	return JournalFilter{
		Customer: q.Query("customer"), Channel: q.Query("channel"), Symbol: q.Query("symbol"), Kind: q.Query("kind"),
		Result: q.Query("result"), Subject: q.Query("subject"), From: q.moment("from"), To: q.moment("to"),
	}
}

func (q *query) fault(name, rule, given, allowed string) {
	q.faults = append(q.faults, venues.FieldFault{Field: name, Rule: rule, Given: given, Allowed: allowed})
}

func (q *query) moment(name string) time.Time {
	text := q.Query(name)
	if text == "" {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		q.fault(name, api.RuleNotATime, text, "such as 2026-01-31T12:00:00Z")
	}
	return at
}

func (q *query) count(name string) int {
	text := q.Query(name)
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil || n <= 0 {
		q.fault(name, api.RuleOutOfRange, text, "1 to "+strconv.Itoa(pageMax))
	}
	return n
}

// check answers with what is wrong, a parameter that nobody knows included.
func (q *query) check(known ...string) error {
	for name := range q.Queries() {
		if !slices.Contains(known, name) {
			q.faults = append(q.faults, venues.FieldFault{Field: name, Rule: api.RuleUnknownName, Allowed: strings.Join(known, ", ")})
		}
	}
	if len(q.faults) == 0 {
		return nil
	}
	return venues.InvalidFields(q.faults...)
}
