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
	"venuegate/transport/listen"
	"venuegate/venues"
)

// Items is the wrapper of every list.
type Items[T any] struct {
	Items []T `json:"items"`
}

// create answers a POST that makes something.
func create[In, Out any](s *Server, do func(context.Context, In) (Out, error)) fiber.Handler {
	return func(c *fiber.Ctx) error {
		var in In
		if err := decode(c, &in); err != nil {
			return err
		}
		return answer(s, c, http.StatusCreated, func(ctx context.Context) (Out, error) { return do(ctx, in) })
	}
}

// list answers a GET of many, of one customer where the query names it.
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

// one answers a call on one record without a body.
func one[Out any](s *Server, do func(ctx context.Context, id string) (Out, error)) fiber.Handler {
	return func(c *fiber.Ctx) error {
		return answer(s, c, http.StatusOK, func(ctx context.Context) (Out, error) { return do(ctx, c.Params("id")) })
	}
}

// change answers a PATCH of one record.
func change[In, Out any](s *Server, do func(ctx context.Context, id string, in In) (Out, error)) fiber.Handler {
	return func(c *fiber.Ctx) error {
		var in In
		if err := decode(c, &in); err != nil {
			return err
		}
		return answer(s, c, http.StatusOK, func(ctx context.Context) (Out, error) { return do(ctx, c.Params("id"), in) })
	}
}

func answer[Out any](s *Server, c *fiber.Ctx, status int, do func(context.Context) (Out, error)) error {
	ctx, cancel := context.WithTimeout(s.calls, callTimeout)
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

// decode reads a body strictly: one JSON object, every member known and given
// once.
func decode(c *fiber.Ctx, into any) error {
	if err := api.CheckMedia(c.Get(fiber.HeaderContentType), c.Get(fiber.HeaderContentEncoding), api.MediaJSON); err != nil {
		return err
	}
	err := json.Unmarshal(c.Request().Body(), into, json.RejectUnknownMembers(true))
	if err == nil {
		return nil
	}
	// The value is not repeated: it may be a secret.
	fault := venues.FieldFault{Field: "body", Rule: api.RuleMalformed, Allowed: "one JSON object"}
	if e, ok := errors.AsType[*json.SemanticError](err); ok {
		fault = venues.FieldFault{Field: fieldName(e.JSONPointer), Rule: api.RuleWrongType}
		if errors.Is(e, json.ErrUnknownName) {
			fault.Rule = api.RuleUnknownName
		}
	} else if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok && e.JSONPointer != "" {
		fault.Field = fieldName(e.JSONPointer)
	}
	return venues.InvalidFields(fault)
}

func fieldName(pointer jsontext.Pointer) string {
	name := strings.ReplaceAll(strings.TrimPrefix(string(pointer), "/"), "/", ".")
	if name == "" {
		return "body"
	}
	return name
}

// authorize lets bearers of the token pass. Hashes are compared, so that time
// tells neither content nor length.
func (s *Server) authorize(c *fiber.Ctx) error {
	given, _ := strings.CutPrefix(c.Get(fiber.HeaderAuthorization), "Bearer ")
	have, want := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(s.Token.Reveal()))
	if subtle.ConstantTimeCompare(have[:], want[:]) != 1 {
		c.Set(fiber.HeaderWWWAuthenticate, "Bearer")
		return venues.Errorf(venues.CodeUnauthorized, "the administration token is missing or wrong; see admin.token in the data directory")
	}
	return c.Next()
}

// answerError writes the envelope. What is our own fault is logged here, once.
func (s *Server) answerError(c *fiber.Ctx, err error) error {
	if errors.Is(err, fiber.ErrRequestEntityTooLarge) {
		listen.Drain(c.Context().Conn())
	}
	shown := s.shown(err)
	if shown.Code == venues.CodeInternal {
		s.Log.Error("administration call failed", zap.String("method", c.Method()), zap.String("path", c.Path()), zap.Error(err))
	}
	if after := api.RetryAfter(shown); after != "" {
		c.Set(fiber.HeaderRetryAfter, after)
	}
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSONCharsetUTF8)
	id := c.GetRespHeader(fiber.HeaderXRequestID)
	if id == "" {
		// The request was refused before it reached any route.
		id = newRequestID()
		c.Set(fiber.HeaderXRequestID, id)
	}
	return c.Status(api.Status(shown.Code)).Send(api.AppendError(nil, shown, id))
}

// shown is what a caller may see of an error.
func (s *Server) shown(err error) *venues.Error {
	if e, ok := errors.AsType[*venues.Error](err); ok {
		return e
	}
	if e, ok := errors.AsType[*fiber.Error](err); ok {
		if e.Code == fiber.StatusRequestEntityTooLarge {
			return api.TooLarge(bodyBytesMax)
		}
		if e.Code < fiber.StatusInternalServerError {
			return venues.Errorf(venues.CodeNotFound, "there is no such call")
		}
	}
	switch {
	case errors.Is(err, persistence.ErrNotFound):
		return venues.Errorf(venues.CodeNotFound, "there is no such record")
	case errors.Is(err, persistence.ErrUnavailable), errors.Is(err, context.DeadlineExceeded):
		return venues.Errorf(venues.CodeMaintenance, "the service cannot do this now")
	default:
		return venues.Errorf(venues.CodeInternal, "the call failed; the log says why")
	}
}
