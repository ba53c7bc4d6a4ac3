package recordapi

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofiber/fiber/v2"

	"venuegate/transport/api"
	"venuegate/transport/registry"
	"venuegate/venues"
)

// Handler serves a call on the records of a view.
type Handler func(s *Server, v *registry.View, c *fiber.Ctx) error

// Items is the body of every list.
type Items[T any] struct {
	Items []T `json:"items"`
}

// Create handles a POST that makes a record of a resource.
func Create[R, In, Out any](of func(*registry.View) R, do func(R, context.Context, In) (Out, error)) Handler {
	return post(http.StatusCreated, of, do)
}

// Act handles a POST that makes no record.
func Act[R, In, Out any](of func(*registry.View) R, do func(R, context.Context, In) (Out, error)) Handler {
	return post(http.StatusOK, of, do)
}

func post[R, In, Out any](status int, of func(*registry.View) R, do func(R, context.Context, In) (Out, error)) Handler {
	return func(s *Server, v *registry.View, c *fiber.Ctx) error {
		var in In
		if err := Decode(c, &in); err != nil {
			return err
		}
		return Answer(s, c, status, func(ctx context.Context) (Out, error) { return do(of(v), ctx, in) })
	}
}

// List handles a GET of all records of a view, or of those of the customer in the query.
func List[R, Out any](of func(*registry.View) R, do func(r R, ctx context.Context, customer string) ([]Out, error)) Handler {
	return ofCustomer(of, items(do))
}

// ofCustomer handles a GET of what a resource has of the customer of a view, or of the one in the
// query.
func ofCustomer[R, Out any](of func(*registry.View) R, do func(r R, ctx context.Context, customer string) (Out, error)) Handler {
	return func(s *Server, v *registry.View, c *fiber.Ctx) error {
		q := parseQuery(c, "customer")
		customer := text(q, "customer")
		if err := q.Err(); err != nil {
			return err
		}
		return Answer(s, c, http.StatusOK, func(ctx context.Context) (Out, error) { return do(of(v), ctx, customer) })
	}
}

// One handles a call on one record without a body.
func One[R, Out any](of func(*registry.View) R, do func(r R, ctx context.Context, id string) (Out, error)) Handler {
	return func(s *Server, v *registry.View, c *fiber.Ctx) error {
		return Answer(s, c, http.StatusOK, func(ctx context.Context) (Out, error) { return do(of(v), ctx, Param(c, "id")) })
	}
}

// Param returns a parameter of the path, decoded: clients encode more than they have to, such as
// the colon in the id of an account. What is not encoded correctly is returned as it is, and names
// no record.
func Param(c *fiber.Ctx, name string) string {
	text := c.Params(name)
	if decoded, err := url.PathUnescape(text); err == nil {
		return decoded
	}
	return text
}

// items puts a list into its body.
func items[R, In, Item any](do func(r R, ctx context.Context, in In) ([]Item, error)) func(R, context.Context, In) (Items[Item], error) {
	return func(r R, ctx context.Context, in In) (Items[Item], error) {
		list, err := do(r, ctx, in)
		return Items[Item]{list}, err
	}
}

// Change handles a call on one record with a body.
func Change[R, In, Out any](of func(*registry.View) R, do func(r R, ctx context.Context, id string, in In) (Out, error)) Handler {
	return func(s *Server, v *registry.View, c *fiber.Ctx) error {
		var in In
		if err := Decode(c, &in); err != nil {
			return err
		}
		return Answer(s, c, http.StatusOK, func(ctx context.Context) (Out, error) { return do(of(v), ctx, Param(c, "id"), in) })
	}
}

// Answer sends the result of do as JSON.
func Answer[Out any](s *Server, c *fiber.Ctx, status int, do func(context.Context) (Out, error)) error {
	ctx, cancel := context.WithTimeout(venues.WithOrigin(s.Context, venues.OriginOf(c.UserContext())), Timeout)
	defer cancel()
	out, err := do(ctx)
	if err != nil {
		return err
	}
	body, err := json.Marshal(out)
	if err != nil {
		return err
	}
	return send(c, status, body)
}

// Decode parses a body, which must be one JSON object whose members are known and
// unique.
func Decode(c *fiber.Ctx, into any) error {
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
