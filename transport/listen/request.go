package listen

import (
	"bytes"
	"net/http"
	"strings"

	"github.com/valyala/fasthttp"
)

// RequestError is the reason to reject a request before it is served. The connection is
// to be closed after the response.
type RequestError struct {
	Status  int
	Message string
}

func (e *RequestError) Error() string { return e.Message }

var (
	errLengthRequired = &RequestError{http.StatusLengthRequired, "Transfer-Encoding is not accepted; send the body with a Content-Length"}
	errProtocol       = &RequestError{http.StatusBadRequest, "the protocol must be HTTP/1.1"}
	errMisdirected    = &RequestError{http.StatusMisdirectedRequest, "the Host is not one of this service; the setting `hosts` lists others"}
	errCrossSite      = &RequestError{http.StatusForbidden, "requests from pages of other sites are not accepted"}
)

// CheckRequest returns a *RequestError for a request that was not meant for this server or
// that two parsers may understand differently: any Transfer-Encoding, other versions of
// HTTP, and a host that is not in hosts.
func CheckRequest(ctx *fasthttp.RequestCtx, hosts Hosts) error {
	h := &ctx.Request.Header
	if h.ContentLength() == -1 || hasHeader(h.RawHeaders(), "transfer-encoding") {
		return errLengthRequired
	}
	if version := string(h.Protocol()); version != "HTTP/1.1" && version != "HTTP/1.0" {
		return errProtocol
	}
	// The target of a request may name another host than the header.
	if !hosts.allow(string(h.Host()), ctx.LocalAddr()) || !hosts.allow(string(ctx.Host()), ctx.LocalAddr()) {
		return errMisdirected
	}
	return nil
}

// CheckSameSite returns a *RequestError for a request that a browser has sent for a page of
// another site. Clients other than browsers send none of the headers.
func CheckSameSite(ctx *fasthttp.RequestCtx) error {
	h := &ctx.Request.Header
	switch site := string(h.Peek("Sec-Fetch-Site")); site {
	case "same-origin", "none":
		return nil
	case "": // a browser that does not send it
	default:
		return errCrossSite
	}
	origin := string(h.Peek(fasthttp.HeaderOrigin))
	if _, host, _ := strings.Cut(origin, "://"); origin != "" && !strings.EqualFold(host, string(h.Host())) {
		return errCrossSite
	}
	return nil
}

// EndFailedUpgrade closes the connection after the response to a request to upgrade to
// WebSocket that was not granted: what follows would be read as frames.
func EndFailedUpgrade(ctx *fasthttp.RequestCtx) {
	if !ctx.Hijacked() && bytes.Contains(bytes.ToLower(ctx.Request.Header.Peek(fasthttp.HeaderUpgrade)), []byte(protocolWebSocket)) {
		ctx.SetConnectionClose()
	}
}

// hasHeader reports whether a header is present. It searches the raw lines, because
// the parser drops headers that it considers harmless.
func hasHeader(raw []byte, name string) bool {
	for line := range bytes.Lines(raw) {
		key, _, _ := bytes.Cut(line, []byte(":"))
		if bytes.EqualFold(bytes.TrimSpace(key), []byte(name)) {
			return true
		}
	}
	return false
}
