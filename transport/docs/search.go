package docs

import (
	"html"
	"regexp"
	"strings"
)

// Limits of a search.
const (
	queryBytesMax = 100
	wordsMax      = 8
	resultsMax    = 40
	excerptRunes  = 160
)

// entry is what a search can find: a section of a page, an operation or an event.
type entry struct {
	Title string
	// Where is the page that has it.
	Where string
	URL   string
	text  string
	// lower is title and text in lower case.
	lowerTitle, lower string
}

// result is an entry that a search has found.
type result struct {
	entry
	Excerpt string
}

func newEntry(title, where, url, text string) entry {
	return entry{title, where, url, text, strings.ToLower(title), strings.ToLower(title + " " + text)}
}

var (
	headings = regexp.MustCompile(`(?s)<h[1-3] id="([^"]+)"[^>]*>(.*?)</h[1-3]>`)
	tags     = regexp.MustCompile(`<[^>]*>`)
)

// sections returns the sections of a rendered page. A section begins with a heading that
// has an id.
func sections(title, url, body string) (list []entry) {
	found := headings.FindAllStringSubmatchIndex(body, -1)
	for i, at := range found {
		end := len(body)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		list = append(list, newEntry(plain(body[at[4]:at[5]]), title, url+"#"+body[at[2]:at[3]], plain(body[at[1]:end])))
	}
	return list
}

// plain returns the text of HTML.
func plain(markup string) string {
	return strings.Join(strings.Fields(html.UnescapeString(tags.ReplaceAllString(markup, " "))), " ")
}

// search returns the entries that contain all words of the query, first those that have
// them in the title.
func search(entries []entry, query string) (results []result) {
	words := strings.Fields(strings.ToLower(query[:min(len(query), queryBytesMax)]))
	words = words[:min(len(words), wordsMax)]
	if len(words) == 0 {
		return nil
	}
	var inText []result
	for i := range entries {
		e := &entries[i]
		switch {
		case containsAll(e.lowerTitle, words):
			results = append(results, result{*e, excerpt(e.text, words[0])})
		case containsAll(e.lower, words):
			inText = append(inText, result{*e, excerpt(e.text, words[0])})
		}
	}
	results = append(results, inText...)
	return results[:min(len(results), resultsMax)]
}

func containsAll(text string, words []string) bool {
	for _, word := range words {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// excerpt returns the text around the first occurrence of a word.
func excerpt(text, word string) string {
	runes := []rune(text)
	at, _, found := strings.Cut(strings.ToLower(text), word)
	start := 0
	if found {
		start = max(len([]rune(at))-excerptRunes/3, 0)
	}
	start = min(start, len(runes))
	end := min(start+excerptRunes, len(runes))
	short := string(runes[start:end])
	if start > 0 {
		short = "…" + short
	}
	if end < len(runes) {
		short += "…"
	}
	return short
}
