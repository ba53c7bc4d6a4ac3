package console

import (
	"crypto/rand"
	"encoding/base64"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// servePage responds with the pages and their files. A path below Prefix that is no call is
// not a page.
func (s *Console) servePage(c *fiber.Ctx) error {
	if strings.HasPrefix(c.Path(), Prefix+"/") || c.Path() == Prefix {
		return fiber.ErrNotFound
	}
	nonce := newNonce()
	c.Set(fiber.HeaderContentSecurityPolicy, contentPolicy(s.address, nonce))
	return s.Pages.Serve(c, nonce)
}

// newNonce returns 128 random bits for the style elements of one page.
func newNonce() string {
	var bits [16]byte
	_, _ = rand.Read(bits[:]) // never fails
	return base64.RawStdEncoding.EncodeToString(bits[:])
}
