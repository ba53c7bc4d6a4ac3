package venues

import (
	"strings"
	"unicode"
)

// symbolLengthMax bounds the length of a symbol.
const symbolLengthMax = 64

// NormalizeSymbol returns the canonical spelling of a linear contract: BTCUSDT for a
// perpetual, BTCUSDT-260925 for a dated future. It accepts BTC-USDT-SWAP,
// BTC-USDT-260925, BTCUSDT_260925, BTCUSDT.P, BINANCE:BTCUSDT.P, BTC/USDT:USDT and lower
// case, and returns "" for text that cannot be a symbol. It does not check that the
// instrument exists.
func NormalizeSymbol(text string) string {
	if text == "" || len(text) > symbolLengthMax {
		return ""
	}
	s := strings.ToUpper(text)
	if !strings.ContainsAny(s, "/:._-") {
		return cleanSymbol(s)
	}
	if base, rest, ok := strings.Cut(s, "/"); ok { // BTC/USDT:USDT[-260925]
		quote, settle, _ := strings.Cut(rest, ":")
		_, expiry, dated := strings.Cut(settle, "-")
		s = base + quote
		if dated {
			s += "-" + expiry
		}
		return cleanSymbol(s)
	}
	if i := strings.IndexByte(s, ':'); i >= 0 { // BINANCE:BTCUSDT.P
		s = s[i+1:]
	}
	s = strings.TrimSuffix(s, ".P")
	s = strings.TrimSuffix(s, "-SWAP")
	s = strings.ReplaceAll(s, "_", "-")
	parts := strings.Split(s, "-")
	last := parts[len(parts)-1]
	if len(parts) > 1 && isExpiry(last) {
		return cleanSymbol(strings.Join(parts[:len(parts)-1], "") + "-" + last)
	}
	return cleanSymbol(strings.Join(parts, ""))
}

func isExpiry(s string) bool { return len(s) == 6 && digitRun(s) == 6 }

// cleanSymbol returns "" for what cannot be a canonical symbol: control characters,
// separators, a dash that does not begin an expiry. Letters of any script are allowed.
func cleanSymbol(s string) string {
	base, expiry, dated := strings.Cut(s, "-")
	if base == "" || (dated && !isExpiry(expiry)) {
		return ""
	}
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' {
			return ""
		}
	}
	return s
}

// InstrumentSet is one venue's instruments at one time. It is immutable and safe for
// concurrent reads.
type InstrumentSet struct {
	list     []Instrument
	bySymbol map[string]*Instrument
}

// NewInstrumentSet indexes instruments. It keeps the slice, which must not be changed
// afterwards.
func NewInstrumentSet(instruments []Instrument) *InstrumentSet {
	set := &InstrumentSet{list: instruments, bySymbol: make(map[string]*Instrument, 2*len(instruments))}
	for i := range instruments {
		set.bySymbol[instruments[i].VenueSymbol] = &instruments[i]
	}
	for i := range instruments { // canonical names win over venue spellings
		set.bySymbol[instruments[i].Symbol] = &instruments[i]
	}
	return set
}

// All returns the instruments. The slice must not be changed.
func (s *InstrumentSet) All() []Instrument {
	if s == nil {
		return nil
	}
	return s.list
}

// Find finds an instrument by the venue's symbol or by any spelling that NormalizeSymbol
// accepts. It is safe on a nil set.
func (s *InstrumentSet) Find(text string) (*Instrument, bool) {
	if s == nil {
		return nil, false
	}
	if i, ok := s.bySymbol[text]; ok {
		return i, true
	}
	i, ok := s.bySymbol[NormalizeSymbol(text)]
	return i, ok
}
