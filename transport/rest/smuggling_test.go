package rest_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/transport/listen"
	"venuegate/transport/rest"
	"venuegate/venues"
)

// exchange sends raw bytes and reads the responses until the server closes the
// connection. It fails the test if the server keeps it open.
func exchange(t *testing.T, address string, raw string) (responses []*response) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, raw); err != nil {
		t.Fatal(err)
	}
	// The server closes an idle connection only after a minute.
	if err := conn.SetReadDeadline(time.Now().Add(testTimeout / 2)); err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewReader(conn)
	for {
		resp, err := http.ReadResponse(reader, nil)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("connection is open after %d responses, want it closed", len(responses))
		}
		if err != nil {
			return responses
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		responses = append(responses, &response{t, resp.StatusCode, resp.Header, body})
	}
}

// Requests that two parsers may understand differently are rejected, and the
// connection is closed with the rest of its data unread.
func TestRequestSmuggling(t *testing.T) {
	w := newWorld(t)
	withOrder(w)
	key := w.key("cus_1", persistence.ScopeTrade)
	address := w.listen()
	const smuggled = "DELETE /v1/orders HTTP/1.1\r\nHost: a\r\n\r\n"
	head := "POST /v1/orders HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + key + "\r\nContent-Type: application/json\r\n"
	body := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(marketOrder), marketOrder)
	length := fmt.Sprintf("Content-Length: %d\r\n", len(marketOrder))
	for name, c := range map[string]struct {
		raw    string
		status int
	}{
		"chunked":                     {head + "Transfer-Encoding: chunked\r\n\r\n" + body, 411},
		"length and chunked":          {head + length + "Transfer-Encoding: chunked\r\n\r\n" + body + smuggled, 411},
		"chunked and length":          {head + "Transfer-Encoding: chunked\r\n" + length + "\r\n" + body + smuggled, 411},
		"TE.CL":                       {head + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled, 411},
		"identity":                    {head + length + "Transfer-Encoding: identity\r\n\r\n" + marketOrder, 411},
		"chunked in another case":     {head + "transfer-ENCODING: CHUNKED\r\n\r\n" + body, 411},
		"xchunked":                    {head + length + "Transfer-Encoding: xchunked\r\n\r\n" + marketOrder, 400},
		"two codings":                 {head + "Transfer-Encoding: gzip, chunked\r\n\r\n" + body, 400},
		"two Transfer-Encodings":      {head + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n" + body, 400},
		"blank before the colon":      {head + length + "Transfer-Encoding : chunked\r\n\r\n" + body, 400},
		"two lengths":                 {head + length + "Content-Length: 1\r\n\r\n" + marketOrder, 400},
		"a list of lengths":           {head + "Content-Length: 5, 5\r\n\r\n" + marketOrder, 400},
		"negative length":             {head + "Content-Length: -1\r\n\r\n" + marketOrder, 400},
		"signed length":               {head + "Content-Length: +5\r\n\r\n" + marketOrder, 400},
		"hexadecimal length":          {head + "Content-Length: 0x10\r\n\r\n" + marketOrder, 400},
		"bare LF in a chunk":          {head + "Transfer-Encoding: chunked\r\n\r\n1;a\n\r\nx\r\n0\r\n\r\n", 400},
		"bare LF everywhere":          {"GET /v1/time HTTP/1.1\nHost: a\n\n", 400},
		"bare LF at the end":          {"GET /v1/time HTTP/1.1\r\nHost: a\r\n\n", 400},
		"bare LF before a body":       {strings.ReplaceAll(head, "\r", "") + "Content-Length: 200000\n\n{", 400},
		"blank in a name":             {"GET /v1/time HTTP/1.1\r\nHost: a\r\nX Y: b\r\n\r\n" + smuggled, 400},
		"two hosts":                   {"GET /v1/time HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
		"no host":                     {"GET /v1/time HTTP/1.1\r\n\r\n", 400},
		"NUL in a header":             {"GET /v1/time HTTP/1.1\r\nHost: a\r\nX: a\x00b\r\n\r\n", 400},
		"folded header":               {"GET /v1/time HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n", 400},
		"folded Transfer-Encoding":    {head + length + "X: y\r\n\tTransfer-Encoding: chunked\r\n\r\n" + marketOrder, 400},
		"another version":             {"GET /v1/time HTTP/1.9\r\nHost: a\r\n\r\n", 400},
		"no version":                  {"GET /v1/time\r\n\r\n", 400},
		"trailing text after version": {"GET /v1/time HTTP/1.1 x\r\nHost: a\r\n\r\n", 400},
		"junk":                        {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400},
		"unknown method":              {"BREW /v1/orders HTTP/1.1\r\nHost: a\r\n\r\n" + smuggled, 404},
	} {
		t.Run(name, func(t *testing.T) {
			responses := exchange(t, address, c.raw)
			if len(responses) != 1 || responses[0].status != c.status {
				t.Fatalf("responses = %+v, want one with status %d", responses, c.status)
			}
			r := responses[0]
			if e := r.error(); e.RequestID == "" || e.RequestID != r.header.Get("X-Request-Id") {
				t.Errorf("error = %s, want the request id of the header", r.body)
			}
			if strings.Contains(string(r.body), key) {
				t.Errorf("response = %s, want no key in it", r.body)
			}
		})
	}
	if len(w.trader.commands) > 0 {
		t.Errorf("commands = %v, want none", w.trader.commands)
	}
}

// The second request of a connection is checked like the first one.
func TestRequestSmugglingBehindAnotherRequest(t *testing.T) {
	w := newWorld(t)
	address := w.listen()
	const good = "GET /v1/time HTTP/1.1\r\nHost: a\r\n\r\n"
	for name, raw := range map[string]string{
		"bare LF after a request line": "GET /v1/time HTTP/1.1\nHost: a\r\n\r\n",
		"bare LF at the end":           "GET /v1/time HTTP/1.1\r\nHost: a\r\n\n",
		"blank in a name":              "GET /v1/time HTTP/1.1\r\nHost: a\r\nX Y: b\r\n\r\n",
	} {
		responses := exchange(t, address, good+raw+good)
		if len(responses) != 2 || responses[0].status != http.StatusOK || responses[1].status != http.StatusBadRequest {
			t.Errorf("%s: responses = %+v, want 200 and 400", name, responses)
		}
	}
	// A request to upgrade ends the connection unless it is granted: what follows would be frames.
	upgrade := "GET /v1/time HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
	if responses := exchange(t, address, upgrade+good); len(responses) != 1 || responses[0].status != http.StatusOK {
		t.Errorf("after an upgrade that is not granted: responses = %+v, want one", responses)
	}
}

// A request for a host that is not one of this service is rejected, and so is a change for
// a page of another site. Reads are not: documents may be linked.
func TestForeignRequestsAreRejected(t *testing.T) {
	w := newWorld(t, func(d *rest.Deps) { d.Hosts = listen.Hosts{Names: []string{"api.example.com"}} })
	withOrder(w)
	key := w.key("cus_1", persistence.ScopeTrade)
	address := w.listen()
	send := func(method, path, headers string) *response {
		t.Helper()
		body := ""
		if method == http.MethodPost {
			body = marketOrder
		}
		responses := exchange(t, address, fmt.Sprintf(
			"%s %s HTTP/1.1\r\n%sAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
			method, path, headers, key, len(body), body))
		if len(responses) != 1 {
			t.Fatalf("%s %s with %q: %d responses, want 1", method, path, headers, len(responses))
		}
		return responses[0]
	}
	send("GET", "/v1/time", "Host: "+address+"\r\n").want(http.StatusOK)
	send("GET", "/openapi.yaml", "Host: api.example.com\r\nSec-Fetch-Site: cross-site\r\n").want(http.StatusOK)
	send("POST", "/v1/orders", "Host: api.example.com\r\nSec-Fetch-Site: cross-site\r\n").want(http.StatusForbidden, venues.CodeScopeRequired)
	send("POST", "/v1/orders", "Host: api.example.com\r\nOrigin: https://evil.example\r\n").want(http.StatusForbidden, venues.CodeScopeRequired)
	for _, host := range []string{"evil.example", "evil.example:8080", "example.com"} {
		for _, path := range []string{"/v1/time", "/healthz", "/openapi.yaml", "/nonesuch"} {
			send("GET", path, "Host: "+host+"\r\n").want(http.StatusMisdirectedRequest, venues.CodeInvalidRequest)
		}
	}
	if n := len(w.trader.commands); n != 0 {
		t.Errorf("%d commands, want 0", n)
	}
	send("POST", "/v1/orders", "Host: localhost\r\nOrigin: http://localhost\r\n").want(http.StatusCreated)
}
