package scan

import "venuegate/venues"

// powers are the powers of ten that fit an int64.
var powers = func() (p [digitsMax + 1]int64) {
	p[0] = 1
	for n := 1; n < len(p); n++ {
		p[n] = 10 * p[n-1]
	}
	return p
}()

// Levels reads `[["price","qty",...],...]` and appends to out. Further cells are skipped.
// It fails for a price of zero and for a number that is finer than the scale or has more
// than digitsMax digits at that scale.
func (s *Scanner) Levels(scale venues.Scale, out *[]venues.Level) bool {
	if !s.Skip('[') {
		return false
	}
	if s.Skip(']') {
		return true
	}
	// Local variables stay in registers.
	data, at, levels := s.data, s.at, *out
	for {
		if at >= len(data) || data[at] != '[' {
			return false
		}
		price, next := fixed(data, at+1, scale.PriceDecimals)
		if price == 0 || next >= len(data) || data[next] != ',' {
			return false
		}
		qty, end := fixed(data, next+1, scale.QtyDecimals)
		if end = skipCells(data, end); end == 0 {
			return false
		}
		levels = append(levels, venues.Level{Price: price, Qty: qty})
		if end >= len(data) {
			return false
		}
		at = end + 1
		if data[end] == ',' {
			continue
		}
		s.at, *out = at, levels
		return data[end] == ']'
	}
}

// skipCells skips the cells after a level's quantity, `]` included, and returns where
// they end; 0 on failure.
func skipCells(data []byte, at int) int {
	for at > 0 && at < len(data) {
		if data[at] == ']' {
			return at + 1
		}
		if data[at] != ',' || at+1 >= len(data) || data[at+1] != '"' {
			return 0
		}
		at = closing(data, at+2) + 1
	}
	return 0
}

// fixed reads a quoted decimal that fits the number of decimals without loss, and returns
// where it ends; 0 and 0 on failure.
func fixed(data []byte, at, decimals int) (n int64, end int) {
	if at >= len(data) || data[at] != '"' {
		return 0, 0
	}
	start := at + 1
	n, at = digits(data, start, 0)
	if at == start || at-start+decimals > digitsMax || at >= len(data) {
		return 0, 0
	}
	left := decimals
	if data[at] == '.' {
		point := at + 1
		for at = point; left > 0 && at < len(data) && data[at]-'0' <= 9; left-- {
			n = n*10 + int64(data[at]-'0')
			at++
		}
		for at < len(data) && data[at] == '0' {
			at++ // finer than the scale, but zero
		}
		if at == point || at-point > venues.DecimalDigitsMax || at >= len(data) {
			return 0, 0
		}
	}
	if data[at] != '"' {
		return 0, 0
	}
	return n * powers[left], at + 1
}
