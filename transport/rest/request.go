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

// call is one request, copied out of the buffers of the server.
type call struct {
	ctx       context.Context
	now       time.Time
	deadline  time.Time
	principal auth.Principal
	// reading is set for reads.
	reading  *read
	id       string
	rawQuery string
	query    *api.Query
	body     []byte
}

// command returns the header of a command for this call.
func (in *call) command() venues.Command {
	return venues.Command{
		ID:       persistence.NewID("cmd", in.now, rand.Reader),
		Customer: in.principal.Customer,
		Deadline: in.deadline,
		Origin:   venues.OriginOf(in.ctx),
	}
}

// placement is command for a call that places an order.
func (in *call) placement() venues.Command {
	c := in.command()
	c.Hops = venues.NewHops(in.now)
	c.Hops.End(venues.HopAuthenticated, time.Now())
	return c
}

// response is what a handler returns.
type response struct {
	status int
	body   []byte
	// mediaType defaults to JSON.
	mediaType string
	// unsent is set for lists: the read ends when the body is sent.
	unsent *read
}

// recordBytes is the encoded size that most records do not exceed.
const recordBytes = 768

// newBuffer returns an empty buffer that rarely has to grow for that many records.
func newBuffer(records int) []byte { return make([]byte, 0, recordBytes*max(records, 1)) }

func ok(body []byte) response { return response{status: http.StatusOK, body: body} }

// serve returns the handler of a route for the router.
func (s *Server) serve(r Route) fiber.Handler {
	return func(c *fiber.Ctx) error {
		out, err := s.respond(c, &r, c.Context().Time())
		if err != nil {
			return err
		}
		return send(c, out)
	}
}

func send(c *fiber.Ctx, out response) error {
	if out.mediaType == "" {
		out.mediaType = mediaJSON
	}
	c.Response().Header.SetContentType(out.mediaType)
	c.Status(out.status)
	if out.unsent != nil {
		return c.SendStream(out.unsent.body(out.body, c.Context().Conn()), len(out.body))
	}
	return c.Send(out.body)
}

// respond authorizes a request and calls the handler of its route.
func (s *Server) respond(c *fiber.Ctx, r *Route, now time.Time) (out response, err error) {
	ctx, cancel := context.WithDeadline(c.UserContext(), now.Add(requestWait))
	defer cancel()
	in := call{ctx: ctx, now: now, deadline: now.Add(requestWait)}
	if !r.Public {
		principal, err := s.authorize(c, r, &in)
		if err != nil {
			return response{}, err
		}
		in.principal = principal
	}
	if err := in.read(c, r); err != nil {
		return response{}, err
	}
	if r.Rate == auth.Reading {
		if in.reading, err = s.reads.begin(in.principal.KeyID); err != nil {
			return response{}, err
		}
		defer func() {
			if out.unsent == nil {
				in.reading.end()
			}
		}()
		out, err = r.handle(s, &in)
		return out, readError(err)
	}
	return r.handle(s, &in)
}

// authorize checks key, rate and scope, in this order: a request that fails
// authentication does not count against the rate limit of a key, one that lacks a
// scope does.
func (s *Server) authorize(c *fiber.Ctx, r *Route, in *call) (auth.Principal, error) {
	principal, err := s.deps.Auth.Authenticate(in.ctx, auth.Bearer(c.Get(fiber.HeaderAuthorization)), s.source(c))
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
		e := venues.Errorf(venues.CodeRateLimited, "more than %d requests of class %s in %d s", d.Limit, r.Rate.Name, api.Seconds(api.RateWindow)).
			With("limit", d.Limit).With("scope", venues.LimitOfKey)
		e.RetryAfter = d.Reset
		return auth.Principal{}, e
	}
	return principal, principal.Require(r.Scope)
}

// read copies what the handler needs out of the request.
func (in *call) read(c *fiber.Ctx, r *Route) error {
	in.id = c.Params("id")
	if strings.HasSuffix(r.Path, ":id") && !api.ValidIdentifier(in.id) {
		return venues.Errorf(venues.CodeNotFound, "no such id")
	}
	in.rawQuery = string(c.Request().URI().QueryString())
	in.query = api.ParseQuery(in.rawQuery, r.Query...)
	if r.Method == http.MethodGet {
		return nil // the body of a GET has no meaning
	}
	in.body = bytes.Clone(c.Request().Body())
	if len(in.body) == 0 {
		return nil
	}
	return api.CheckMedia(c.Get(fiber.HeaderContentType, mediaJSON), c.Get(fiber.HeaderContentEncoding), mediaJSON)
}
