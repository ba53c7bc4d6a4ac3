package api

import (
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// plainField is a field of a plain body.
type plainField struct {
	field int    // index in names
	raw   string // the JSON of the value
}

// kind returns the JSON type of the value.
func (p plainField) kind() jsontext.Kind { return jsontext.Kind(p.raw[0]) }

// text returns the text of a string.
func (p plainField) text() string { return strings.Trim(p.raw, `"`) }

// parsePlain parses what most clients send: an object of known fields, each once,
// whose values are strings of printable ASCII without escapes, true, false or null.
// It returns nil for any other text, valid or not; the decoder reads that. A plain
// body costs a third of what the decoder and BodyHash need.
func parsePlain(text string, names []string) []plainField {
	p := plainParser{text}
	if !p.take('{') {
		return nil
	}
	fields := make([]plainField, 0, len(names))
	for {
		name, isString := strings.CutPrefix(p.value(), `"`)
		i := slices.Index(names, strings.TrimSuffix(name, `"`))
		given := func(f plainField) bool { return f.field == i }
		if !isString || i < 0 || slices.ContainsFunc(fields, given) || !p.take(':') {
			return nil
		}
		raw := p.value()
		if raw == "" {
			return nil
		}
		fields = append(fields, plainField{i, raw})
		if p.take(',') {
			continue
		}
		if p.take('}') && p.space() == "" {
			return fields
		}
		return nil
	}
}

// plainParser is the rest of a text.
type plainParser struct{ text string }

// space skips white space and returns the rest.
func (p *plainParser) space() string {
	p.text = strings.TrimLeft(p.text, " \t\r\n")
	return p.text
}

// take skips white space and c, and reports whether c was there.
func (p *plainParser) take(c byte) bool {
	if p.space() == "" || p.text[0] != c {
		return false
	}
	p.text = p.text[1:]
	return true
}

// value skips white space and a plain value and returns its JSON, or "" if there is
// none.
func (p *plainParser) value() (raw string) {
	text := p.space()
	end := 0
	if strings.HasPrefix(text, `"`) {
		for end = 1; end < len(text) && text[end] != '"'; end++ {
			if c := text[end]; c < ' ' || c > '~' || c == '\\' {
				return ""
			}
		}
		end++
	} else {
		for _, literal := range []string{"true", "false", "null"} {
			if strings.HasPrefix(text, literal) {
				end = len(literal)
			}
		}
	}
	if end > len(text) {
		return ""
	}
	p.text = text[end:]
	return text[:end]
}

// hashPlain returns the BodyHash of a plain body. It changes the order of the fields.
func hashPlain(fields []plainField, names []string) []byte {
	slices.SortFunc(fields, func(x, y plainField) int { return strings.Compare(names[x.field], names[y.field]) })
	canonical := append(make([]byte, 0, 512), '{')
	for _, f := range fields {
		canonical = append(append(fieldName(canonical, names[f.field]), f.raw...), ',')
	}
	sum := sha256.Sum256(closeObject(canonical))
	return sum[:]
}
