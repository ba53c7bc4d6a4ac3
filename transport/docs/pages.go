package docs

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"strings"
	texttemplate "text/template"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"

	"venuegate/transport/api"
)

//go:embed pages
var pageFiles embed.FS

// page is a page of the site as the menu shows it.
type page struct {
	Title string
	Path  string
	// file is its text below pages; empty for a page that is made from a document.
	file string
}

var pages = []page{
	{"Overview", Path, "overview.md"},
	{"Reference", Path + "/reference", ""},
	{"Stream", Path + "/stream", ""},
	{"Keys", Path + "/keys", "keys.md"},
	{"Placing an order once", Path + "/orders", "orders.md"},
	{"Charting signals", Path + "/signals", "signals.md"},
	{"Reconnecting", Path + "/reconnecting", "reconnecting.md"},
	{"Error codes", api.ErrorsPage, "errors.md"},
	{"Versions and changes", Path + "/changes", "changes.md"},
}

// converter renders Markdown of this project, in which HTML is allowed.
var converter = goldmark.New(
	goldmark.WithExtensions(extension.Table),
	goldmark.WithParserOptions(parser.WithAutoHeadingID(), parser.WithHeadingAttribute()),
	goldmark.WithRendererOptions(html.WithUnsafe()),
)

func markdown(text string) template.HTML {
	var out bytes.Buffer
	if err := converter.Convert([]byte(text), &out); err != nil {
		return template.HTML(template.HTMLEscapeString(text)) //nolint:gosec // it is escaped
	}
	return template.HTML(out.String()) //nolint:gosec // the text is a part of this program
}

// texts fills the pages in: [[section "Limits"]] is that section of the OpenAPI document,
// [[stream "Topics"]] one of the AsyncAPI document, [[sample "placeOrder"]] the samples of
// that name, and [[closeCodes]] the codes of the stream. So each fact has one place.
type texts struct {
	openAPI, asyncAPI *document
	samples           map[string][]sample
	headerPrefix      string
}

func (t *texts) render(p page) (template.HTML, error) {
	text, err := pageFiles.ReadFile("pages/" + p.file)
	if err != nil {
		return "", err
	}
	functions := texttemplate.FuncMap{"section": t.openAPI.section, "stream": t.asyncAPI.section, "sample": t.sample, "closeCodes": t.closeCodes}
	filled, err := texttemplate.New(p.file).Delims("[[", "]]").Funcs(functions).Parse(api.WithHeaderPrefix(string(text), t.headerPrefix))
	if err != nil {
		return "", err
	}
	var out strings.Builder
	if err := filled.Execute(&out, nil); err != nil {
		return "", err
	}
	return markdown(out.String()), nil
}

// section returns a section of the general description of a document, with its heading.
func (d *document) section(title string) (string, error) {
	_, rest, found := strings.Cut(d.text(d.root, "info", "description"), "## "+title+"\n")
	if !found {
		return "", fmt.Errorf("the document has no section %q", title)
	}
	text, _, _ := strings.Cut(rest, "\n## ")
	return "## " + title + "\n" + text, nil
}

func (t *texts) sample(name string) (string, error) {
	if len(t.samples[name]) == 0 {
		return "", fmt.Errorf("there is no sample %q", name)
	}
	return samplesMarkdown(t.samples[name], name), nil
}

func (t *texts) closeCodes() (string, error) {
	text := t.asyncAPI.text(t.asyncAPI.root, "components", "schemas", "Code", "description")
	if text == "" {
		return "", errors.New("the document does not describe the codes of the stream")
	}
	return text, nil
}
