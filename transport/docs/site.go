package docs

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"strings"
	"sync"

	"github.com/gofiber/fiber/v2"

	"venuegate/transport/api"
	"venuegate/venues"
)

// Path is the path of the site; its pages are below it.
const Path = api.DocsPath

const (
	searchPath    = Path + "/search"
	referencePath = Path + "/reference"
	streamPath    = Path + "/stream"
	documentPath  = Path + "/reference.json"

	mediaHTML = "text/html; charset=utf-8"
	mediaCSS  = "text/css; charset=utf-8"
	mediaText = "text/plain; charset=utf-8"
	mediaJS   = "text/javascript; charset=utf-8"
)

// The policies of the pages. Nothing is loaded from another origin and nothing is
// evaluated from text; a page of guides runs no script.
const (
	policyPage = "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
	// policyReference lets the bundle call this service.
	policyReference = policyPage + "; script-src 'self'; connect-src 'self'"
)

//go:embed swaggerui/*.gz swaggerui/*.txt swaggerui/LICENSE swaggerui/NOTICE
//go:embed style.css icon.svg reference.js page.html
var files embed.FS

// file is a response, compressed.
type file struct {
	body      []byte
	mediaType string
	policy    string
	// immutable files have a path that changes with them.
	immutable bool
}

// Site is the documentation. It may be used by several goroutines.
type Site struct {
	// content renders the documentation when it is first requested.
	content func() (*content, error)
}

// New returns the documentation of an OpenAPI and an AsyncAPI document. headerPrefix is that of
// the headers of signals and events.
func New(openAPI, asyncAPI []byte, headerPrefix string) *Site {
	return &Site{sync.OnceValues(func() (*content, error) { return render(openAPI, asyncAPI, headerPrefix) })}
}

// content is the rendered documentation. It does not change.
type content struct {
	files   map[string]file
	entries []entry
	layout  *template.Template
	assets  string
}

func render(openAPI, asyncAPI []byte, headerPrefix string) (*content, error) {
	t := texts{headerPrefix: headerPrefix}
	var err error
	if t.openAPI, err = parseDocument(openAPI, openAPISchemas); err != nil {
		return nil, err
	}
	if t.asyncAPI, err = parseDocument(asyncAPI, asyncAPISchemas); err != nil {
		return nil, err
	}
	if t.samples, err = readSamples(headerPrefix); err != nil {
		return nil, err
	}
	c := &content{files: map[string]file{}}
	if c.layout, err = template.ParseFS(files, "page.html"); err != nil {
		return nil, err
	}
	if err := c.addAssets(); err != nil {
		return nil, err
	}
	if err := c.addPages(&t); err != nil {
		return nil, err
	}
	document := reference(t.openAPI, t.samples)
	c.files[documentPath] = file{body: compress(document), mediaType: fiber.MIMEApplicationJSON, policy: policyPage}
	return c, nil
}

// addAssets adds the style sheets and scripts, at a path with their digest, and the licences
// of the bundle.
func (c *content) addAssets() error {
	assets := []struct{ name, source, mediaType string }{
		{"swagger-ui.css", "swaggerui/swagger-ui.css.gz", mediaCSS},
		{"swagger-ui-bundle.js", "swaggerui/swagger-ui-bundle.js.gz", mediaJS},
		{"swagger-ui-bundle.js.LICENSE.txt", "swaggerui/swagger-ui-bundle.js.LICENSE.txt", mediaText},
		{"LICENSE.txt", "swaggerui/LICENSE", mediaText},
		{"NOTICE.txt", "swaggerui/NOTICE", mediaText},
		{"style.css", "style.css", mediaCSS},
		{"icon.svg", "icon.svg", "image/svg+xml"},
		{"reference.js", "reference.js", mediaJS},
	}
	digest := sha256.New()
	contents := make([][]byte, len(assets))
	for i, a := range assets {
		text, err := files.ReadFile(a.source)
		if err != nil {
			return err
		}
		digest.Write(text)
		if !strings.HasSuffix(a.source, ".gz") {
			text = compress(text)
		}
		contents[i] = text
	}
	c.assets = Path + "/assets/" + hex.EncodeToString(digest.Sum(nil)[:6])
	for i, a := range assets {
		c.files[c.assets+"/"+a.name] = file{body: contents[i], mediaType: a.mediaType, policy: policyPage, immutable: true}
	}
	return nil
}

func (c *content) addPages(t *texts) error {
	for _, p := range pages {
		view := view{Page: p, policy: policyPage}
		switch p.Path {
		case referencePath:
			view.Reference, view.policy = true, policyReference
		case streamPath:
			view.Stream = stream(t.asyncAPI, t.openAPI)
		default:
			body, err := t.render(p)
			if err != nil {
				return fmt.Errorf("page %s: %w", p.Path, err)
			}
			view.Body = body
		}
		text, err := c.execute(&view)
		if err != nil {
			return fmt.Errorf("page %s: %w", p.Path, err)
		}
		c.files[p.Path] = file{body: compress(text), mediaType: mediaHTML, policy: view.policy}
		_, main, _ := strings.Cut(string(text), "<main")
		c.entries = append(c.entries, sections(p.Title, p.Path, main)...)
	}
	t.openAPI.operations(func(o operation) {
		title := o.name + ": " + t.openAPI.text(o.node, "summary")
		text := plain(string(markdown(t.openAPI.text(o.node, "description"))))
		c.entries = append(c.entries, newEntry(title, "Reference", referencePath+"#/"+o.tag+"/"+o.id, o.id+" "+text))
	})
	return nil
}

// view is the data of the layout.
type view struct {
	Page      page
	Pages     []page
	Assets    string
	Body      template.HTML
	Reference bool
	Stream    *streamView
	Search    *searchView
	policy    string
}

// searchView is the data of the page of a search.
type searchView struct {
	Query   string
	Results []result
}

func (c *content) execute(v *view) ([]byte, error) {
	v.Pages, v.Assets = pages, c.assets
	var out bytes.Buffer
	if err := c.layout.Execute(&out, v); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// Handle answers a request for a page or a file of the site.
func (s *Site) Handle(c *fiber.Ctx) error {
	content, err := s.content()
	if err != nil {
		return fmt.Errorf("render the documentation: %w", err)
	}
	path := strings.TrimSuffix(c.Path(), "/")
	if path == searchPath {
		return content.search(c)
	}
	found, known := content.files[path]
	if !known {
		return venues.Errorf(venues.CodeNotFound, "there is no such page; see %s", Path)
	}
	return found.send(c)
}

func (c *content) search(ctx *fiber.Ctx) error {
	query := ctx.Query("q")
	text, err := c.execute(&view{Page: page{Title: "Search", Path: searchPath}, Search: &searchView{query, search(c.entries, query)}})
	if err != nil {
		return err
	}
	ctx.Set(fiber.HeaderContentSecurityPolicy, policyPage)
	ctx.Set(fiber.HeaderContentType, mediaHTML)
	return ctx.Send(text)
}

func (f *file) send(c *fiber.Ctx) error {
	c.Set(fiber.HeaderContentSecurityPolicy, f.policy)
	c.Set(fiber.HeaderContentType, f.mediaType)
	c.Set(fiber.HeaderVary, fiber.HeaderAcceptEncoding)
	if f.immutable {
		c.Set(fiber.HeaderCacheControl, "public, max-age=31536000, immutable")
	}
	if c.Context().Request.Header.HasAcceptEncoding("gzip") {
		c.Set(fiber.HeaderContentEncoding, "gzip")
		return c.Send(f.body)
	}
	plain, err := gzip.NewReader(bytes.NewReader(f.body))
	if err != nil {
		return err
	}
	return c.SendStream(plain)
}

func compress(text []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(text) // a buffer has no error
	_ = w.Close()
	return out.Bytes()
}
