package docs_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/gofiber/fiber/v2"

	"venuegate/transport/api"
	"venuegate/transport/docs"
	"venuegate/venues"
)

// site is a running site.
type site struct {
	t   *testing.T
	app *fiber.App
}

func newSite(t *testing.T) *site {
	t.Helper()
	return serve(t, docs.New(api.OpenAPI(), api.AsyncAPI(), "X-Service"))
}

func serve(t *testing.T, s *docs.Site) *site {
	t.Helper()
	app := fiber.New()
	app.Get(docs.Path, s.Handle)
	app.Get(docs.Path+"/*", s.Handle)
	return &site{t, app}
}

// get returns a response and its body, which the site may have compressed.
func (s *site) get(path string, headers ...string) (*http.Response, string) {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, "http://docs.example"+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := s.app.Test(request, -1)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	var content io.Reader = response.Body
	if response.Header.Get("Content-Encoding") == "gzip" {
		if content, err = gzip.NewReader(content); err != nil {
			s.t.Fatal(err)
		}
	}
	body, err := io.ReadAll(content)
	if err != nil {
		s.t.Fatal(err)
	}
	return response, string(body)
}

// page returns the body of a page and fails the test unless it exists.
func (s *site) page(path string) string {
	s.t.Helper()
	response, body := s.get(path)
	if response.StatusCode != http.StatusOK || !strings.HasPrefix(response.Header.Get("Content-Type"), "text/html") {
		s.t.Fatalf("%s: %d %v, want a page", path, response.StatusCode, response.Header)
	}
	return body
}

var links = regexp.MustCompile(`(?:href|src|action)="([^"]+)"`)

// The headers have the names of this service on every page and in the document of the reference.
func TestHeaderPrefix(t *testing.T) {
	const prefix = "X-Acme"
	s := serve(t, docs.New([]byte(api.WithHeaderPrefix(string(api.OpenAPI()), prefix)), api.AsyncAPI(), prefix))
	for _, path := range []string{docs.Path + "/reference.json", docs.Path + "/signals", api.ErrorsPage} {
		_, body := s.get(path)
		if !strings.Contains(body, "X-Acme-Signature") || strings.Contains(body, "X-Service") {
			t.Errorf("%s: X-Acme-Signature %t, X-Service %t, want only the first",
				path, strings.Contains(body, "X-Acme-Signature"), strings.Contains(body, "X-Service"))
		}
	}
}

// The page names the versions of the generators that are tested.
func TestVersionsOfGenerators(t *testing.T) {
	body := newSite(t).page(docs.Path)
	for file, pattern := range map[string]string{
		"../api/generated/golang/go.mod":           `(oapi-codegen)/v2 (v\S+)`,
		"../api/generated/typescript/package.json": `"(openapi-typescript)": "(\S+)"`,
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(pattern).FindSubmatch(text)
		if found == nil {
			t.Fatalf("%s lacks %s", file, pattern)
		}
		if want := fmt.Sprintf("%s@%s", found[1], found[2]); !strings.Contains(body, want) {
			t.Errorf("overview lacks %s", want)
		}
	}
}

// Every link of every page leads to something of this service, and its target exists.
func TestLinks(t *testing.T) {
	s := newSite(t)
	pages := map[string]string{}
	pending := []string{docs.Path}
	for len(pending) > 0 {
		path := pending[0]
		pending = pending[1:]
		if _, seen := pages[path]; seen {
			continue
		}
		response, body := s.get(path)
		if response.StatusCode != http.StatusOK {
			t.Errorf("%s: status %d, want 200", path, response.StatusCode)
		}
		if !strings.HasPrefix(response.Header.Get("Content-Type"), "text/html") {
			body = ""
		}
		pages[path] = body
		for _, match := range links.FindAllStringSubmatch(body, -1) {
			target, _, _ := strings.Cut(match[1], "#")
			switch {
			case target == "" || target == "/openapi.yaml" || target == "/asyncapi.yaml":
			case strings.HasPrefix(target, docs.Path):
				pending = append(pending, target)
			default:
				t.Errorf("%s links to %s, want links to the site alone", path, match[1])
			}
		}
	}
	if len(pages) < 10 {
		t.Errorf("found %d pages and files, want all", len(pages))
	}
	for path, body := range pages {
		for _, match := range links.FindAllStringSubmatch(body, -1) {
			target, fragment, found := strings.Cut(match[1], "#")
			if target == "" {
				target = path
			}
			if found && target != docs.Path+"/reference" && !strings.Contains(pages[target], `id="`+fragment+`"`) {
				t.Errorf("%s links to %s, which does not exist", path, match[1])
			}
		}
	}
}

// No page runs text or loads anything from another origin; only the reference runs a script.
func TestPolicies(t *testing.T) {
	s := newSite(t)
	for path, script := range map[string]string{
		docs.Path: "", docs.Path + "/stream": "", docs.Path + "/search?q=x": "", docs.Path + "/reference": "script-src 'self'; connect-src 'self'",
	} {
		response, body := s.get(path)
		policy := response.Header.Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'; style-src 'self'; img-src 'self' data:; ") || !strings.Contains(policy, script) ||
			strings.Contains(policy, "script-src") != (script != "") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "http") {
			t.Errorf("%s: policy = %q, want none but 'self'", path, policy)
		}
		if regexp.MustCompile(`<style|style="|<script>|javascript:|\son[a-z]+=|ZgotmplZ`).MatchString(body) {
			t.Errorf("%s has text that the policy forbids", path)
		}
	}
}

// Each error code has a section with its status, to which docUrl of an error leads, and no
// other section has the form of one.
func TestErrorCodes(t *testing.T) {
	s := newSite(t)
	page := s.page(api.ErrorsPage)
	found := regexp.MustCompile(`<h2 id="([^"]+)">([^<]+)</h2>\s*<p><strong>([0-9]+)`).FindAllStringSubmatch(page, -1)
	var got []string
	for _, match := range found {
		got = append(got, match[1])
		if status := strconv.Itoa(api.Status(venues.Code(match[1]))); match[2] != match[1] || match[3] != status {
			t.Errorf("section %s: title %q and status %s, want the code and %s", match[1], match[2], match[3], status)
		}
	}
	var want []string
	for _, code := range venues.Codes() {
		want = append(want, string(code))
		var body struct{ Error struct{ DocURL string } }
		if err := json.Unmarshal(api.AppendError(nil, venues.Errorf(code, "m"), "req_1"), &body); err != nil {
			t.Fatal(err)
		}
		path, fragment, _ := strings.Cut(body.Error.DocURL, "#")
		if target := s.page(path); !strings.Contains(target, `id="`+fragment+`"`) {
			t.Errorf("docUrl of %s = %s, want a place that exists", code, body.Error.DocURL)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("sections = %v, want %v", got, want)
	}
}

// The reference is the OpenAPI document with samples: curl and Python for each operation that
// changes or reads something of a customer, TypeScript where its client has the operation.
func TestReference(t *testing.T) {
	_, body := newSite(t).get(docs.Path + "/reference.json")
	doc, err := openapi3.NewLoader().LoadFromData([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	original, err := openapi3.NewLoader().LoadFromData(api.OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := doc.Paths.Len(), original.Paths.Len(); got != want {
		t.Errorf("reference has %d paths, want %d", got, want)
	}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			if scope, _ := op.Extensions["x-scope"].(string); scope == "" && !strings.HasPrefix(path, api.HooksPath) {
				continue
			}
			for _, language := range []string{"curl", "Python", "TypeScript"} {
				if !strings.Contains(op.Description, "<summary>"+language+"</summary>") {
					t.Errorf("%s %s: no sample in %s, want one", method, path, language)
				}
			}
			if !strings.Contains(op.Description, original.Paths.Find(path).GetOperation(method).Description) {
				t.Errorf("%s %s: description = %s, want that of the document in it", method, path, op.Description)
			}
		}
	}
	if strings.Contains(doc.Info.Description, "## ") || !strings.Contains(doc.Info.Description, "Try it") {
		t.Errorf("general description = %s, want an introduction", doc.Info.Description)
	}
	if !json.Valid([]byte(body)) {
		t.Error("reference is not JSON")
	}
}

// The page of the stream has every message with its fields, and the records in them.
func TestStream(t *testing.T) {
	page := newSite(t).page(docs.Path + "/stream")
	for _, message := range []string{"auth", "subscribe", "trade", "book", "order", "balance"} {
		_, section, _ := strings.Cut(page, `<h3 id="message-`+message+`">`)
		section, _, _ = strings.Cut(section, "</article>")
		from := map[bool]string{true: "Sent by the client", false: "Sent by the server"}[message == "auth" || message == "subscribe"]
		if !strings.Contains(section, from) || !strings.Contains(section, "Example") || !strings.Contains(section, "<code>") {
			t.Errorf("section = %s, want stream message %s with fields and example", section, message)
		}
	}
	for _, text := range []string{"/v1/stream", "rejected[].reason", "4009", "missed", `<h3 id="record-Order">`, "protection.stopLoss"} {
		if !strings.Contains(page, text) {
			t.Errorf("page lacks %q", text)
		}
	}
}

func TestSearch(t *testing.T) {
	s := newSite(t)
	for query, want := range map[string]string{
		"place order":           `href="/docs/reference#/Orders/placeOrder"`,
		"PLACEORDER":            `href="/docs/reference#/Orders/placeOrder"`,
		"trading_locked":        `href="/docs/errors#trading_locked"`,
		"4009 slow":             `href="/docs/reconnecting#close-codes"`,
		"unsubscribe":           `href="/docs/stream#message-`,
		"samebody requestid":    `href="/docs/orders#requestid"`,
		"order.filled":          `href="/docs/reference#/Events/onOrderFilled"`,
		"":                      `<h1>Search</h1>`,
		"nonesuch":              "Nothing has all these words",
		`"><script>alert(1)`:    `value="&#34;&gt;&lt;script&gt;alert(1)"`,
		strings.Repeat("é", 90): "Nothing has all these words",
	} {
		page := s.page(docs.Path + "/search?q=" + url.QueryEscape(query))
		if !strings.Contains(page, want) || strings.Contains(page, "<script") {
			t.Errorf("search %q = %s, want %s", query, page, want)
		}
	}
	page := s.page(docs.Path + "/search?q=a")
	if n := strings.Count(page, `<p>`); n == 0 || n > 40 {
		t.Errorf("search of one letter has %d results, want some, and at most 40", n)
	}
}

// Files are compressed for clients that accept it, and kept by browsers until they change.
func TestFiles(t *testing.T) {
	s := newSite(t)
	for _, match := range regexp.MustCompile(`(?:href|src)="(/docs/assets/[^"]+)"`).FindAllStringSubmatch(s.page(docs.Path+"/reference"), -1) {
		plain, text := s.get(match[1])
		packed, same := s.get(match[1], "Accept-Encoding", "br, gzip")
		if plain.Header.Get("Content-Encoding") != "" || packed.Header.Get("Content-Encoding") != "gzip" || text != same || text == "" {
			t.Errorf("%s: headers %v and %v, want the same content, compressed on request", match[1], plain.Header, packed.Header)
		}
		if !strings.Contains(packed.Header.Get("Cache-Control"), "immutable") || packed.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: headers %v, want it to be kept", match[1], packed.Header)
		}
	}
	for _, path := range []string{"/docs/nonesuch", "/docs/assets/x/style.css", "/docs/pages/errors.md", "/docs/..%2f"} {
		if response, body := s.get(path); response.StatusCode == http.StatusOK {
			t.Errorf("%s: 200 %.80s, want an error", path, body)
		}
	}
}
