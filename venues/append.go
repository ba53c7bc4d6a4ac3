package venues

import (
	"time"

	"github.com/shopspring/decimal"
)

// AppendDecimal appends a decimal in plain notation, as FormatDecimal prints it. Like the
// other functions here it does not allocate.
func AppendDecimal(dst []byte, d decimal.Decimal) []byte {
	if places, ok := Scaled(d); ok {
		return AppendFixed(dst, d.CoefficientInt64(), places)
	}
	return append(dst, d.String()...)
}

// Scaled reports whether d is an int64 of at most DecimalDigitsMax digits divided by
// 10^places.
func Scaled(d decimal.Decimal) (places int, ok bool) {
	places = int(-d.Exponent())
	return places, places >= 0 && places <= DecimalDigitsMax && d.NumDigits() <= DecimalDigitsMax
}

// digitPairs is "00" to "99": two digits cost one division and one copy.
const digitPairs = "00010203040506070809" +
	"10111213141516171819" +
	"20212223242526272829" +
	"30313233343536373839" +
	"40414243444546474849" +
	"50515253545556575859" +
	"60616263646566676869" +
	"70717273747576777879" +
	"80818283848586878889" +
	"90919293949596979899"

// uint64Digits is the length of the longest uint64.
const uint64Digits = 20

// AppendFixed appends n / 10^decimals in plain notation without trailing zeros: "0.5",
// "64000", never "64000.00". decimals is at most DecimalDigitsMax.
func AppendFixed(dst []byte, n int64, decimals int) []byte {
	u := uint64(n)
	if n < 0 {
		dst = append(dst, '-')
		u = -u
	}
	for decimals >= 2 && u%100 == 0 {
		u /= 100
		decimals -= 2
	}
	if decimals >= 1 && u%10 == 0 {
		u /= 10
		decimals--
	}
	var digits [uint64Digits]byte
	first := putDigits(&digits, u)
	if decimals == 0 {
		return append(dst, digits[first:]...)
	}
	point := uint64Digits - decimals
	if first < point {
		dst = append(dst, digits[first:point]...)
		dst = append(dst, '.')
		return append(dst, digits[point:]...)
	}
	const zeros = "000000000000000000"
	dst = append(dst, '0', '.')
	dst = append(dst, zeros[:first-point]...)
	return append(dst, digits[first:]...)
}

// putDigits writes u at the end of digits and returns the index of the first digit.
func putDigits(digits *[uint64Digits]byte, u uint64) int {
	i := uint64Digits
	for u >= 100 {
		rest := u / 100
		pair := (u - rest*100) * 2
		u = rest
		i -= 2
		digits[i], digits[i+1] = digitPairs[pair], digitPairs[pair+1]
	}
	if u >= 10 {
		i -= 2
		digits[i], digits[i+1] = digitPairs[u*2], digitPairs[u*2+1]
		return i
	}
	i--
	digits[i] = byte('0' + u)
	return i
}

// AppendTime appends a timestamp as JSON: quoted in TimeFormat, or null for the zero
// time. It is faster than time.Time.AppendFormat.
func AppendTime(dst []byte, t time.Time) []byte {
	if t.IsZero() {
		return append(dst, "null"...)
	}
	t = t.UTC()
	year, month, day := t.Date()
	if year < 0 || year > 9999 {
		return t.AppendFormat(dst, `"`+TimeFormat+`"`)
	}
	hour, minute, second := t.Clock()
	milli := t.Nanosecond() / int(time.Millisecond)
	dst = append(dst, '"')
	dst = appendPair(dst, year/100)
	dst = appendPair(dst, year%100)
	dst = append(dst, '-')
	dst = appendPair(dst, int(month))
	dst = append(dst, '-')
	dst = appendPair(dst, day)
	dst = append(dst, 'T')
	dst = appendPair(dst, hour)
	dst = append(dst, ':')
	dst = appendPair(dst, minute)
	dst = append(dst, ':')
	dst = appendPair(dst, second)
	dst = append(dst, '.', byte('0'+milli/100))
	dst = appendPair(dst, milli%100)
	return append(dst, 'Z', '"')
}

// appendPair appends the two digits of n, 0 to 99.
func appendPair(dst []byte, n int) []byte {
	return append(dst, digitPairs[2*n], digitPairs[2*n+1])
}
