package docs

import (
	"bytes"
	"encoding/json"

	"go.yaml.in/yaml/v3"
)

// appendJSON appends a node as JSON, in the order of its document.
func appendJSON(dst []byte, n *yaml.Node) []byte {
	switch n.Kind {
	case yaml.AliasNode:
		return appendJSON(dst, n.Alias)
	case yaml.MappingNode:
		dst = append(dst, '{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendText(dst, n.Content[i].Value), ':')
			dst = appendJSON(dst, n.Content[i+1])
		}
		return append(dst, '}')
	case yaml.SequenceNode:
		dst = append(dst, '[')
		for i, item := range n.Content {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendJSON(dst, item)
		}
		return append(dst, ']')
	default:
		if n.Tag == "!!int" || n.Tag == "!!float" || n.Tag == "!!bool" || n.Tag == "!!null" {
			return append(dst, n.Value...)
		}
		return appendText(dst, n.Value) // a time is text too
	}
}

func appendText(dst []byte, text string) []byte {
	quoted, _ := json.Marshal(text) // a string has no error
	return append(dst, quoted...)
}

// indentedJSON returns a node as JSON for readers, or "" for none.
func indentedJSON(n *yaml.Node) string {
	if n == nil {
		return ""
	}
	var out bytes.Buffer
	if err := json.Indent(&out, appendJSON(nil, n), "", "  "); err != nil {
		return ""
	}
	return out.String()
}
