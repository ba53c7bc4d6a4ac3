package api

import (
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"venuegate/venues"
)

// Query reads the parameters of a query string under the rules of a request
// body: unknown names are ignored, and a name given twice or in another case is an
// error, as is an empty value. It is for one goroutine.
type Query struct {
	ValidationErrors
	known  []string
	values map[string]string
	// unknown holds the given names that are no parameter.
	unknown []string
}

// ParseQuery reads a raw query string with the given known parameters.
func ParseQuery(raw string, known ...string) *Query {
	q := &Query{known: known}
	if raw == "" {
		return q
	}
	q.values = make(map[string]string)
	pairs, err := url.ParseQuery(raw)
	if err != nil || !utf8.ValidString(raw) {
		q.Add("query", RuleMalformed, "", "name=value pairs, percent-encoded")
		return q
	}
	names := make([]string, 0, len(pairs))
	for name := range pairs {
		names = append(names, name)
	}
	slices.Sort(names) // errors in a stable order
	for _, name := range names {
		q.add(name, pairs[name])
	}
	return q
}

func (q *Query) add(name string, values []string) {
	switch {
	case !slices.Contains(q.known, name):
		q.addUnknown(name)
	case len(values) > 1:
		q.Add(name, RuleDuplicate, "", "each name once")
	case !utf8.ValidString(values[0]):
		q.Add(name, RuleMalformed, "", "UTF-8")
	default:
		q.values[name] = values[0]
	}
}

func (q *Query) addUnknown(name string) {
	for _, parameter := range q.known {
		if strings.EqualFold(parameter, name) {
			q.Add(name, RuleWrongCase, name, parameter)
			return
		}
	}
	q.unknown = append(q.unknown, name)
}

// RejectUnknown records unknown names as errors. It is for requests in which a
// misspelt filter would widen what is changed.
func (q *Query) RejectUnknown() {
	for _, name := range q.unknown {
		q.Add(name, RuleUnknownName, name, strings.Join(q.known, ", "))
	}
}

// Empty reports whether no known parameter was given.
func (q *Query) Empty() bool { return len(q.values) == 0 }

// Require records an error if a parameter is absent.
func (q *Query) Require(name string) {
	if _, given := q.values[name]; !given {
		q.Add(name, RuleMissing, "", "")
	}
}

// Exchange returns the code of a venue, or "" if the parameter is absent.
func (q *Query) Exchange(name string) venues.Venue { return QueryOneOf(q, name, "", venues.All()...) }

// Symbol returns a symbol in the spelling of the client, or "" if the parameter is
// absent.
func (q *Query) Symbol(name string) string {
	value, given := q.values[name]
	if !given {
		return ""
	}
	return q.parseSymbol(name, value)
}

// RequestID returns an idempotency key, or "" if the parameter is absent.
func (q *Query) RequestID(name string) string {
	value, given := q.values[name]
	if !given {
		return ""
	}
	return q.parseRequestID(name, value)
}

// Identifier returns an id made by the service, or "" if the parameter is absent.
func (q *Query) Identifier(name string) string {
	value, given := q.values[name]
	if !given {
		return ""
	}
	if !ValidIdentifier(value) {
		q.Add(name, RuleMalformed, value, "an id that the service made")
		return ""
	}
	return value
}

// identifierCharsMax leaves room: a prefix and a ULID are 30 characters.
const identifierCharsMax = 64

// ValidIdentifier reports whether text can be an id made by the service:
// `[A-Za-z0-9_]{1,64}`.
func ValidIdentifier(text string) bool {
	return len(text) <= identifierCharsMax && ValidRequestID(text) && !strings.ContainsAny(text, ".:-")
}

// Time returns a time, or the zero time if the parameter is absent.
func (q *Query) Time(name string) time.Time {
	value, given := q.values[name]
	if !given {
		return time.Time{}
	}
	return q.parseTime(name, value)
}

// Limit returns a page size from 1 to most, or fallback if the parameter is
// absent.
func (q *Query) Limit(name string, fallback, most int) int {
	value, given := q.values[name]
	if !given {
		return fallback
	}
	return q.parseLimit(name, value, most)
}

// Text returns a value unchecked; given is false if the parameter is absent.
func (q *Query) Text(name string) (value string, given bool) {
	value, given = q.values[name]
	return value, given
}

// QueryOneOf returns one of the allowed values, or fallback if the parameter is
// absent.
func QueryOneOf[T ~string](q *Query, name string, fallback T, allowed ...T) T {
	value, given := q.values[name]
	if !given {
		return fallback
	}
	return parseOneOf(&q.ValidationErrors, name, value, allowed...)
}

// Filters returns the names and values of the given parameters, without limit and
// cursor, in a stable order. A cursor is bound to them.
func (q *Query) Filters() []string {
	names := make([]string, 0, len(q.values))
	for name := range q.values {
		if name != "limit" && name != "cursor" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	filters := make([]string, 0, 2*len(names))
	for _, name := range names {
		filters = append(filters, name, q.values[name])
	}
	return filters
}
