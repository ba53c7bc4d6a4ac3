package console

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"venuegate/transport/api"
	"venuegate/transport/listen"
	"venuegate/transport/recordapi"
)

// headerConsole marks the requests of pages. A form cannot set it.
const headerConsole = "X-Console"

var (
	errMisdirected = &listen.RequestError{Status: http.StatusMisdirectedRequest, Message: "the Host is not the one of the console; the setting `console.url` names it"}
	errForeignPage = &listen.RequestError{Status: http.StatusForbidden, Message: "the request does not come from a page of the console"}
)

// permissions switches the features of browsers off, apart from those that pages use.
const permissions = "accelerometer=(), autoplay=(), camera=(), display-capture=(), fullscreen=(), geolocation=(), gyroscope=(), magnetometer=(), " +
	"microphone=(), midi=(), payment=(), usb=(), xr-spatial-tracking=(), clipboard-write=(self), publickey-credentials-create=(self), publickey-credentials-get=(self)"

// contentPolicy returns the policy of answers, which permits only what the console itself
// serves, and style elements with the nonce.
func contentPolicy(address *url.URL, nonce string) string {
	stream := url.URL{Scheme: "ws" + strings.TrimPrefix(address.Scheme, "http"), Host: address.Host}
	styleNonce := ""
	if nonce != "" {
		styleNonce = " 'nonce-" + nonce + "'"
	}
	return "default-src 'none'; script-src 'self'; style-src 'self'" + styleNonce + "; img-src 'self' data:; connect-src 'self' " + stream.String() +
		"; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types default"
}

func (s *Console) setHeaders(c *fiber.Ctx) {
	id := c.GetRespHeader(api.HeaderRequestID)
	if id == "" {
		id = cmp.Or(recordapi.OriginOf(c).RequestID, recordapi.NewRequestID())
	}
	for name, value := range map[string]string{
		api.HeaderRequestID:               id,
		fiber.HeaderCacheControl:          "no-store",
		fiber.HeaderXContentTypeOptions:   "nosniff",
		fiber.HeaderReferrerPolicy:        "no-referrer",
		fiber.HeaderContentSecurityPolicy: s.policy,
		fiber.HeaderPermissionsPolicy:     permissions,
		"Cross-Origin-Opener-Policy":      "same-origin",
		"Cross-Origin-Resource-Policy":    "same-origin",
	} {
		c.Set(name, value)
	}
}

// checkPage returns an error for a request that no page of the console has sent. Browsers
// send Sec-Fetch-Site, or else Origin, with every request that changes something.
func checkPage(c *fiber.Ctx) error {
	own := c.Get("Sec-Fetch-Site") == "same-origin"
	if c.Get("Sec-Fetch-Site") == "" {
		_, host, found := strings.Cut(c.Get(fiber.HeaderOrigin), "://")
		own = found && strings.EqualFold(host, string(c.Request().Header.Host()))
	}
	if !own || c.Get(headerConsole) != "1" {
		return errForeignPage
	}
	return api.CheckMedia(c.Get(fiber.HeaderContentType), c.Get(fiber.HeaderContentEncoding), api.MediaJSON)
}
