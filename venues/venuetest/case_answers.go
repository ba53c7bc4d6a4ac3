package venuetest

import (
	"errors"
	"strings"

	"venuegate/venues"
)

var answerCases = []conformanceCase{
	{number: 335, name: "figures of any read that are of a wrong type, no numbers or empty: plain failures, never zero", run: spoiltFigures},
	{number: 336, name: "words of any read that decide and are of a wrong type or unknown: plain failures, never a guess", run: spoiltWords},
	{number: 337, name: "descriptions that are empty or unknown are left out of what is read", run: spoiltDescriptions},
	{number: 338, name: "status 200 with an error code for any read is that error", run: errorForReads},
	{number: 339, name: "JSON that is nothing of what was asked for: plain failures", run: foreignJSON},
}

// spoiltAnswers reads with one member of an answer after the other spoilt in each
// way, and has the outcome judged.
func (s *stage) spoiltAnswers(members func(*Answer) []string, values []string, judge func(what string, err error)) {
	s.t.Helper()
	s.filled(market(venues.Buy, "0.01"))
	reads := s.reads(s.resting())
	for _, answer := range s.harness.Wire.Answers {
		for _, member := range members(&answer) {
			for _, value := range values {
				what := answer.Read + " with " + member + "=" + value
				changed := false
				s.rest.answer(answer.Route, func(status int, body string) (int, string) {
					spoilt := with(member, value)(body)
					changed = changed || spoilt != body
					return status, spoilt
				})
				err := reads[answer.Read]()
				s.rest.answer(Route{}, nil)
				if !changed {
					s.t.Errorf("%s: nothing was changed", what)
				}
				judge(what, err)
			}
		}
	}
}

// failsPlainly is the outcome of a read that cannot be understood.
func (s *stage) failsPlainly(what string, err error) {
	s.t.Helper()
	if err == nil || venues.CodeOf(err) == venues.CodeNotFound || errors.Is(err, venues.ErrOutcomeUnknown) {
		s.t.Errorf("%s: %v", what, err)
	}
}

func spoiltFigures(s *stage) {
	s.spoiltAnswers(func(a *Answer) []string { return a.Figures }, []string{wrongTyped, unknownWord, emptyWord}, s.failsPlainly)
	for _, read := range []string{"candles", "snapshot"} { // rows without names
		s.rest.answer(Route{}, func(status int, body string) (int, string) { return status, strings.ReplaceAll(body, `"65`, `"many`) })
		s.failsPlainly(read, s.reads(venues.OrderRequest{})[read]())
	}
}

func spoiltWords(s *stage) {
	s.spoiltAnswers(func(a *Answer) []string { return a.Words }, []string{wrongTyped, unknownWord}, s.failsPlainly)
}

func spoiltDescriptions(s *stage) {
	passes := func(what string, err error) {
		if err != nil {
			s.t.Errorf("%s: %v", what, err)
		}
	}
	s.spoiltAnswers(func(a *Answer) []string { return a.Descriptions }, []string{emptyWord}, passes)
	s.spoiltAnswers(func(a *Answer) []string { return a.Labels }, []string{unknownWord, `"Неизвестно 未知"`}, passes)
}

func errorForReads(s *stage) {
	s.filled(market(venues.Buy, "0.01"))
	reads := s.reads(s.resting())
	s.says(Route{}, s.harness.Wire.BusyBody)
	for name, read := range reads {
		err := read()
		s.failsPlainly(name, err)
		if venues.CodeOf(err) != venues.CodeExchangeUnavailable {
			s.t.Errorf("%s: %v", name, err)
		}
	}
}

func foreignJSON(s *stage) {
	s.filled(market(venues.Buy, "0.01"))
	reads := s.reads(s.resting())
	for _, body := range []string{`null`, `{}`, `"text"`, `7`, `true`, `[[]]`, `[null]`} {
		s.says(Route{}, body)
		for name, read := range reads {
			s.failsPlainly(name+" of "+body, read())
		}
	}
}
