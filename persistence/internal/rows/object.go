package rows

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strconv"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// object appends the members of one JSON object, in the order of the record's
// fields and in the words of encoding/json without its escaping of HTML: nothing
// tells whether a value was written here or by reflection.
type object []byte

func openObject(dst []byte) object { return append(dst, '{') }

// close replaces the comma behind the last member; none of the records is empty.
func (o object) close() []byte {
	o[len(o)-1] = '}'
	return o
}

func (o object) name(member string) object {
	o = append(o, '"')
	o = append(o, member...)
	return append(o, '"', ':')
}

func (o object) null(member string) object { return append(o.name(member), "null,"...) }

func (o object) text(member, value string) object {
	return append(quote(o.name(member), value), ',')
}

// omitted leaves an empty text out.
func (o object) omitted(member, value string) object {
	if value == "" {
		return o
	}
	return o.text(member, value)
}

// flag leaves false out.
func (o object) flag(member string, value bool) object {
	if !value {
		return o
	}
	return append(o.name(member), "true,"...)
}

func (o object) count(member string, value uint64) object {
	return append(strconv.AppendUint(o.name(member), value, 10), ',')
}

func (o object) integer(member string, value int) object {
	return append(strconv.AppendInt(o.name(member), int64(value), 10), ',')
}

func (o object) decimal(member string, value decimal.Decimal) object {
	return append(venues.AppendDecimal(append(o.name(member), '"'), value), '"', ',')
}

func (o object) optional(member string, value venues.Optional) object {
	if !value.Valid {
		return o.null(member)
	}
	return o.decimal(member, value.Decimal)
}

func (o object) moment(member string, value venues.Time) object {
	return append(venues.AppendTime(o.name(member), value.Time), ',')
}

func (o object) bytes(member string, value []byte) object {
	if value == nil {
		return o.null(member)
	}
	o = append(o.name(member), '"')
	return append(base64.StdEncoding.AppendEncode(o, value), '"', ',')
}

// member appends an object as a member of this one.
func (o object) member(name string, inner func(object) object) object {
	return append(inner(openObject(o.name(name))).close(), ',')
}

// quote appends a JSON string. Texts of the service are plain but for comments
// and the words of venues.
func quote(dst []byte, value string) []byte {
	for i := range len(value) {
		if c := value[i]; c < ' ' || c == '"' || c == '\\' || c > '~' {
			return quoteOdd(dst, value)
		}
	}
	dst = append(dst, '"')
	dst = append(dst, value...)
	return append(dst, '"')
}

func quoteOdd(dst []byte, value string) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // a string in memory cannot fail
	return append(dst, bytes.TrimSuffix(out.Bytes(), []byte("\n"))...)
}
