package rest

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/cors"

	"venuegate/transport/api"
)

const (
	// corsPrefix begins the paths that pages of other origins may call.
	corsPrefix = "/v1/"
	// preflightSeconds is how long a browser may keep the answer to a preflight request.
	preflightSeconds = 600
	// originAny in Deps.CORSOrigins allows the pages of every origin.
	originAny = "*"
)

// useCORS answers preflight requests and sets the headers with which a browser lets a page
// of an allowed origin read a response. Credentials of the browser, such as cookies, are never
// allowed. Without origins, nothing is added.
func (s *Server) useCORS() {
	if len(s.deps.CORSOrigins) == 0 {
		return
	}
	origins := strings.Join(s.deps.CORSOrigins, ",")
	if slices.Contains(s.deps.CORSOrigins, originAny) {
		origins = originAny
	}
	s.app.Use(corsPrefix, cors.New(cors.Config{
		AllowOrigins: origins,
		AllowMethods: strings.Join([]string{http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodDelete}, ","),
		AllowHeaders: strings.Join([]string{fiber.HeaderAuthorization, fiber.HeaderContentType, headerRequestID, api.HeaderTraceparent}, ","),
		ExposeHeaders: strings.Join([]string{
			headerRequestID, fiber.HeaderRetryAfter, "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset",
		}, ","),
		MaxAge: preflightSeconds,
	}))
}

// allowsCORS reports whether a request is from a page that may make it.
func (s *Server) allowsCORS(c *fiber.Ctx) bool {
	origin := c.Get(fiber.HeaderOrigin)
	return origin != "" && strings.HasPrefix(c.Path(), corsPrefix) &&
		(slices.Contains(s.deps.CORSOrigins, origin) || slices.Contains(s.deps.CORSOrigins, originAny))
}
