package rest

import (
	"html/template"
	"path"

	"go.yaml.in/yaml/v3"
)

// docsStream is the section of the stream.
type docsStream struct {
	Title       string
	Address     string
	Description template.HTML
	Messages    []docsMessage
}

// docsMessage is one message of the stream.
type docsMessage struct {
	ID string
	// From is CLIENT or SERVER.
	From     string
	Title    string
	Summary  string
	Fields   []docsField
	Examples []docsExample
}

// stream returns the section of an AsyncAPI document. Records of the OpenAPI document
// become links; other schemas are shown in place.
func (d *document) stream() *docsStream {
	s := &docsStream{
		Title:       d.text(d.root, "info", "title"),
		Address:     d.text(d.root, "channels", "stream", "address"),
		Description: markdown(d.text(d.root, "info", "description")),
	}
	fromClient := d.clientMessages()
	d.each(d.get(d.root, "components", "messages"), func(name string, message *yaml.Node) {
		m := docsMessage{
			ID: "stream-" + name, From: "SERVER", Title: d.text(message, "title"), Summary: d.text(message, "summary"),
			Fields: d.fields(d.get(message, "payload")),
		}
		if fromClient[name] {
			m.From = "CLIENT"
		}
		for _, example := range d.list(message, "examples") {
			m.Examples = append(m.Examples, docsExample{Title: d.text(example, "summary"), JSON: exampleJSON(d.get(example, "payload"))})
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
		for _, message := range d.list(operation, "messages") {
			names[path.Base(ref(message))] = true
		}
	})
	return names
}
