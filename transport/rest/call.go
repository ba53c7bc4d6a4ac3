package rest

import (
	"bytes"
	"context"
	"crypto/rand"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/transport/auth"
	"venuegate/venues"
)

// call is one request, copied out of the server's buffers.
type call struct {
	ctx       context.Context
	now       time.Time
	deadline  time.Time
	principal auth.Principal
	id        string
	rawQuery  string
	query     *api.Query
	body      []byte
}

// command is the head of a command of this call.
func (in *call) command() venues.Command {
	return venues.Command{
		ID:       persistence.NewID("cmd", in.now, rand.Reader),
		Customer: in.principal.Customer,
		Deadline: in.deadline,
	}
}

// answer is what a handler gives back.
type answer struct {
	status int
	body   []byte
	// mediaType and policy are JSON and policyNone unless set.
	mediaType string
	policy    string
}

// recordBytes is what most records take.
const recordBytes = 768

// room is a buffer that seldom has to grow.
func room(records int) []byte { return make([]byte, 0, recordBytes*max(records, 1)) }

func ok(body []byte) answer { return answer{status: http.StatusOK, body: body} }

// serve is the way of every request of the route through guard and handler.
func (s *Server) serve(r Route) fiber.Handler {
	return func(c *fiber.Ctx) error {
		a, err := s.answer(c, &r, time.Now())
		if err != nil {
			return err
		}
		return send(c, a)
	}
}

func send(c *fiber.Ctx, a answer) error {
	if a.policy != "" {
		c.Set(fiber.HeaderContentSecurityPolicy, a.policy)
	}
	if a.mediaType == "" {
		a.mediaType = mediaJSON
	}
	c.Set(fiber.HeaderContentType, a.mediaType)
	return c.Status(a.status).Send(a.body)
}

func (s *Server) answer(c *fiber.Ctx, r *Route, now time.Time) (answer, error) {
	ctx, cancel := context.WithDeadline(c.UserContext(), now.Add(requestWait))
	defer cancel()
	in := call{ctx: ctx, now: now, deadline: now.Add(requestWait)}
	if !r.Public {
		principal, err := s.admit(c, r, &in)
		if err != nil {
			return answer{}, err
		}
		in.principal = principal
	}
	if err := in.take(c, r); err != nil {
		return answer{}, err
	}
	return r.handle(s, &in)
}

// admit checks key, rate and scope, in this order: a request that fails
// authentication spends nobody's allowance, one that lacks a scope spends its
// own.
func (s *Server) admit(c *fiber.Ctx, r *Route, in *call) (auth.Principal, error) {
	principal, err := s.deps.Auth.Authenticate(in.ctx, bearer(c.Get(fiber.HeaderAuthorization)), Source(c))
	if err != nil {
		return auth.Principal{}, err
	}
	d, err := s.deps.Limiter.Take(in.ctx, principal.KeyID, r.Rate, in.now)
	if err != nil {
		return auth.Principal{}, err
	}
	c.Set("RateLimit-Limit", strconv.Itoa(d.Limit))
	c.Set("RateLimit-Remaining", strconv.Itoa(d.Remaining))
	c.Set("RateLimit-Reset", strconv.FormatInt(api.Seconds(d.Reset), 10))
	if !d.Allowed {
		e := venues.Errorf(venues.CodeRateLimited, "more than %d requests of class %s in %d s", d.Limit, r.Rate.Name, api.Seconds(api.RateWindow))
		e.RetryAfter = d.Reset
		return auth.Principal{}, e
	}
	return principal, principal.Require(r.Scope)
}

// bearer is the key of an Authorization header; empty if there is none.
func bearer(header string) string {
	scheme, key, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(key)
}

// take copies what the handler will read.
func (in *call) take(c *fiber.Ctx, r *Route) error {
	in.id = c.Params("id")
	if strings.HasSuffix(r.Path, ":id") && !api.ValidIdentifier(in.id) {
		return venues.Errorf(venues.CodeNotFound, "no such id")
	}
	in.rawQuery = string(c.Request().URI().QueryString())
	in.query = api.ParseQuery(in.rawQuery, r.Query...)
	if r.Method == http.MethodGet {
		return nil // a body has no meaning there
	}
	in.body = bytes.Clone(c.Request().Body())
	if len(in.body) == 0 {
		return nil
	}
	return api.CheckMedia(c.Get(fiber.HeaderContentType, mediaJSON), c.Get(fiber.HeaderContentEncoding), mediaJSON)
}
