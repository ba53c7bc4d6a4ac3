package rest

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"go.uber.org/zap"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/transport/listen"
	"venuegate/venues"
)

const (
	headerRequestID = "X-Request-Id"
	mediaJSON       = api.MediaJSON
	// policyNone is for answers that are data: a browser loads and runs nothing.
	policyNone = "default-src 'none'; frame-ancestors 'none'"
)

// routeNone stands for all paths that are no route.
const routeNone = "none"

// edge is around every request of the server: it gives it an id and the headers
// of every answer, has errors answered, and lets the answer be observed.
func (s *Server) edge(c *fiber.Ctx) error {
	began := time.Now()
	dress(c)
	if err := s.route(c); err != nil {
		if err := s.fail(c, err); err != nil {
			return err
		}
	}
	if s.deps.Observe != nil {
		route := routeNone
		if i := slices.IndexFunc(s.routes, func(r Route) bool { return r.Path == c.Route().Path }); i >= 0 {
			route = s.routes[i].Path
		}
		s.deps.Observe(c.Method(), route, c.Response().StatusCode(), time.Since(began))
	}
	return nil
}

// route has a handler answer. It refuses framing that a proxy may read otherwise,
// and turns a panic into an error.
func (s *Server) route(c *fiber.Ctx) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	if err := checkFraming(c); err != nil {
		c.Context().SetConnectionClose()
		return err
	}
	s.settleSource(c)
	return c.Next()
}

// dress sets the headers of every answer and returns its request id.
func dress(c *fiber.Ctx) (requestID string) {
	if id := c.GetRespHeader(headerRequestID); id != "" {
		return id
	}
	requestID = persistence.NewID("req", time.Now(), rand.Reader)
	c.Set(headerRequestID, requestID)
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	c.Set(fiber.HeaderReferrerPolicy, "no-referrer")
	c.Set(fiber.HeaderContentSecurityPolicy, policyNone)
	c.Set("Cross-Origin-Resource-Policy", "same-origin")
	if c.Secure() {
		c.Set(fiber.HeaderStrictTransportSecurity, "max-age=31536000")
	}
	return requestID
}

// errLengthRequired is answered 411: no other status says what is wrong.
var errLengthRequired = venues.Errorf(venues.CodeInvalidRequest,
	"Transfer-Encoding is not accepted; send the body with a Content-Length")

// checkFraming refuses what two parsers can understand differently: any
// Transfer-Encoding, folded header lines, other versions of HTTP.
func checkFraming(c *fiber.Ctx) error {
	raw := c.Request().Header.RawHeaders()
	if bytes.Contains(raw, []byte("\n ")) || bytes.Contains(raw, []byte("\n\t")) {
		return venues.Errorf(venues.CodeInvalidRequest, "folded header lines are not accepted")
	}
	if c.Request().Header.ContentLength() == -1 || hasHeader(raw, "transfer-encoding") {
		return errLengthRequired
	}
	if version := string(c.Request().Header.Protocol()); version != "HTTP/1.1" && version != "HTTP/1.0" {
		return venues.Errorf(venues.CodeInvalidRequest, "the protocol must be HTTP/1.1")
	}
	return nil
}

// hasHeader looks at the raw lines: the parser drops what it thinks harmless.
func hasHeader(raw []byte, name string) bool {
	for line := range bytes.Lines(raw) {
		key, _, _ := bytes.Cut(line, []byte(":"))
		if bytes.EqualFold(bytes.TrimSpace(key), []byte(name)) {
			return true
		}
	}
	return false
}

// fail is the one place where an error becomes an answer. It is called by the
// router for errors of handlers and for requests that the parser refused.
func (s *Server) fail(c *fiber.Ctx, err error) error {
	id := dress(c)
	if errors.Is(err, fiber.ErrRequestEntityTooLarge) {
		listen.Drain(c.Context().Conn())
		err = tooLarge(c.Path())
	}
	e, status := explain(err)
	s.log(c, id, status, err)
	if e.Code == venues.CodeUnauthorized {
		c.Set(fiber.HeaderWWWAuthenticate, "Bearer")
	}
	if after := api.RetryAfter(e); after != "" {
		c.Set(fiber.HeaderRetryAfter, after)
	}
	c.Set(fiber.HeaderContentSecurityPolicy, policyNone)
	c.Set(fiber.HeaderContentType, mediaJSON)
	return c.Status(status).Send(api.AppendError(room(1), e, id))
}

// tooLarge names the limit of the path: that of the parser is the largest of all.
func tooLarge(path string) error {
	if strings.HasPrefix(path, api.HooksPath) {
		return api.TooLarge(api.HookBodyBytesMax)
	}
	return api.TooLarge(api.RESTBodyBytesMax)
}

// storeRetry is the Retry-After while the store cannot serve.
const storeRetry = 2 * time.Second

func explain(err error) (*venues.Error, int) {
	if errors.Is(err, errLengthRequired) {
		return errLengthRequired, http.StatusLengthRequired
	}
	if e, ok := errors.AsType[*venues.Error](err); ok {
		return e, api.Status(e.Code)
	}
	e := &venues.Error{Code: venues.CodeInternal, Message: "an internal error; it has been recorded under the requestId"}
	if refused, ok := errors.AsType[*fiber.Error](err); ok {
		e = explainRefusal(refused)
	}
	switch {
	case errors.Is(err, persistence.ErrNotFound):
		e = venues.Errorf(venues.CodeNotFound, "not found")
	case errors.Is(err, persistence.ErrUnavailable):
		e = venues.Errorf(venues.CodeMaintenance, "the service cannot read its records now")
		e.RetryAfter = storeRetry
	case errors.Is(err, context.DeadlineExceeded):
		e.Message = "no answer in time; if this was an order it may exist: ask for it under its requestId"
	}
	return e, api.Status(e.Code)
}

// explainRefusal speaks for the router and the parser. Their own texts may hold
// parts of the request, so they are not repeated.
func explainRefusal(refused *fiber.Error) *venues.Error {
	switch refused.Code {
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return venues.Errorf(venues.CodeNotFound, "no such path, or not with this method; /docs lists them")
	case http.StatusRequestHeaderFieldsTooLarge:
		return venues.Errorf(venues.CodeInvalidRequest, "request line and headers are larger than %d bytes", headerBytesMax).
			With("limit", headerBytesMax)
	case http.StatusRequestTimeout:
		return venues.Errorf(venues.CodeInvalidRequest, "the request did not arrive in time")
	default:
		return venues.Errorf(venues.CodeInvalidRequest, "the request is not valid HTTP")
	}
}

// log notes what is not the client's doing: failures inside, and venues or
// stores that do not answer.
func (s *Server) log(c *fiber.Ctx, requestID string, status int, err error) {
	if status < http.StatusInternalServerError {
		return
	}
	fields := []zap.Field{
		zap.String("request_id", requestID), zap.String("method", c.Method()), zap.String("route", c.Route().Path),
		zap.Int("status", status), zap.Error(err),
	}
	if status == http.StatusInternalServerError {
		s.deps.Log.Error("request failed", fields...)
	} else {
		s.deps.Log.Warn("request not served", fields...)
	}
}
