package stream

import (
	"net/netip"
	"slices"

	"github.com/fasthttp/websocket"
	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"venuegate/transport/listen"
	"venuegate/venues"
)

// readBufferBytes is what the library buffers of a connection's input; longer
// messages are read past it.
const readBufferBytes = 256

func (h *Hub) newUpgrader() websocket.FastHTTPUpgrader {
	return websocket.FastHTTPUpgrader{
		ReadBufferSize:    readBufferBytes,
		WriteBufferPool:   noWriteBuffers{},
		EnableCompression: h.options.Compression,
		CheckOrigin:       func(*fasthttp.RequestCtx) bool { return true }, // Handler has looked
		Error:             func(*fasthttp.RequestCtx, int, error) {},       // Handler returns it
	}
}

// noWriteBuffers keeps the library from giving every connection a buffer for
// messages that the hub writes itself.
type noWriteBuffers struct{}

func (noWriteBuffers) Get() any { return nil }
func (noWriteBuffers) Put(any)  {}

// Handler serves GET /v1/stream (fiber.Handler): it upgrades the connection, and
// the hub has it from then on. Errors are *venues.Error, for the application's
// error handler: invalid_request for what is no WebSocket handshake,
// scope_required for an Origin that is not allowed, rate_limited and
// maintenance, with RetryAfter, where there is no place. The client's address is
// c.IP(), so the application decides which proxies it believes. Cookies are not
// read.
func (h *Hub) Handler(c *fiber.Ctx) error {
	request := c.Context()
	if !websocket.FastHTTPIsWebSocketUpgrade(request) {
		return venues.Errorf(venues.CodeInvalidRequest, "this is a WebSocket; send an upgrade")
	}
	if origin := string(request.Request.Header.Peek(fiber.HeaderOrigin)); !h.allows(origin) {
		return venues.Errorf(venues.CodeScopeRequired, "the origin is not allowed").With("origin", origin)
	}
	remote, err := netip.ParseAddr(c.IP())
	if err != nil {
		remote = netip.IPv4Unspecified() // no address, as with a Unix socket: all count as one
	}
	if err := h.door.check(listen.Accountable(remote)); err != nil {
		return err
	}
	var deflate bool
	err = h.upgrader.Upgrade(request, func(ws *websocket.Conn) {
		// The server keeps the request for as long as the connection lives.
		request.Request.Header, request.Response.Header = fasthttp.RequestHeader{}, fasthttp.ResponseHeader{}
		h.serve(ws, remote, deflate)
	})
	if err != nil {
		return venues.Errorf(venues.CodeInvalidRequest, "%s", err.Error())
	}
	deflate = len(request.Response.Header.Peek("Sec-WebSocket-Extensions")) > 0
	return nil
}

func (h *Hub) allows(origin string) bool {
	return origin == "" || slices.Contains(h.options.AllowedOrigins, origin) || slices.Contains(h.options.AllowedOrigins, "*")
}
