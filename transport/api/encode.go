package api

import (
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// The field functions below append one field of a JSON object with a comma after
// it. An object is '{', its fields, closeObject.

func fieldName(dst []byte, name string) []byte {
	dst = append(dst, '"')
	dst = append(dst, name...)
	return append(dst, '"', ':')
}

// closeObject replaces the comma after the last field by a brace.
func closeObject(dst []byte) []byte { return closeWith(dst, '{', '}') }

func closeArray(dst []byte) []byte { return closeWith(dst, '[', ']') }

func closeWith(dst []byte, open, end byte) []byte {
	if dst[len(dst)-1] == open {
		return append(dst, end)
	}
	dst[len(dst)-1] = end
	return dst
}

// quote appends a JSON string. Bytes that are not UTF-8 become U+FFFD.
func quote(dst []byte, value string) []byte {
	dst, _ = jsontext.AppendQuote(dst, value) // the error only reports such a replacement
	return dst
}

func textField(dst []byte, name, value string) []byte {
	return append(quote(fieldName(dst, name), value), ',')
}

// textOrNullField appends null for the empty string.
func textOrNullField(dst []byte, name, value string) []byte {
	if value == "" {
		return nullField(dst, name)
	}
	return textField(dst, name, value)
}

func nullField(dst []byte, name string) []byte { return append(fieldName(dst, name), "null,"...) }

func boolField(dst []byte, name string, value bool) []byte {
	return append(strconv.AppendBool(fieldName(dst, name), value), ',')
}

func numberField(dst []byte, name string, value decimal.Decimal) []byte {
	return append(AppendDecimal(fieldName(dst, name), value), ',')
}

func numberOrNullField(dst []byte, name string, value venues.Optional) []byte {
	if !value.Valid {
		return nullField(dst, name)
	}
	return numberField(dst, name, value.Decimal)
}

func timeField(dst []byte, name string, value venues.Time) []byte {
	return append(venues.AppendTime(fieldName(dst, name), value.Time), ',')
}

// AppendDecimal appends a decimal as a JSON string in plain notation: "0.5",
// "64000", never "64000.00" or "6.4e4". It does not allocate for values of up to 18
// digits.
func AppendDecimal(dst []byte, d decimal.Decimal) []byte {
	return append(venues.AppendDecimal(append(dst, '"'), d), '"')
}

// AppendList appends {"items":[...]}.
func AppendList[T any](dst []byte, items []T, each func([]byte, *T) []byte) []byte {
	return append(appendItems(append(dst, '{'), items, each), '}')
}

// AppendPage appends {"items":[...],"nextCursor":...}. An empty cursor is null: there
// is no next page.
func AppendPage[T any](dst []byte, items []T, each func([]byte, *T) []byte, nextCursor string) []byte {
	dst = append(appendItems(append(dst, '{'), items, each), ',')
	return closeObject(textOrNullField(dst, "nextCursor", nextCursor))
}

func appendItems[T any](dst []byte, items []T, each func([]byte, *T) []byte) []byte {
	return AppendArray(fieldName(dst, "items"), items, each)
}

// AppendArray appends [...].
func AppendArray[T any](dst []byte, items []T, each func([]byte, *T) []byte) []byte {
	dst = append(dst, '[')
	for i := range items {
		dst = append(each(dst, &items[i]), ',')
	}
	return closeArray(dst)
}

// appendAny appends a value of error details, records in their usual form. A value
// that cannot be encoded becomes null.
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
		return venues.AppendTime(dst, v)
	case venues.Time:
		return venues.AppendTime(dst, v.Time)
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
