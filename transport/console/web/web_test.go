package web

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gofiber/fiber/v2"
)

const index = `<meta nonce="__NONCE__"><script src="/console/assets/a-1.js"></script>`

func zipped(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// serve returns a function that requests a path of the pages in files.
func serve(t *testing.T, files fstest.MapFS) func(path string, header ...string) (*http.Response, string) {
	t.Helper()
	pages, err := load(files)
	if err != nil {
		t.Fatal(err)
	}
	app := fiber.New()
	page := func(c *fiber.Ctx) error { return pages.Serve(c, "n0nce") }
	app.Get(Prefix, page)
	app.Get(Prefix+"/*", page)
	return func(path string, header ...string) (*http.Response, string) {
		t.Helper()
		request := httptest.NewRequest(http.MethodGet, path, nil)
		for i := 0; i+1 < len(header); i += 2 {
			request.Header.Set(header[i], header[i+1])
		}
		response, err := app.Test(request)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response, string(body)
	}
}

func built(t *testing.T) fstest.MapFS {
	return fstest.MapFS{
		"dist/index.html":        {Data: []byte(index)},
		"dist/BUILD":             {Data: []byte("0123abcd\n")},
		"dist/assets/a-1.js.gz":  {Data: zipped(t, "let a = 1")},
		"dist/assets/a-1.js.br":  {Data: []byte("as brotli")},
		"dist/assets/unfinished": {Data: []byte("x")},
	}
}

func TestPagesHaveTheNonce(t *testing.T) {
	get := serve(t, built(t))
	for _, path := range []string{"/console", "/console/", "/console/keys", "/console/orders/ord_1"} {
		if response, body := get(path); response.StatusCode != http.StatusOK || !strings.Contains(body, `nonce="n0nce"`) {
			t.Errorf("%s: %d %q, want 200 and the nonce", path, response.StatusCode, body)
		}
	}
}

func TestAssets(t *testing.T) {
	get := serve(t, built(t))
	for _, c := range []struct{ accept, encoding, body string }{
		{"gzip, deflate, br", "br", "as brotli"},
		{"gzip", "gzip", string(zipped(t, "let a = 1"))},
		{"", "", "let a = 1"},
	} {
		response, body := get("/console/assets/a-1.js", "Accept-Encoding", c.accept)
		if got := response.Header.Get("Content-Encoding"); got != c.encoding || body != c.body {
			t.Errorf("accepting %q: encoding %q, body %q, want %q, %q", c.accept, got, body, c.encoding, c.body)
		}
		if got := response.Header.Get("Content-Type"); !strings.HasPrefix(got, "text/javascript") {
			t.Errorf("Content-Type %q, want text/javascript", got)
		}
		if got := response.Header.Get("Cache-Control"); !strings.Contains(got, "immutable") {
			t.Errorf("Cache-Control %q, want immutable", got)
		}
	}
	for _, path := range []string{"a-2.js", "unfinished", "../index.html", "%2e%2e/BUILD", ""} {
		if response, body := get("/console/assets/" + path); response.StatusCode == http.StatusOK && !strings.Contains(body, "<script") {
			t.Errorf("assets/%s: %d %q, want no file", path, response.StatusCode, body)
		}
	}
}

func TestBinaryWithoutPages(t *testing.T) {
	get := serve(t, fstest.MapFS{"dist/.keep": {}})
	response, body := get("/console/keys")
	if response.StatusCode != http.StatusServiceUnavailable || !strings.Contains(body, "make build") {
		t.Errorf("got %d %q, want 503 and how to build", response.StatusCode, body)
	}
	pages, err := load(fstest.MapFS{})
	if err != nil {
		t.Fatal(err)
	}
	if got := pages.Build(); got != "none" {
		t.Errorf("Build() = %q, want none", got)
	}
}

func TestUnfinishedBuildIsAnError(t *testing.T) {
	files := built(t)
	delete(files, "dist/assets/a-1.js.br")
	if _, err := load(files); err == nil {
		t.Error("a missing form of an asset was not noticed")
	}
	files = built(t)
	delete(files, "dist/BUILD")
	if _, err := load(files); err == nil {
		t.Error("a missing digest was not noticed")
	}
}
