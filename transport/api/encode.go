package api

import (
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// The functions below write one member each, with a comma behind it; an object
// is '{', its members, closeObject.

func name(dst []byte, member string) []byte {
	dst = append(dst, '"')
	dst = append(dst, member...)
	return append(dst, '"', ':')
}

// closeObject replaces the last member's comma.
func closeObject(dst []byte) []byte { return closeWith(dst, '{', '}') }

func closeArray(dst []byte) []byte { return closeWith(dst, '[', ']') }

func closeWith(dst []byte, open, end byte) []byte {
	if dst[len(dst)-1] == open {
		return append(dst, end)
	}
	dst[len(dst)-1] = end
	return dst
}

// quote writes a JSON string; bytes that are not UTF-8 become U+FFFD.
func quote(dst []byte, value string) []byte {
	dst, _ = jsontext.AppendQuote(dst, value) // the error only tells of the replacement
	return dst
}

func text(dst []byte, member, value string) []byte {
	return append(quote(name(dst, member), value), ',')
}

// nullableText writes null for the empty string.
func nullableText(dst []byte, member, value string) []byte {
	if value == "" {
		return null(dst, member)
	}
	return text(dst, member, value)
}

func null(dst []byte, member string) []byte { return append(name(dst, member), "null,"...) }

func boolean(dst []byte, member string, value bool) []byte {
	return append(strconv.AppendBool(name(dst, member), value), ',')
}

func number(dst []byte, member string, value decimal.Decimal) []byte {
	return append(AppendDecimal(name(dst, member), value), ',')
}

func nullableNumber(dst []byte, member string, value venues.Optional) []byte {
	if !value.Valid {
		return null(dst, member)
	}
	return number(dst, member, value.Decimal)
}

func moment(dst []byte, member string, value venues.Time) []byte {
	return append(AppendTime(name(dst, member), value.Time), ',')
}

// AppendTime writes a moment in venues.TimeFormat; the zero moment is null.
func AppendTime(dst []byte, at time.Time) []byte { return venues.AppendTime(dst, at) }

// AppendDecimal writes a decimal as a JSON string in plain notation: "0.5",
// "64000", never "64000.00" or "6.4e4". Values of up to 18 digits cost no
// allocation.
func AppendDecimal(dst []byte, d decimal.Decimal) []byte {
	return append(venues.AppendDecimal(append(dst, '"'), d), '"')
}

// AppendList writes {"items":[...]}.
func AppendList[T any](dst []byte, items []T, each func([]byte, *T) []byte) []byte {
	return append(appendItems(append(dst, '{'), items, each), '}')
}

// AppendPage writes {"items":[...],"nextCursor":...}; no next page is null.
func AppendPage[T any](dst []byte, items []T, each func([]byte, *T) []byte, nextCursor string) []byte {
	dst = append(appendItems(append(dst, '{'), items, each), ',')
	return closeObject(nullableText(dst, "nextCursor", nextCursor))
}

func appendItems[T any](dst []byte, items []T, each func([]byte, *T) []byte) []byte {
	return AppendArray(name(dst, "items"), items, each)
}

// AppendArray writes [...].
func AppendArray[T any](dst []byte, items []T, each func([]byte, *T) []byte) []byte {
	dst = append(dst, '[')
	for i := range items {
		dst = append(each(dst, &items[i]), ',')
	}
	return closeArray(dst)
}

// appendAny writes a value of error details. Records are written as everywhere;
// what cannot be written is null.
func appendAny(dst []byte, value any) []byte {
	switch v := value.(type) {
	case string:
		return quote(dst, v)
	case bool:
		return strconv.AppendBool(dst, v)
	case int:
		return strconv.AppendInt(dst, int64(v), 10)
	case decimal.Decimal:
		return AppendDecimal(dst, v)
	case venues.Optional:
		if !v.Valid {
			return append(dst, "null"...)
		}
		return AppendDecimal(dst, v.Decimal)
	case time.Time:
		return AppendTime(dst, v)
	case venues.Time:
		return AppendTime(dst, v.Time)
	case venues.Order:
		return AppendOrder(dst, &v)
	case *venues.Order:
		return AppendOrder(dst, v)
	}
	encoded, err := json.Marshal(value, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return append(dst, "null"...)
	}
	return append(dst, encoded...)
}
