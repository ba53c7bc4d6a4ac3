// Package documenttest checks an OpenAPI document, and that a server answers as it says.
//
//	var document = sync.OnceValues(func() (*documenttest.Document, error) { return documenttest.Load(api.OpenAPI()) })
//	...
//	doc.CheckResponse(t, request, response.StatusCode, response.Header, body)
package documenttest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
)

func init() {
	// Files and pages are not decoded.
	for _, media := range []string{
		"text/html", "application/jsonl", "text/csv", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	} {
		openapi3filter.RegisterBodyDecoder(media, openapi3filter.FileBodyDecoder)
	}
}

// Document is a document whose operations can be found by a request.
type Document struct {
	*openapi3.T
	text   string
	router routers.Router
}

// Load loads a document. Its examples are checked by Check, not here: that takes long.
func Load(text []byte) (*Document, error) {
	doc, err := openapi3.NewLoader().LoadFromData(text)
	return newDocument(doc, text, err)
}

// LoadFile is Load for a document in a file that refers to documents in other files.
func LoadFile(name string) (*Document, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	loader := openapi3.NewLoader()
	loader.IsExternalRefsAllowed = true
	doc, err := loader.LoadFromFile(name)
	return newDocument(doc, text, err)
}

func newDocument(doc *openapi3.T, text []byte, err error) (*Document, error) {
	if err != nil {
		return nil, err
	}
	router, err := legacy.NewRouter(doc, openapi3.DisableExamplesValidation())
	if err != nil {
		return nil, err
	}
	return &Document{doc, string(text), router}, nil
}

// Check fails the test unless the document is valid, uses every definition, and describes
// every operation and its rejections.
func (d *Document) Check(t testing.TB) {
	t.Helper()
	if err := d.Validate(t.Context(), openapi3.EnableSchemaPatternValidation()); err != nil {
		t.Errorf("document: %v, want a valid one", err)
	}
	if !d.IsOpenAPI31OrLater() {
		t.Errorf("version = %s, want 3.1 or later", d.OpenAPI)
	}
	if d.Info.Contact == nil || d.Info.License == nil || !strings.Contains(d.Info.Description, "## Versions") {
		t.Error("info lacks contact, license or the policy of versions, want all of them")
	}
	for kind, names := range map[string][]string{
		"schemas": keys(d.Components.Schemas), "responses": keys(d.Components.Responses),
		"parameters": keys(d.Components.Parameters), "headers": keys(d.Components.Headers),
	} {
		for _, name := range names {
			if !strings.Contains(d.text, fmt.Sprintf("%q", "#/components/"+kind+"/"+name)) {
				t.Errorf("%s/%s is not used, want a reference", kind, name)
			}
		}
	}
	for route, op := range d.Operations() {
		if op.OperationID == "" || op.Summary == "" || len(op.Tags) != 1 || op.Responses.Value("4XX") == nil {
			t.Errorf("%s: id %q, summary %q, tags %q, want all of them, and the response 4XX", route, op.OperationID, op.Summary, op.Tags)
		}
	}
}

// Operations returns the operations of the document by method and path.
func (d *Document) Operations() map[string]*openapi3.Operation {
	found := map[string]*openapi3.Operation{}
	for path, item := range d.Paths.Map() {
		for method, op := range item.Operations() {
			found[method+" "+path] = op
		}
	}
	return found
}

// CheckResponse fails the test unless the status, the headers and the body of a response
// are documented and, if it is a success, the request as well, if that can give its body
// again. It returns the id of the operation, which is empty for a path that is not
// documented, which must be rejected, and for HEAD, which is documented once for all paths.
func (d *Document) CheckResponse(t testing.TB, request *http.Request, status int, header http.Header, body []byte) (operation string) {
	t.Helper()
	if request.Method == http.MethodHead {
		return ""
	}
	// The document is the same for every address.
	local := request.Clone(t.Context())
	local.URL = &url.URL{Path: request.URL.Path, RawPath: request.URL.RawPath, RawQuery: request.URL.RawQuery}
	route, params, err := d.router.FindRoute(local)
	if err != nil {
		if status != http.StatusNotFound && status != http.StatusUnauthorized {
			t.Errorf("%s %s: status = %d for an undocumented path, want 404 or 401", request.Method, request.URL, status)
		}
		return ""
	}
	input := &openapi3filter.RequestValidationInput{
		Request: request, PathParams: params, Route: route,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc},
	}
	if status < http.StatusMultipleChoices && request.GetBody != nil {
		if err := validateAgain(t.Context(), input); err != nil {
			t.Errorf("%s %s: accepted, want a documented request: %v", request.Method, request.URL, err)
		}
	}
	response := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input, Status: status, Header: header, Body: io.NopCloser(bytes.NewReader(body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true},
	}
	if err := openapi3filter.ValidateResponse(t.Context(), response); err != nil {
		t.Errorf("%s %s: %v\n%.2000s", request.Method, request.URL, err, body)
	}
	return route.Operation.OperationID
}

// validateAgain validates a request that was sent already.
func validateAgain(ctx context.Context, input *openapi3filter.RequestValidationInput) (err error) {
	again := *input
	again.Request = input.Request.Clone(ctx)
	if again.Request.Body, err = input.Request.GetBody(); err != nil {
		return err
	}
	return openapi3filter.ValidateRequest(ctx, &again)
}

func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
