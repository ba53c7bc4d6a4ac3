package venuetest

import (
	"regexp"
	"strconv"
	"strings"
)

// Members are the members of a message by what the connector makes of them. "[2]"
// is the third cell of rows that name nothing.
type Members struct {
	// Words decide and are of a closed set, Names say what the message is about,
	// Figures are numbers: none may be missing. Sparse may be missing, and must be
	// right if they are not.
	Words, Names, Figures, Sparse []string
	// Descriptions may be empty, Labels unknown: neither decides anything.
	Descriptions, Labels []string
	// Unread says why no member of the message decides anything.
	Unread string
}

// Answer is what an endpoint answers, a row of the table of bad input.
type Answer struct {
	// Asked is what has it asked, by its name in asks.
	Asked string
	Route Route
	// After is the change that must have been answered before: the outcome of what
	// is asked is then unknown without this answer.
	After Route
	// Spared says why what is asked succeeds without the answer.
	Spared string
	Members
}

func (a *Answer) row() string { return a.Asked + ": " + a.Route.Method + " " + a.Route.Path }

// Event is a kind of message of a stream, a row of the table of bad input.
type Event struct {
	// Tells is what it tells of, by its name in privateNews or publicNews.
	Tells string
	// Mark is a piece that every message of the kind has and no other.
	Mark string
	Members
}

func (e *Event) row() string { return e.Tells + ": " + e.Mark }

// way of spoiling messages, a column of the table of bad input.
type way struct {
	name string
	// harmless says that the message must be understood all the same.
	harmless bool
	spoils   func(Members) []spoiling
}

// spoiling is one message spoilt.
type spoiling struct {
	what  string
	spoil func(message string) string
}

const page = "<!DOCTYPE html><html><body><h1>Just a moment...</h1></body></html>"

// Values that stand for what no member may be.
const (
	wrongTyped  = `[7]`
	unknownWord = `"novel"`
	emptyWord   = `""`
)

// The columns of the table of bad input.
var (
	inHTML   = way{name: "HTML", spoils: whole(func(string) string { return page })}
	cutShort = way{name: "cut", spoils: whole(func(message string) string { return message[:len(message)/2] })}
	emptied  = way{name: "empty", spoils: whole(func(string) string { return "" })}
	foreign  = way{name: "foreign", spoils: foreignJSON}
	mistyped = way{name: "mistyped", spoils: func(m Members) []spoiling {
		return each(with(wrongTyped), m.Words, m.Names, m.Figures, m.Sparse)
	}}
	unknown = way{name: "unknown", spoils: func(m Members) []spoiling {
		return each(with(unknownWord), m.Words, m.Figures, m.Sparse)
	}}
	missing = way{name: "missing", spoils: func(m Members) []spoiling {
		return append(each(with(emptyWord), m.Words, m.Names, m.Figures), each(absent, m.Words, m.Names, m.Figures)...)
	}}
	described = way{name: "falls back", harmless: true, spoils: func(m Members) []spoiling {
		return append(each(with(emptyWord), m.Descriptions), each(with(`"Неизвестно 未知"`), m.Labels)...)
	}}
	novel = way{name: "novel", harmless: true, spoils: whole(withNovelty)}
)

// refused is the venue's way to fail with status 200, in words that fill pages.
func refused(body string) way {
	return way{name: "refused", spoils: whole(func(string) string { return body })}
}

// whole spoils a message as a whole.
func whole(spoil func(string) string) func(Members) []spoiling {
	return func(Members) []spoiling { return []spoiling{{"all of it", spoil}} }
}

func foreignJSON(Members) []spoiling {
	bodies := []string{`null`, `{}`, `"text"`, `[[]]`, `[null]`}
	all := make([]spoiling, len(bodies))
	for n, body := range bodies {
		all[n] = spoiling{body, func(string) string { return body }}
	}
	return all
}

// each spoils one member after the other.
func each(spoil func(member string) spoiling, lists ...[]string) []spoiling {
	var all []spoiling
	for _, members := range lists {
		for _, member := range members {
			all = append(all, spoil(member))
		}
	}
	return all
}

// with puts a value in the place of every value of a member, which stays under a
// name that nobody knows.
func with(value string) func(member string) spoiling {
	return func(member string) spoiling {
		what := member + "=" + value
		if cell, ok := cellOf(member); ok {
			return spoiling{what, inCell(cell, value)}
		}
		old, spoilt := `"`+member+`":`, `"`+member+`":`+value+`,"`+member+`Of2031":`
		return spoiling{what, func(message string) string { return strings.ReplaceAll(message, old, spoilt) }}
	}
}

// absent takes a member away; from a row that names nothing, its value.
func absent(member string) spoiling {
	what := member + " absent"
	if cell, ok := cellOf(member); ok {
		return spoiling{what, inCell(cell, "null")}
	}
	old, spoilt := `"`+member+`":`, `"`+member+`Of2031":`
	return spoiling{what, func(message string) string { return strings.ReplaceAll(message, old, spoilt) }}
}

// cellOf reads the name of a cell.
func cellOf(member string) (cell int, ok bool) {
	number, isCell := strings.CutPrefix(member, "[")
	cell, err := strconv.Atoi(strings.TrimSuffix(number, "]"))
	return cell, isCell && err == nil
}

// plainRows are lists of values that are no lists themselves.
var plainRows = regexp.MustCompile(`\[(?:"[^"]*"|[^]["{},]+)(?:,(?:"[^"]*"|[^]["{},]+))*\]`)

// inCell puts a value into a cell of every row.
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

// objects are how they begin, but for one within a text.
var objects = regexp.MustCompile(`(^|[\[:,])\{`)

// withNovelty puts a member that nobody knows at the head of every object, and a
// cell at the end of every row.
func withNovelty(message string) string {
	message = plainRows.ReplaceAllStringFunc(message, func(row string) string { return row[:len(row)-1] + `,"2031"]` })
	message = objects.ReplaceAllString(message, `$1{"noveltyOf2031":{"deep":[1,"two",null]},`)
	return strings.ReplaceAll(message, ",}", "}")
}
