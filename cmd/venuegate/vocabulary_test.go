package main_test

import (
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// vocabulary lists words that the project does not use in comments and names, each with
// the standard one. A word also stands for its inflected forms where these are listed.
var vocabulary = []struct{ words, instead string }{
	{"tell tells told telling", "report, publish, notify, return"},
	{"hear hears heard", "receive, be notified"},
	{"anew", "again"},
	{"owed", "pending"},
	{"inquiry inquiries", "status query"},
	{"denial denials", "not found, absence check"},
	{"refusal refusals", "rejection"},
	{"catalogue catalogues", "instruments"},
	{"carrier carriers", "transport"},
	{"allowance allowances", "rate limit"},
	{"inlet", "inbox"},
	{"doom doomed condemn condemned fate farewell", "close, drain, close reason"},
	{"mute muted", "stalled"},
	{"patience", "backoff"},
	{"strike strikes", "miss"},
	{"stranger strangers", "unattributed fill"},
	{"doubt doubts doubtful", "mismatch, reconcile"},
	{"naked", "unprotected"},
	{"rearm rearms rearmed", "re-protect"},
	{"rehearse rehearsal", "dry run"},
	{"moment moments", "time, step, millis"},
	{"whoever", "the caller, a client"},
	{"beforehand", "first, in advance"},
	{"nought", "zero"},
}

// phrases are two words that comments do not have, each with the standard one.
var phrases = []struct{ first, second, instead string }{
	{"say says tell tells", "whether", "reports whether"},
	{"goes go went", "on", "continues, resumes"},
	{"is are was were", "asked", "is queried, is called"},
	{"word", "of", "report of"},
}

// vocabularyExceptions are places where a word is right: the name of the field's own
// term, or of something outside the project.
var vocabularyExceptions = map[string][]string{
	"actors/":                        {"tell"}, // sending without a reply, in actor systems
	"actors/account/stream.go":       {"mute"}, // a stored journal kind
	"actors/root/stalled_test.go":    {"mute"},
	"cmd/venuegate/vocabulary_test.": {"*"},
	"persistence/badgerstore/key":    {"word of"}, // of a machine
	"bench/bench.go":                 {"word of"},
}

func TestVocabulary(t *testing.T) {
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && skippedDir(d.Name()) && path != root:
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go"):
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		for _, v := range unusualWords(t, filepath.ToSlash(rel), path, nil) {
			t.Error(v)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// unusualWords returns a line for each unusual word of a file, whose content is source
// unless that is nil. It reads tokens, because a parser takes several times as long.
func unusualWords(t *testing.T, rel, path string, source []byte) (found []string) {
	t.Helper()
	if source == nil {
		var err error
		if source, err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	set := token.NewFileSet()
	file := set.AddFile(path, -1, len(source))
	check := func(at token.Pos, text string, words []string) {
		report := func(word, instead string) {
			if !isException(rel, word) {
				found = append(found, fmt.Sprintf("%s:%d: %s: instead of %s use %s", rel, file.Line(at), text, word, instead))
			}
		}
		for i, word := range words {
			if instead, unusual := standardWords[word]; unusual {
				report(word, instead)
			}
			if seconds, begins := standardPhrases[word]; begins && text == commentText && i+1 < len(words) {
				if instead, unusual := seconds[words[i+1]]; unusual {
					report(word+" "+words[i+1], instead)
				}
			}
		}
	}
	var s scanner.Scanner
	s.Init(file, source, func(at token.Position, message string) { t.Fatalf("%s: %s", at, message) }, scanner.ScanComments)
	for {
		at, kind, text := s.Scan()
		if kind == token.EOF {
			return found
		}
		if kind == token.IDENT {
			check(at, text, splitName(text))
		}
		if kind == token.COMMENT {
			check(at, commentText, strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }))
		}
	}
}

// commentText stands for the text of a comment in the lines of unusualWords.
const commentText = "comment"

// standardWords has the standard word for each unusual one.
var standardWords = func() map[string]string {
	m := map[string]string{}
	for _, v := range vocabulary {
		for word := range strings.FieldsSeq(v.words) {
			m[word] = v.instead
		}
	}
	return m
}()

// standardPhrases has the standard word for each phrase, by its words.
var standardPhrases = func() map[string]map[string]string {
	m := map[string]map[string]string{}
	for _, p := range phrases {
		for first := range strings.FieldsSeq(p.first) {
			m[first] = map[string]string{p.second: p.instead}
		}
	}
	return m
}()

func isException(rel, word string) bool {
	for prefix, words := range vocabularyExceptions {
		if strings.HasPrefix(rel, prefix) && (slices.Contains(words, word) || words[0] == "*") {
			return true
		}
	}
	return false
}

// splitName returns the words of a name in camel case, in lower case.
func splitName(name string) (words []string) {
	begin := 0
	for i, r := range name {
		if i > begin && unicode.IsUpper(r) {
			words = append(words, strings.ToLower(name[begin:i]))
			begin = i
		}
	}
	return append(words, strings.ToLower(name[begin:]))
}

func TestVocabularyFindsUnusualWords(t *testing.T) {
	const source = `package p

// isNaked says whether a position is without a stop.
func isNaked() bool { return toldEnd }

// The venue was asked twice.
var toldEnd bool
`
	got := unusualWords(t, "p/p.go", "p.go", []byte(source))
	var words []string
	for _, v := range got {
		_, rest, _ := strings.Cut(v, "instead of ")
		word, _, _ := strings.Cut(rest, " use ")
		words = append(words, word)
	}
	slices.Sort(words)
	if want := []string{"naked", "says whether", "told", "told", "was asked"}; !slices.Equal(words, want) {
		t.Errorf("unusual words = %q, want %q, of\n%s", words, want, strings.Join(got, "\n"))
	}
}
