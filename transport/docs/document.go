package docs

import (
	"html/template"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// The AsyncAPI document refers to schemas of the OpenAPI document.
const (
	openAPISchemas  = "#/components/schemas/"
	asyncAPISchemas = "./openapi.yaml#/components/schemas/"
)

// document reads an OpenAPI or AsyncAPI document and keeps the order in which it is
// written.
type document struct {
	root *yaml.Node
	// schemas is the prefix of references to the records of the OpenAPI document, which
	// become links.
	schemas string
}

func parseDocument(text []byte, schemas string) (*document, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return nil, err
	}
	return &document{root.Content[0], schemas}, nil
}

// get returns the field of a mapping at a path, following $ref; nil if there is none.
func (d *document) get(n *yaml.Node, path ...string) *yaml.Node {
	for _, key := range path {
		n = d.follow(n)
		if n == nil || n.Kind != yaml.MappingNode {
			return nil
		}
		var value *yaml.Node
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == key {
				value = n.Content[i+1]
			}
		}
		n = value
	}
	return n
}

func (d *document) text(n *yaml.Node, path ...string) string {
	if value := d.get(n, path...); value != nil && value.Kind == yaml.ScalarNode {
		return value.Value
	}
	return ""
}

// each calls visit for the fields of a mapping in order.
func (d *document) each(n *yaml.Node, visit func(key string, value *yaml.Node)) {
	n = d.follow(n)
	if n == nil || n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		visit(n.Content[i].Value, n.Content[i+1])
	}
}

// ref returns the target of a node that is a reference, or "". Siblings of $ref are
// allowed.
func ref(n *yaml.Node) string {
	if n == nil || n.Kind != yaml.MappingNode {
		return ""
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == "$ref" {
			return n.Content[i+1].Value
		}
	}
	return ""
}

func (d *document) follow(n *yaml.Node) *yaml.Node {
	if n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	target := ref(n)
	if target == "" {
		return n
	}
	found := d.root
	for key := range strings.SplitSeq(strings.TrimPrefix(target, "#/"), "/") {
		found = d.get(found, strings.ReplaceAll(key, "~1", "/"))
	}
	return found
}

// schemaName returns the name of a referenced schema, or "" for an inline one.
func (d *document) schemaName(n *yaml.Node) string {
	name, found := strings.CutPrefix(ref(n), d.schemas)
	if !found {
		return ""
	}
	return name
}

func (d *document) list(n *yaml.Node, path ...string) []*yaml.Node {
	if found := d.follow(d.get(n, path...)); found != nil {
		return found.Content
	}
	return nil
}

// field is a field of an object.
type field struct {
	Name        string
	Type        string
	Schema      string // the name of a record, if the type is one
	Required    bool
	Description template.HTML
}

// example is an example of a message.
type example struct {
	Title string
	JSON  string
}

// fields returns the fields of an object. Those of inline objects follow with their
// path. Where parts of an allOf define the same field, the later one refines it.
func (d *document) fields(schema *yaml.Node) []field {
	required := d.list(schema, "required")
	var fields []field
	for _, part := range d.list(schema, "allOf") {
		for _, f := range d.fields(part) {
			fields = refine(fields, f)
		}
	}
	d.each(d.get(schema, "properties"), func(name string, property *yaml.Node) {
		description := siblingText(property, "description")
		if description == "" && d.schemaName(property) == "" {
			description = d.text(property, "description")
		}
		fields = append(fields, field{
			Name: name, Type: d.typeOf(property), Schema: d.schemaName(property), Description: markdown(description),
			Required: slices.ContainsFunc(required, func(n *yaml.Node) bool { return n.Value == name }),
		})
		if d.schemaName(property) != "" {
			return
		}
		for _, inner := range d.fields(property) {
			inner.Name = name + "." + inner.Name
			fields = append(fields, inner)
		}
		if items := d.get(property, "items"); d.schemaName(items) == "" {
			for _, inner := range d.fields(items) {
				inner.Name = name + "[]." + inner.Name
				fields = append(fields, inner)
			}
		}
	})
	return fields
}

// refine replaces the field of the same name, and keeps those of its properties that
// f leaves out.
func refine(fields []field, f field) []field {
	i := slices.IndexFunc(fields, func(have field) bool { return have.Name == f.Name })
	if i < 0 {
		return append(fields, f)
	}
	f.Required = f.Required || fields[i].Required
	if f.Description == "" && f.Schema == "" { // a schema has its own
		f.Description = fields[i].Description
	}
	fields[i] = f
	return fields
}

// siblingText returns a field next to a $ref, which get would follow instead.
func siblingText(n *yaml.Node, key string) string {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1].Value
		}
	}
	return ""
}

// typeOf describes a schema in a few words: "string or null: cross, isolated".
func (d *document) typeOf(schema *yaml.Node) string {
	if name := d.schemaName(schema); name != "" {
		return name
	}
	var words string
	if kind := d.get(schema, "type"); kind != nil {
		words = kind.Value
		if kind.Kind == yaml.SequenceNode {
			words = values(kind, " or ")
		}
	}
	if items := d.get(schema, "items"); items != nil {
		words += " of " + d.typeOf(items)
	}
	if enum := d.get(schema, "enum"); enum != nil {
		words += ": " + values(enum, ", ")
	}
	if fixed := d.text(schema, "const"); fixed != "" {
		words += "“" + fixed + "”"
	}
	if fallback := d.text(schema, "default"); fallback != "" {
		words += ", default " + fallback
	}
	if most := d.text(schema, "maximum"); most != "" {
		words += ", at most " + most
	}
	return words
}

func values(list *yaml.Node, separator string) string {
	words := make([]string, len(list.Content))
	for i, n := range list.Content {
		words[i] = n.Value
	}
	return strings.Join(words, separator)
}
