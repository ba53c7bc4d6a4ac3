package notify

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// joiner is part of composed emoji; it is the only invisible character allowed.
const joiner = '\u200d'

// clean returns a text as a single line of valid UTF-8, without control characters,
// directional overrides and other invisible characters.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == joiner:
			return r
		case unicode.In(r, unicode.C, unicode.Zl, unicode.Zp), isBlank(r), isNoncharacter(r):
			return -1
		default:
			return r
		}
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// isBlank reports whether a character is invisible and not in unicode.C.
func isBlank(r rune) bool {
	switch r {
	case '\u034f', '\u115f', '\u1160', '\u17b4', '\u17b5', '\u3164', '\uffa0':
		return true
	default:
		return false
	}
}

// isNoncharacter reports whether a character is not allowed in XML.
func isNoncharacter(r rune) bool { return r&0xfffe == 0xfffe || (r >= 0xfdd0 && r <= 0xfdef) }

// cut shortens a text to a number of runes. A shortened text ends with an ellipsis.
func cut(text string, runesMax int) string {
	if utf8.RuneCountInString(text) <= runesMax {
		return text
	}
	runes := []rune(text)
	return string(runes[:runesMax-1]) + "…"
}
