package rest

import (
	"html"
	"html/template"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

var (
	docsCode = regexp.MustCompile("`([^`]+)`")
	docsStep = regexp.MustCompile(`(?m)^[0-9]+\. `)
	docsBold = regexp.MustCompile(`\*\*([^*]+)\*\*`)
)

// markdown renders the Markdown that the documents use: paragraphs, headings, lists,
// tables, code and bold. Everything else remains text.
func markdown(text string) template.HTML {
	var b strings.Builder
	for block := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		switch {
		case block == "":
		case strings.HasPrefix(block, "## "):
			b.WriteString("<h3>" + inline(block[len("## "):]) + "</h3>")
		case strings.HasPrefix(block, "- "):
			b.WriteString(listHTML(block))
		case strings.HasPrefix(block, "1. "):
			b.WriteString(stepsHTML(block))
		case strings.HasPrefix(block, "|"):
			b.WriteString(tableHTML(block))
		default:
			b.WriteString("<p>" + inline(block) + "</p>")
		}
	}
	return template.HTML(b.String()) //nolint:gosec // every text in it is escaped by inline
}

func inline(text string) string {
	text = html.EscapeString(text)
	text = docsCode.ReplaceAllString(text, "<code>$1</code>")
	return docsBold.ReplaceAllString(text, "<strong>$1</strong>")
}

func listHTML(block string) string {
	var b strings.Builder
	b.WriteString("<ul>")
	for item := range strings.SplitSeq("\n"+block, "\n- ") {
		if item = strings.TrimSpace(item); item != "" {
			b.WriteString("<li>" + inline(item) + "</li>")
		}
	}
	return b.String() + "</ul>"
}

func stepsHTML(block string) string {
	var b strings.Builder
	b.WriteString("<ol>")
	for _, item := range docsStep.Split(block, -1)[1:] {
		b.WriteString("<li>" + inline(strings.TrimSpace(item)) + "</li>")
	}
	return b.String() + "</ol>"
}

func tableHTML(block string) string {
	var b strings.Builder
	b.WriteString("<table>")
	for i, line := range strings.Split(block, "\n") {
		if strings.HasPrefix(line, "|---") {
			continue
		}
		tag := "td"
		if i == 0 {
			tag = "th"
		}
		b.WriteString("<tr>")
		for cell := range strings.SplitSeq(strings.Trim(line, "| "), "|") {
			b.WriteString("<" + tag + ">" + inline(strings.TrimSpace(cell)) + "</" + tag + ">")
		}
		b.WriteString("</tr>")
	}
	return b.String() + "</table>"
}

// exampleJSON returns an example as JSON in the order of the document, or "" for
// none.
func exampleJSON(n *yaml.Node) string {
	if n == nil {
		return ""
	}
	var b strings.Builder
	printJSON(&b, n, "\n")
	return b.String()
}

func printJSON(b *strings.Builder, n *yaml.Node, indent string) {
	deeper := indent + "  "
	switch n.Kind {
	case yaml.MappingNode:
		b.WriteString("{")
		for i := 0; i+1 < len(n.Content); i += 2 {
			separate(b, i, deeper)
			b.WriteString(strconv.Quote(n.Content[i].Value) + ": ")
			printJSON(b, n.Content[i+1], deeper)
		}
		closeJSON(b, n, indent, "}")
	case yaml.SequenceNode:
		b.WriteString("[")
		for i, item := range n.Content {
			separate(b, i, deeper)
			printJSON(b, item, deeper)
		}
		closeJSON(b, n, indent, "]")
	default:
		if n.Tag == "!!str" {
			b.WriteString(strconv.Quote(n.Value))
		} else {
			b.WriteString(n.Value)
		}
	}
}

// separate starts element i of an object or array on a line of its own.
func separate(b *strings.Builder, i int, indent string) {
	if i > 0 {
		b.WriteString(",")
	}
	b.WriteString(indent)
}

func closeJSON(b *strings.Builder, n *yaml.Node, indent, end string) {
	if len(n.Content) > 0 {
		b.WriteString(indent)
	}
	b.WriteString(end)
}
