package api

import (
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"venuegate/venues"
)

// Query reads the parameters of a query string under the rules of Body: names
// that are not known are ignored, a name given twice or in another case is a
// fault, and so is an empty value. It is for one goroutine.
type Query struct {
	Faults
	values map[string]string
	// unknown lists names that are no parameter.
	unknown []string
}

// ParseQuery reads a raw query string, whose known parameters are named.
func ParseQuery(raw string, known ...string) *Query {
	q := &Query{values: make(map[string]string)}
	pairs, err := url.ParseQuery(raw)
	if err != nil || !utf8.ValidString(raw) {
		q.Add("query", RuleMalformed, "", "name=value pairs, percent-encoded")
		return q
	}
	names := make([]string, 0, len(pairs))
	for name := range pairs {
		names = append(names, name)
	}
	slices.Sort(names) // faults in a stable order
	for _, name := range names {
		q.take(name, pairs[name], known)
	}
	return q
}

func (q *Query) take(name string, values, known []string) {
	if !slices.Contains(known, name) {
		q.foreign(name, known)
		return
	}
	switch {
	case len(values) > 1:
		q.Add(name, RuleDuplicate, "", "each name once")
	case !utf8.ValidString(values[0]):
		q.Add(name, RuleMalformed, "", "UTF-8")
	default:
		q.values[name] = values[0]
	}
}

func (q *Query) foreign(name string, known []string) {
	for _, parameter := range known {
		if strings.EqualFold(parameter, name) {
			q.Add(name, RuleWrongCase, name, parameter)
			return
		}
	}
	q.unknown = append(q.unknown, name)
}

// RefuseUnknown makes unknown names faults. It is for requests in which a
// misspelt filter would widen what is changed.
func (q *Query) RefuseUnknown(known ...string) {
	for _, name := range q.unknown {
		q.Add(name, RuleUnknownName, name, strings.Join(known, ", "))
	}
}

// Empty says whether no known parameter was given.
func (q *Query) Empty() bool { return len(q.values) == 0 }

// Exchange reads an exchange code; absent is empty.
func (q *Query) Exchange(name string) venues.Venue {
	value, given := q.values[name]
	if !given {
		return ""
	}
	return q.exchange(name, value)
}

// Symbol reads a symbol in any spelling, as given; absent is empty.
func (q *Query) Symbol(name string) string {
	value, given := q.values[name]
	if !given {
		return ""
	}
	return q.symbol(name, value)
}

// RequestID reads an idempotency key; absent is empty.
func (q *Query) RequestID(name string) string {
	value, given := q.values[name]
	if !given {
		return ""
	}
	return q.requestID(name, value)
}

// Identifier reads an id made by the service; absent is empty.
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

// identifierCharsMax is ample: a prefix and a ULID are 30 characters.
const identifierCharsMax = 64

// ValidIdentifier says whether text can be an id made by the service:
// `[A-Za-z0-9_]{1,64}`.
func ValidIdentifier(text string) bool {
	return len(text) <= identifierCharsMax && ValidRequestID(text) && !strings.ContainsAny(text, ".:-")
}

// Time reads a moment; absent is zero.
func (q *Query) Time(name string) time.Time {
	value, given := q.values[name]
	if !given {
		return time.Time{}
	}
	return q.moment(name, value)
}

// Limit reads a page size of at most most; absent is fallback.
func (q *Query) Limit(name string, fallback, most int) int {
	value, given := q.values[name]
	if !given {
		return fallback
	}
	return q.limit(name, value, most)
}

// Text reads a value as it is.
func (q *Query) Text(name string) (value string, given bool) {
	value, given = q.values[name]
	return value, given
}

// QueryOneOf reads an enumerated value of q; absent is fallback.
func QueryOneOf[T ~string](q *Query, name string, fallback T, allowed ...T) T {
	value, given := q.values[name]
	if !given {
		return fallback
	}
	return oneOf(&q.Faults, name, value, allowed...)
}

// Filters lists names and values of the parameters given, without limit and
// cursor, in a stable order: what a cursor is bound to.
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
