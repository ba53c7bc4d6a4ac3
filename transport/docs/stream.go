package docs

import (
	"html/template"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// streamView is the data of the page of the stream.
type streamView struct {
	Address     string
	Description template.HTML
	Messages    []message
	Records     []schema
}

// message is one message of the stream.
type message struct {
	ID string
	// From is client or server.
	From     string
	Title    string
	Summary  template.HTML
	Fields   []field
	Examples []example
}

// schema is a record of the OpenAPI document.
type schema struct {
	Name        string
	Type        string
	Description template.HTML
	Fields      []field
}

// stream returns the messages of an AsyncAPI document, and the records of the OpenAPI
// document that they contain.
func stream(asyncAPI, openAPI *document) *streamView {
	s := &streamView{
		Address:     asyncAPI.text(asyncAPI.root, "channels", "stream", "address"),
		Description: markdown(asyncAPI.text(asyncAPI.root, "info", "description")),
		Records:     records(asyncAPI, openAPI),
	}
	fromClient := asyncAPI.clientMessages()
	asyncAPI.each(asyncAPI.get(asyncAPI.root, "components", "messages"), func(name string, node *yaml.Node) {
		m := message{
			ID: "message-" + name, From: "server", Title: asyncAPI.text(node, "title"), Summary: markdown(asyncAPI.text(node, "summary")),
			Fields: asyncAPI.fields(asyncAPI.get(node, "payload")),
		}
		if fromClient[name] {
			m.From = "client"
		}
		for _, e := range asyncAPI.list(node, "examples") {
			m.Examples = append(m.Examples, example{Title: asyncAPI.text(e, "summary"), JSON: indentedJSON(asyncAPI.get(e, "payload"))})
		}
		s.Messages = append(s.Messages, m)
	})
	return s
}

// clientMessages returns the names of the messages that clients send.
func (d *document) clientMessages() map[string]bool {
	names := map[string]bool{}
	d.each(d.get(d.root, "operations"), func(_ string, operation *yaml.Node) {
		if d.text(operation, "action") != "receive" {
			return
		}
		for _, m := range d.list(operation, "messages") {
			names[path.Base(ref(m))] = true
		}
	})
	return names
}

// records returns the schemas of the OpenAPI document that the AsyncAPI document refers to,
// and those that they refer to, sorted by name.
func records(asyncAPI, openAPI *document) (list []schema) {
	schemas := openAPI.get(openAPI.root, "components", "schemas")
	pending := references(asyncAPI.root, asyncAPISchemas)
	seen := map[string]bool{}
	for len(pending) > 0 {
		name := pending[0]
		pending = pending[1:]
		node := openAPI.get(schemas, name)
		if seen[name] || node == nil {
			continue
		}
		seen[name] = true
		pending = append(pending, references(node, openAPISchemas)...)
		list = append(list, schema{
			Name: name, Type: openAPI.typeOf(node), Description: markdown(openAPI.text(node, "description")), Fields: openAPI.fields(node),
		})
	}
	slices.SortFunc(list, func(a, b schema) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// references returns the names in all references below a node that have a prefix.
func references(n *yaml.Node, prefix string) (names []string) {
	if name, found := strings.CutPrefix(ref(n), prefix); found {
		names = append(names, name)
	}
	for _, inner := range n.Content {
		names = append(names, references(inner, prefix)...)
	}
	return names
}
