package docs

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// reference returns the OpenAPI document as the bundle reads it: as JSON, with the samples
// of each operation in its description, and without the general text, which has pages of
// its own. It changes d.
func reference(d *document, samples map[string][]sample) []byte {
	introduction, _, _ := strings.Cut(d.text(d.root, "info", "description"), "\n## ")
	setText(d.get(d.root, "info"), "description", introduction+referenceHelp)
	remove(d.root, "servers") // the bundle would show a choice of one
	d.operations(func(o operation) {
		description := d.text(o.node, "description")
		if scope := d.text(o.node, "x-scope"); scope != "" {
			description = fmt.Sprintf("Scope `%s`, rate class `%s`.\n\n%s", scope, d.text(o.node, "x-rate-class"), description)
		}
		setText(o.node, "description", description+samplesMarkdown(samples[o.id], ""))
	})
	return appendJSON(nil, d.root)
}

const referenceHelp = `

**Try it:** press *Authorize*, paste an API key, open an operation and press *Try it out*. Requests go to
this service, and an order is a real order of that key. The key is forgotten when the page is closed.
`

// samplesMarkdown returns samples as blocks of which a reader opens one; those of a group
// close each other. It is empty without samples.
func samplesMarkdown(samples []sample, group string) string {
	var b strings.Builder
	for i, s := range samples {
		attributes := ""
		if group != "" {
			attributes = fmt.Sprintf(` name="%s"`, group)
			if i == 0 {
				attributes += " open"
			}
		}
		fmt.Fprintf(&b, "\n\n<details%s><summary>%s</summary>\n\n```%s\n%s\n```\n\n</details>", attributes, s.Language, s.Fence, s.Code)
	}
	return b.String()
}

// operation is an operation of the OpenAPI document, or an event that the service posts.
type operation struct {
	node *yaml.Node
	id   string
	tag  string
	name string // method and path, or the type of the event
}

// operations visits the operations and events in the order of the document.
func (d *document) operations(visit func(operation)) {
	for _, section := range []string{"paths", "webhooks"} {
		d.each(d.get(d.root, section), func(path string, item *yaml.Node) {
			d.each(item, func(method string, node *yaml.Node) {
				if method == "parameters" {
					return
				}
				o := operation{node: node, id: d.text(node, "operationId"), name: strings.ToUpper(method) + " " + path}
				if section == "webhooks" {
					o.name = path
				}
				if tags := d.list(node, "tags"); len(tags) > 0 {
					o.tag = tags[0].Value
				}
				visit(o)
			})
		})
	}
}

// setText sets a field of a mapping to a text.
func setText(n *yaml.Node, key, text string) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			n.Content[i+1] = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
			return
		}
	}
	n.Content = append(n.Content,
		&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key},
		&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text})
}

// remove removes a field of a mapping.
func remove(n *yaml.Node, key string) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			n.Content = slices.Delete(n.Content, i, i+2)
			return
		}
	}
}
