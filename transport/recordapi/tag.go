package recordapi

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/gofiber/fiber/v2"

	"venuegate/transport/registry"
	"venuegate/venues"
)

// tagBytes of a SHA-256 distinguish the bodies of one address.
const tagBytes = 16

// send answers with a JSON body. The body of a GET has an entity tag, and one that the caller
// has already is not sent again.
func send(c *fiber.Ctx, status int, body []byte) error {
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSONCharsetUTF8)
	if method := c.Method(); status != http.StatusOK || method != http.MethodGet && method != http.MethodHead {
		return c.Status(status).Send(body)
	}
	tag := tagOf(body)
	c.Set(fiber.HeaderETag, tag)
	if hasTag(c.Get(fiber.HeaderIfNoneMatch), tag) {
		c.Status(http.StatusNotModified)
		return nil
	}
	return c.Status(status).Send(body)
}

// tagOf returns the entity tag of a body (RFC 9110, 8.8.3).
func tagOf(body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:tagBytes]) + `"`
}

// changeTagged is Change for records that several users edit: a request with If-Match is rejected
// with 412 unless a GET of the record would have that tag now. check sets what a change calls with
// the record as it is.
func changeTagged[R, In, Out any](of func(*registry.View) R, do func(R, context.Context, string, In) (Out, error), check func(*In, func(Out) error)) Handler {
	return func(s *Server, v *registry.View, c *fiber.Ctx) error {
		var in In
		if err := Decode(c, &in); err != nil {
			return err
		}
		if want := c.Get(fiber.HeaderIfMatch); want != "" {
			want = strings.Clone(want)
			check(&in, func(now Out) error { return checkTag(want, now) })
		}
		return Answer(s, c, http.StatusOK, func(ctx context.Context) (Out, error) { return do(of(v), ctx, Param(c, "id"), in) })
	}
}

// checkTag returns errChanged unless an If-Match header lists the tag of a record.
func checkTag[T any](header string, record T) error {
	body, err := json.Marshal(record)
	if err == nil && !hasTag(header, tagOf(body)) {
		err = errChanged
	}
	return err
}

// errChanged is the error of a request with If-Match, with status 412.
var errChanged = venues.Errorf(venues.CodeInvalidRequest, "the record has changed since it was read").With("reason", "changed")

// hasTag reports whether an If-Match or If-None-Match header (RFC 9110, 13.1) lists a tag.
func hasTag(header, tag string) bool {
	for entry := range strings.SplitSeq(header, ",") {
		if entry = strings.TrimPrefix(strings.TrimSpace(entry), "W/"); entry == tag || entry == "*" {
			return true
		}
	}
	return false
}
