package venuetest

import (
	"regexp"
	"strconv"
	"strings"
)

// Members are the members of a message by how the connector must treat them. "[2]" is the
// third cell of a row that is an array.
type Members struct {
	// Enums have a closed set of values, Required identify what the message concerns,
	// Numbers are decimals: none may be missing. Optional may be missing, and must be
	// valid if present.
	Enums, Required, Numbers, Optional []string
	// Descriptions may be empty and Labels unknown: no decision depends on them.
	Descriptions, Labels []string
	// Skipped is the reason why no decision depends on any member of the message.
	Skipped string
}

// Answer is the answer of an endpoint, a row of the table of bad input.
type Answer struct {
	// Operation is the operation that requests it, by its name in operations.
	Operation string
	Route     Route
	// After is the change that is answered before: without this answer the outcome of
	// the operation is then unknown.
	After Route
	// Succeeds is the reason why the operation succeeds without the answer.
	Succeeds string
	Members
}

func (a *Answer) row() string { return a.Operation + ": " + a.Route.Method + " " + a.Route.Path }

// Event is a kind of message of a stream, a row of the table of bad input.
type Event struct {
	// Kind is its name in privateEvents or publicTopics.
	Kind string
	// Mark is a text that every message of the kind contains and no other.
	Mark string
	Members
}

func (e *Event) row() string { return e.Kind + ": " + e.Mark }

// way is a way of corrupting messages, a column of the table of bad input.
type way struct {
	name string
	// harmless: the message must be decoded nevertheless.
	harmless bool
	corrupt  func(Members) []corruption
}

// corruption changes one member of a message.
type corruption struct {
	what  string
	apply func(message string) string
}

const page = "<!DOCTYPE html><html><body><h1>Just a moment...</h1></body></html>"

// Values that no member may have.
const (
	wrongTyped  = `[7]`
	unknownWord = `"novel"`
	emptyWord   = `""`
)

// The columns of the table of bad input.
var (
	inHTML   = way{name: "HTML", corrupt: entire(func(string) string { return page })}
	cutShort = way{name: "cut", corrupt: entire(func(message string) string { return message[:len(message)/2] })}
	emptied  = way{name: "empty", corrupt: entire(func(string) string { return "" })}
	foreign  = way{name: "foreign", corrupt: foreignJSON}
	mistyped = way{name: "mistyped", corrupt: func(m Members) []corruption {
		return each(with(wrongTyped), m.Enums, m.Required, m.Numbers, m.Optional)
	}}
	unknown = way{name: "unknown", corrupt: func(m Members) []corruption {
		return each(with(unknownWord), m.Enums, m.Numbers, m.Optional)
	}}
	missing = way{name: "missing", corrupt: func(m Members) []corruption {
		return append(each(with(emptyWord), m.Enums, m.Required, m.Numbers), each(absent, m.Enums, m.Required, m.Numbers)...)
	}}
	described = way{name: "falls back", harmless: true, corrupt: func(m Members) []corruption {
		return append(each(with(emptyWord), m.Descriptions), each(with(`"Неизвестно 未知"`), m.Labels)...)
	}}
	novel = way{name: "novel", harmless: true, corrupt: entire(withNovelty)}
)

// withError returns the corruption into an error of the venue with status 200 and a text
// of several pages.
func withError(body string) way {
	return way{name: "error code", corrupt: entire(func(string) string { return body })}
}

// entire corrupts a message as a whole.
func entire(apply func(string) string) func(Members) []corruption {
	return func(Members) []corruption { return []corruption{{"whole message", apply}} }
}

func foreignJSON(Members) []corruption {
	bodies := []string{`null`, `{}`, `"text"`, `[[]]`, `[null]`}
	all := make([]corruption, len(bodies))
	for n, body := range bodies {
		all[n] = corruption{body, func(string) string { return body }}
	}
	return all
}

// each corrupts one member after the other.
func each(apply func(member string) corruption, lists ...[]string) []corruption {
	var all []corruption
	for _, members := range lists {
		for _, member := range members {
			all = append(all, apply(member))
		}
	}
	return all
}

// with replaces every value of a member. The old value remains under an unknown name.
func with(value string) func(member string) corruption {
	return func(member string) corruption {
		what := member + "=" + value
		if cell, ok := cellOf(member); ok {
			return corruption{what, inCell(cell, value)}
		}
		old, corrupted := `"`+member+`":`, `"`+member+`":`+value+`,"`+member+`Of2031":`
		return corruption{what, func(message string) string { return strings.ReplaceAll(message, old, corrupted) }}
	}
}

// absent removes a member, or the value of a cell.
func absent(member string) corruption {
	what := member + " absent"
	if cell, ok := cellOf(member); ok {
		return corruption{what, inCell(cell, "null")}
	}
	old, corrupted := `"`+member+`":`, `"`+member+`Of2031":`
	return corruption{what, func(message string) string { return strings.ReplaceAll(message, old, corrupted) }}
}

// cellOf parses the name of a cell, such as [2].
func cellOf(member string) (cell int, ok bool) {
	number, isCell := strings.CutPrefix(member, "[")
	cell, err := strconv.Atoi(strings.TrimSuffix(number, "]"))
	return cell, isCell && err == nil
}

// plainRows matches lists of values that are not lists.
var plainRows = regexp.MustCompile(`\[(?:"[^"]*"|[^]["{},]+)(?:,(?:"[^"]*"|[^]["{},]+))*\]`)

// inCell replaces the value of a cell in every row.
func inCell(cell int, value string) func(string) string {
	return func(message string) string {
		return plainRows.ReplaceAllStringFunc(message, func(row string) string {
			cells := strings.Split(row[1:len(row)-1], ",")
			if cell < len(cells) {
				cells[cell] = value
			}
			return "[" + strings.Join(cells, ",") + "]"
		})
	}
}

// objects matches the beginning of an object that is not inside a string.
var objects = regexp.MustCompile(`(^|[\[:,])\{`)

// withNovelty adds an unknown member to every object and a cell to every row.
func withNovelty(message string) string {
	message = plainRows.ReplaceAllStringFunc(message, func(row string) string { return row[:len(row)-1] + `,"2031"]` })
	message = objects.ReplaceAllString(message, `$1{"noveltyOf2031":{"deep":[1,"two",null]},`)
	return strings.ReplaceAll(message, ",}", "}")
}
