package stream

import (
	"encoding/base64"
	"net/netip"
	"slices"

	"github.com/fasthttp/websocket"
	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"venuegate/transport/listen"
	"venuegate/venues"
)

// readBufferBytes is the size of the library's read buffer. Longer messages bypass
// it.
const readBufferBytes = 256

func (h *Hub) newUpgrader() websocket.FastHTTPUpgrader {
	return websocket.FastHTTPUpgrader{
		ReadBufferSize:    readBufferBytes,
		WriteBufferPool:   noWriteBuffers{},
		EnableCompression: h.options.Compression,
		CheckOrigin:       func(*fasthttp.RequestCtx) bool { return true }, // Handler checks it
		Error:             func(*fasthttp.RequestCtx, int, error) {},       // Handler returns the error
	}
}

// noWriteBuffers prevents the library from allocating a write buffer per connection:
// the hub writes the messages itself.
type noWriteBuffers struct{}

func (noWriteBuffers) Get() any { return nil }
func (noWriteBuffers) Put(any)  {}

// Handler serves GET /v1/stream (fiber.Handler): it upgrades the connection and passes
// it to the hub. Errors are *venues.Error, for the error handler of the application:
// invalid_request if the request is not a WebSocket handshake, scope_required for an
// Origin that is not allowed, rate_limited and maintenance, with RetryAfter, if the
// connection is not admitted. The client address is c.IP(), so the application decides
// which proxies to trust. Cookies are not read.
func (h *Hub) Handler(c *fiber.Ctx) error {
	request := c.Context()
	if !websocket.FastHTTPIsWebSocketUpgrade(request) {
		return venues.Errorf(venues.CodeInvalidRequest, "this path requires a WebSocket upgrade")
	}
	if !validKeys(request.Request.Header.PeekAll("Sec-WebSocket-Key")) {
		return venues.Errorf(venues.CodeInvalidRequest, "Sec-WebSocket-Key must be 16 bytes in base64")
	}
	if origin := string(request.Request.Header.Peek(fiber.HeaderOrigin)); !h.allows(origin) {
		return venues.Errorf(venues.CodeScopeRequired, "the origin is not allowed").With("origin", origin)
	}
	remote, err := netip.ParseAddr(c.IP())
	if err != nil {
		remote = netip.IPv4Unspecified() // no address, as with a Unix socket: all count as one address
	}
	if err := h.admission.check(listen.ClientAddr(remote)); err != nil {
		return err
	}
	var deflate bool
	err = h.upgrader.Upgrade(request, func(ws *websocket.Conn) {
		// The server keeps the request while the connection is open; free its headers.
		request.Request.Header, request.Response.Header = fasthttp.RequestHeader{}, fasthttp.ResponseHeader{}
		h.serve(ws, remote, deflate)
	})
	if err != nil {
		return venues.Errorf(venues.CodeInvalidRequest, "%s", err.Error())
	}
	deflate = len(request.Response.Header.Peek("Sec-WebSocket-Extensions")) > 0
	return nil
}

// keyBytes is the length of a Sec-WebSocket-Key (RFC 6455, 4.1).
const keyBytes = 16

// validKeys reports whether the handshake has one valid key. The library accepts any text.
func validKeys(keys [][]byte) bool {
	if len(keys) != 1 {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(string(keys[0]))
	return err == nil && len(key) == keyBytes
}

func (h *Hub) allows(origin string) bool {
	return origin == "" || slices.Contains(h.options.AllowedOrigins, origin) || slices.Contains(h.options.AllowedOrigins, "*")
}
