package venuetest

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// gateway is an HTTP proxy in front of a simulator that corrupts answers.
type gateway struct {
	seen    *coverage
	mu      sync.Mutex
	after   Route // the change applies after the next answer of this route; zero for none
	route   Route
	change  func(status int, body string) (int, string)
	query   Swap
	changed int
}

// newGateway serves a proxy to target and returns its address.
func newGateway(t *testing.T, target string, seen *coverage) (*gateway, string) {
	t.Helper()
	g := &gateway{seen: seen}
	to, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	server := httptest.NewServer(&httputil.ReverseProxy{
		Transport: transport,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			g.rewrite(r.Out.URL)
		},
		ModifyResponse: g.modify,
		ErrorHandler:   func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	})
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		transport.CloseIdleConnections()
	})
	return g, server.Listener.Addr().String()
}

// answer changes the answers of a route, or of all routes, from now on; a nil change
// leaves them unchanged.
func (g *gateway) answer(route Route, change func(status int, body string) (int, string)) {
	g.answerAfter(Route{}, route, change)
}

// answerAfter is answer, beginning with the next answer of another route.
func (g *gateway) answerAfter(after, route Route, change func(status int, body string) (int, string)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.after, g.route, g.change, g.changed = after, route, change, 0
}

// swapQuery replaces a part of the query of every request.
func (g *gateway) swapQuery(swap Swap) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.query = swap
}

// changes returns how many answers were changed since answer.
func (g *gateway) changes() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.changed
}

func (g *gateway) rewrite(u *url.URL) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.query.Old != "" {
		u.RawQuery = strings.Replace(u.RawQuery, g.query.Old, g.query.New, 1)
	}
}

// changeOf returns the change of the next answer of a route; nil for none.
func (g *gateway) changeOf(route Route) func(status int, body string) (int, string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	waits := g.after != Route{}
	if g.after == route {
		g.after = Route{}
	}
	if g.change == nil || waits || g.route != (Route{}) && g.route != route {
		return nil
	}
	g.changed++
	return g.change
}

func (g *gateway) modify(r *http.Response) error {
	route := Route{r.Request.Method, r.Request.URL.Path}
	g.seen.recordAnswer(route)
	change := g.changeOf(route)
	if change == nil {
		return nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	r.Body.Close()
	status, text := change(r.StatusCode, string(body))
	r.StatusCode, r.Status = status, strconv.Itoa(status)+" "+http.StatusText(status)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader([]byte(text))), int64(len(text))
	r.Header.Set("Content-Length", strconv.Itoa(len(text)))
	return nil
}
