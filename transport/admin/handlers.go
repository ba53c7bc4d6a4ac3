package admin

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofiber/fiber/v2"
	"go.uber.org/zap"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/transport/auth"
	"venuegate/transport/listen"
	"venuegate/venues"
)

// Items is the body of every list.
type Items[T any] struct {
	Items []T `json:"items"`
}

// create handles a POST that makes a record.
func create[In, Out any](s *Server, do func(context.Context, In) (Out, error)) fiber.Handler {
	return func(c *fiber.Ctx) error {
		var in In
		if err := decode(c, &in); err != nil {
			return err
		}
		return answer(s, c, http.StatusCreated, func(ctx context.Context) (Out, error) { return do(ctx, in) })
	}
}

// list handles a GET of the records of all customers, or of the one in the query.
func list[Out any](s *Server, do func(ctx context.Context, customer string) ([]Out, error)) fiber.Handler {
	return func(c *fiber.Ctx) error {
		q := parseQuery(c, "customer")
		customer := text(q, "customer")
		if err := q.Err(); err != nil {
			return err
		}
		return answer(s, c, http.StatusOK, func(ctx context.Context) (Items[Out], error) {
			items, err := do(ctx, customer)
			return Items[Out]{items}, err
		})
	}
}

// one handles a call on one record without a body.
func one[Out any](s *Server, do func(ctx context.Context, id string) (Out, error)) fiber.Handler {
	return func(c *fiber.Ctx) error {
		return answer(s, c, http.StatusOK, func(ctx context.Context) (Out, error) { return do(ctx, c.Params("id")) })
	}
}

// items puts a list of one record into its body.
func items[Item any](do func(ctx context.Context, id string) ([]Item, error)) func(context.Context, string) (Items[Item], error) {
	return func(ctx context.Context, id string) (Items[Item], error) {
		list, err := do(ctx, id)
		return Items[Item]{list}, err
	}
}

// change handles a call on one record with a body.
func change[In, Out any](s *Server, do func(ctx context.Context, id string, in In) (Out, error)) fiber.Handler {
	return func(c *fiber.Ctx) error {
		var in In
		if err := decode(c, &in); err != nil {
			return err
		}
		return answer(s, c, http.StatusOK, func(ctx context.Context) (Out, error) { return do(ctx, c.Params("id"), in) })
	}
}

// answer sends the result of do as JSON.
func answer[Out any](s *Server, c *fiber.Ctx, status int, do func(context.Context) (Out, error)) error {
	ctx, cancel := context.WithTimeout(venues.WithOrigin(s.calls, venues.OriginOf(c.UserContext())), callTimeout)
	defer cancel()
	out, err := do(ctx)
	if err != nil {
		return err
	}
	body, err := json.Marshal(out)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSONCharsetUTF8)
	return c.Status(status).Send(body)
}

// decode parses a body, which must be one JSON object whose members are known and
// unique.
func decode(c *fiber.Ctx, into any) error {
	if err := api.CheckMedia(c.Get(fiber.HeaderContentType), c.Get(fiber.HeaderContentEncoding), api.MediaJSON); err != nil {
		return err
	}
	err := json.Unmarshal(c.Request().Body(), into, json.RejectUnknownMembers(true))
	if err == nil {
		return nil
	}
	// The value is not repeated: it may be a secret.
	invalid := venues.FieldError{Field: "body", Rule: api.RuleMalformed, Allowed: "one JSON object"}
	if e, ok := errors.AsType[*json.SemanticError](err); ok {
		invalid = venues.FieldError{Field: fieldName(e.JSONPointer), Rule: api.RuleWrongType}
		if errors.Is(e, json.ErrUnknownName) {
			invalid.Rule = api.RuleUnknownName
		}
	} else if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok && e.JSONPointer != "" {
		invalid.Field = fieldName(e.JSONPointer)
	}
	return venues.InvalidFields(invalid)
}

func fieldName(pointer jsontext.Pointer) string {
	name := strings.ReplaceAll(strings.TrimPrefix(string(pointer), "/"), "/", ".")
	if name == "" {
		return "body"
	}
	return name
}

// authorize rejects calls without the token. It compares hashes, so that the time
// reveals neither content nor length.
func (s *Server) authorize(c *fiber.Ctx) error {
	have, want := sha256.Sum256([]byte(auth.Bearer(c.Get(fiber.HeaderAuthorization)))), sha256.Sum256([]byte(s.Token.Reveal()))
	if subtle.ConstantTimeCompare(have[:], want[:]) != 1 {
		c.Set(fiber.HeaderWWWAuthenticate, "Bearer")
		return venues.Errorf(venues.CodeUnauthorized, "the administration token is missing or wrong; see admin.token in the data directory")
	}
	return c.Next()
}

// answerError sends the error envelope. Internal errors are logged here, once.
func (s *Server) answerError(c *fiber.Ctx, err error) error {
	if errors.Is(err, fiber.ErrRequestEntityTooLarge) {
		listen.Drain(c.Context().Conn())
	}
	public := publicError(err)
	if public.Code == venues.CodeInternal {
		s.Log.Error("administration call failed", zap.String("request_id", c.GetRespHeader(fiber.HeaderXRequestID)),
			zap.String("method", c.Method()), zap.String("path", c.Path()), zap.Error(err))
	}
	if after := api.RetryAfter(public); after != "" {
		c.Set(fiber.HeaderRetryAfter, after)
	}
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSONCharsetUTF8)
	id := c.GetRespHeader(fiber.HeaderXRequestID)
	if id == "" {
		// The request was rejected before it reached a route.
		id = newRequestID()
		c.Set(fiber.HeaderXRequestID, id)
	}
	status := api.Status(public.Code)
	if rejected, ok := errors.AsType[*listen.RequestError](err); ok {
		status = rejected.Status
	}
	return c.Status(status).Send(api.AppendError(nil, public, id))
}

// publicError returns the error for the caller, which hides internal ones.
func publicError(err error) *venues.Error {
	if e, ok := errors.AsType[*venues.Error](err); ok {
		return e
	}
	if e, ok := errors.AsType[*fiber.Error](err); ok {
		return httpError(e)
	}
	if rejected, ok := errors.AsType[*listen.RequestError](err); ok {
		return api.RequestRejected(rejected.Status, rejected.Message)
	}
	switch {
	case errors.Is(err, persistence.ErrNotFound):
		return venues.Errorf(venues.CodeNotFound, "there is no such record")
	case errors.Is(err, persistence.ErrDiskFull):
		return venues.DiskFull(nil)
	case errors.Is(err, persistence.ErrUnavailable), errors.Is(err, context.DeadlineExceeded):
		return venues.Errorf(venues.CodeMaintenance, "the service cannot do this now")
	default:
		return venues.Errorf(venues.CodeInternal, "the call failed; see the log")
	}
}

// httpError returns the error for a request that the router or the parser rejected.
func httpError(e *fiber.Error) *venues.Error {
	switch e.Code {
	case fiber.StatusRequestEntityTooLarge:
		return api.TooLarge(bodyBytesMax)
	case fiber.StatusNotFound, fiber.StatusMethodNotAllowed:
		return venues.Errorf(venues.CodeNotFound, "there is no such path")
	default:
		return venues.Errorf(venues.CodeInvalidRequest, "the request is not valid HTTP")
	}
}
