package notify

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// joiner keeps composed emoji together; it is the one invisible character that
// texts may have.
const joiner = '\u200d'

// clean makes foreign text a single harmless line: without control characters,
// directional overrides and other invisible ones, and valid UTF-8.
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

// isBlank: letters that show nothing, and what forces a direction by other
// means than unicode.Cf.
func isBlank(r rune) bool {
	switch r {
	case '\u034f', '\u115f', '\u1160', '\u17b4', '\u17b5', '\u3164', '\uffa0':
		return true
	default:
		return false
	}
}

// isNoncharacter: no XML document may hold them.
func isNoncharacter(r rune) bool { return r&0xfffe == 0xfffe || (r >= 0xfdd0 && r <= 0xfdef) }

// cut shortens a text to a number of runes, and shows that it did.
func cut(text string, runesMax int) string {
	if utf8.RuneCountInString(text) <= runesMax {
		return text
	}
	runes := []rune(text)
	return string(runes[:runesMax-1]) + "…"
}
