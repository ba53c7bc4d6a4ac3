package payload

import "venuegate/venues"

// Number is a decimal of a venue: a JSON string or a plain JSON number. null, "", "null"
// and a missing member are unknown. Exponents are rejected.
type Number struct{ venues.Optional }

// UnmarshalJSON implements json.Unmarshaler.
func (n *Number) UnmarshalJSON(data []byte) error {
	text := Unquote(data)
	if text == "" {
		*n = Number{}
		return nil
	}
	value, err := venues.ParseVenueDecimal(text)
	if err != nil {
		return err
	}
	n.Optional = venues.Some(value)
	return nil
}

// Positive returns the number if it is above zero, else unknown: venues print "0" or "-1"
// where there is none.
func (n Number) Positive() venues.Optional { return venues.SomePositive(n.Decimal) }

// Unquote returns the text of a JSON value that venues print with or without quotes. null
// is empty, also in quotes. Escapes are not supported; the venues' enums and numbers have
// none.
func Unquote(data []byte) string {
	if len(data) >= 2 && data[0] == '"' && data[len(data)-1] == '"' {
		data = data[1 : len(data)-1]
	}
	if text := string(data); text != "null" {
		return text
	}
	return ""
}
