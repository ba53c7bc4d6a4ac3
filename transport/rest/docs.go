package rest

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
)

//go:embed docs.html
var docsTemplate string

//go:embed docs.css
var docsStyle string

// docsPage is the response to GET /docs: the OpenAPI and the AsyncAPI document as a
// page, rendered once at start. It has no script and loads nothing.
type docsPage struct {
	html []byte
	// policy allows only the style sheet inside the page, by its hash.
	policy string
}

func renderDocs(openAPI, asyncAPI []byte) (docsPage, error) {
	requests, err := parseDocument(openAPI, openAPISchemas)
	if err != nil {
		return docsPage{}, err
	}
	messages, err := parseDocument(asyncAPI, asyncAPISchemas)
	if err != nil {
		return docsPage{}, err
	}
	page, err := template.New("docs").Parse(docsTemplate)
	if err != nil {
		return docsPage{}, err
	}
	view := requests.view()
	view.Stream = messages.stream()
	view.Style = template.CSS(docsStyle) //nolint:gosec // it is a file of this package
	var out bytes.Buffer
	if err := page.Execute(&out, view); err != nil {
		return docsPage{}, err
	}
	sum := sha256.Sum256([]byte(docsStyle))
	return docsPage{
		html: out.Bytes(),
		policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
			"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	}, nil
}

// docsView is the data of the template.
type docsView struct {
	Title       string
	Version     string
	Style       template.CSS
	Description template.HTML
	Groups      []docsGroup
	Stream      *docsStream
	Schemas     []docsSchema
}

type docsGroup struct {
	Name        string
	Description template.HTML
	Operations  []docsOperation
}

type docsOperation struct {
	ID          string
	Method      string
	Path        string
	Summary     string
	Description template.HTML
	// Webhook is set if the service sends the request to an endpoint of the customer.
	Webhook    bool
	Scope      string
	RateClass  string
	Parameters []docsField
	Body       []docsField
	BodySchema string
	Examples   []docsExample
	Responses  []docsResponse
}

type docsField struct {
	Name        string
	In          string
	Type        string
	Schema      string // the name of a schema on the page, if the type is one
	Required    bool
	Description template.HTML
}

type docsExample struct {
	Title string
	JSON  string
}

type docsResponse struct {
	Status      string
	Description template.HTML
	Schema      string
	Example     string
}

type docsSchema struct {
	Name        string
	Type        string
	Description template.HTML
	Fields      []docsField
	Example     string
}
