package rows

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// JSON within a value, such as the data of an event, is 1 and its text, or 2 and the names and values of an object that has only plain
// strings and nulls, as that of most events.
const (
	jsonText    = 1
	jsonStrings = 2
)

// writeJSON appends a JSON value without white space.
func (c *codec) writeJSON(value []byte) {
	begin, reference := len(c.out), c.reference
	c.out = append(c.out, jsonStrings)
	if c.writeStrings(string(value)) {
		return
	}
	c.out, c.reference = append(c.out[:begin], jsonText), reference
	c.writeBytes(value)
}

// writeStrings appends the names and values of an object, and reports whether all values are
// plain strings or null.
func (c *codec) writeStrings(object string) bool {
	rest, is := strings.CutPrefix(object, "{")
	for more := is && rest != "}"; more; {
		var name string
		if name, rest, is = cutPlain(rest); !is {
			return false
		}
		c.writeText(name)
		rest = strings.TrimPrefix(rest, ":")
		if after, isNull := strings.CutPrefix(rest, "null"); isNull {
			c.out, rest = append(c.out, textNull), after
		} else {
			var value string
			if value, rest, is = cutPlain(rest); !is {
				return false
			}
			c.writeText(value)
		}
		rest, more = strings.CutPrefix(rest, ",")
	}
	c.out = append(c.out, textNull) // the end: no name is null
	return is && rest == "}"
}

// cutPlain returns the text of the plain JSON string at the begin of s, and what follows.
func cutPlain(s string) (text, rest string, is bool) {
	if s == "" || s[0] != '"' {
		return "", s, false
	}
	text, rest, is = strings.Cut(s[1:], `"`)
	return text, rest, is && isPlain(text)
}

// isPlain reports whether a JSON string has no escapes, nothing to escape and
// only ASCII, so that its bytes are its text.
func isPlain(text string) bool {
	for i := range len(text) {
		if b := text[i]; b < ' ' || b == '"' || b == '\\' || b > '~' {
			return false
		}
	}
	return true
}

// readJSON reads a JSON value.
func (c *codec) readJSON() json.RawMessage {
	switch form := c.readByte(); form {
	case jsonText:
		value := bytes.Clone(c.readBytes())
		if c.err == nil && !json.Valid(value) {
			c.fail(fmt.Errorf("%w: JSON %.20q", errMalformed, value))
		}
		return value
	case jsonStrings:
		return c.readStrings()
	default:
		c.fail(fmt.Errorf("%w: JSON of form %d", errMalformed, form))
		return nil
	}
}

func (c *codec) readStrings() json.RawMessage {
	object := []byte{'{'}
	for c.err == nil {
		form := c.readByte()
		if form == textNull {
			break
		}
		if len(object) > 1 {
			object = append(object, ',')
		}
		object = append(c.appendPlain(object, form), ':')
		if form = c.readByte(); form == textNull {
			object = append(object, "null"...)
		} else {
			object = c.appendPlain(object, form)
		}
	}
	return append(object, '}')
}

// appendPlain appends the text that is read after its first byte as a JSON string.
func (c *codec) appendPlain(dst []byte, form byte) []byte {
	text := c.readTextForm(form)
	if !isPlain(text) {
		c.fail(fmt.Errorf("%w: %.20q in an object of plain strings", errMalformed, text))
	}
	return append(append(append(dst, '"'), text...), '"')
}
