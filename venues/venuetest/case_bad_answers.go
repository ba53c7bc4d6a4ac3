package venuetest

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"venuegate/venues"
)

var badAnswerCases = []conformanceCase{
	{number: 320, name: "HTML with status 200: a read fails plainly, a change is unknown and found", run: badAnswers(inHTML)},
	{number: 322, name: "an error code with status 200, in any language, is that error", run: refusedAnswers},
	{number: 323, name: "truncated answers: a read fails plainly, a change is unknown and found", run: badAnswers(cutShort)},
	{number: 331, name: "empty answers: a read fails plainly, a change is unknown and found", run: badAnswers(emptied)},
	{number: 339, name: "JSON that is nothing of what was asked for is no answer", run: badAnswers(foreign)},
	{number: 325, name: "members of a wrong type: never a guess, never zero", run: badAnswers(mistyped)},
	{number: 326, name: "words that nobody knows and figures that are no numbers: never a guess, never zero", run: badAnswers(unknown)},
	{number: 335, name: "members that are empty or missing: never a guess, never zero", run: badAnswers(missing)},
	{number: 337, name: "descriptions that are empty or unknown are left out of what is read", run: badAnswers(described)},
	{number: 328, name: "unknown members change nothing", run: badAnswers(novel)},
	{number: 329, name: "an unknown instrument state means not trading", run: unknownInstrumentState},
	{number: 332, name: "an answer of many megabytes is not read to its end", run: hugeAnswer},
	{number: 334, name: "redirections are not followed with a signed request", run: redirected},
}

// badAnswers spoils every answer of the table in a way.
func badAnswers(w way) func(*stage) {
	return func(s *stage) { s.spoilAnswers(w, s.judge) }
}

// spoilAnswers has each answer of the table asked for as often as there are
// spoilings of it, and the outcomes judged; then as it is.
func (s *stage) spoilAnswers(w way, judge func(w way, a *Answer, what string, err error)) {
	s.t.Helper()
	asks := s.asks()
	for n := range s.harness.Wire.Answers {
		a := &s.harness.Wire.Answers[n]
		for _, spoiling := range w.corrupt(a.Members) {
			what := fmt.Sprintf("%s, %s", a.row(), spoiling.what)
			proof, err := s.spoilt(a, w, spoiling, asks[a.Operation])
			judge(w, a, what, err)
			if proof != nil && (err == nil || errors.Is(err, venues.ErrOutcomeUnknown)) {
				proof()
			}
		}
		if _, err := asks[a.Operation](); err != nil {
			s.t.Errorf("%s, unspoilt: %v", a.row(), err)
		}
	}
}

// spoilt asks for an answer and spoils it. A connector that cannot wait for what merely
// explains a failure is asked until it has.
func (s *stage) spoilt(a *Answer, w way, by corruption, asks ask) (proof func(), err error) {
	s.t.Helper()
	var changed atomic.Bool
	s.rest.answerAfter(a.After, a.Route, func(status int, body string) (int, string) {
		spoilt := by.spoil(body)
		if spoilt != body {
			changed.Store(true)
		}
		return status, spoilt
	})
	s.eventually(a.row()+", "+by.what+": an answer to change", func() bool {
		proof, err = asks()
		return changed.Load()
	})
	s.rest.answer(Route{}, nil)
	s.seen.spoils(a.row(), w)
	return proof, err
}

// judge holds the outcome of what was asked with a spoilt answer against what it
// must be.
func (s *stage) judge(w way, a *Answer, what string, err error) {
	s.t.Helper()
	changes := a.Route.Method != "GET" || a.After != Route{}
	switch {
	case w.harmless, a.Succeeds != "", a.Skipped != "" && err == nil && changes && w.name == foreign.name:
		if err != nil {
			s.t.Errorf("%s: %v", what, err)
		}
	case changes:
		if !errors.Is(err, venues.ErrOutcomeUnknown) || errors.Is(err, venues.ErrNotSent) {
			s.t.Errorf("%s: %v, want an unknown outcome", what, err)
		}
	case err == nil || venues.CodeOf(err) == venues.CodeNotFound || errors.Is(err, venues.ErrOutcomeUnknown):
		s.t.Errorf("%s: %v, want a plain failure", what, err)
	}
}

// words are what a venue may say in another language, longer than anybody wants
// to read.
var words = strings.Repeat("保证金不足。Недостаточно маржи 🙁 ", 200)

func refusedAnswers(s *stage) {
	s.spoilAnswers(refused(fmt.Sprintf(s.harness.Wire.BusyBody, words)), func(w way, a *Answer, what string, err error) {
		s.judge(w, a, what, err)
		if a.Succeeds != "" {
			return
		}
		e, ok := errors.AsType[*venues.Error](err)
		if !ok || e.Code != venues.CodeExchangeUnavailable {
			s.t.Errorf("%s: %v", what, err)
			return
		}
		if said := strings.TrimSuffix(e.VenueMessage, "…"); said == "" || len(said) > 1000 || !strings.HasPrefix(words, said) {
			s.t.Errorf("%s: %d bytes of %q", what, len(said), said)
		}
	})
}

func unknownInstrumentState(s *stage) {
	state := s.harness.Wire.InstrumentState
	s.rest.answer(s.harness.Wire.Instruments, func(status int, body string) (int, string) { return status, state.in(body) })
	list, err := s.connector.Instruments(s.t.Context())
	if s.rest.changes() == 0 {
		s.t.Fatal("no answer was changed")
	}
	for _, i := range list {
		if i.Status == venues.InstrumentTrading {
			s.t.Errorf("%+v", i)
		}
	}
	if err == nil && len(list) == 0 {
		s.t.Error("an empty catalogue without an error")
	}
}

func hugeAnswer(s *stage) {
	huge := `{"code":"0","retCode":0,"data":["` + strings.Repeat("x", 40<<20) + `"]}`
	s.rest.answer(s.harness.Wire.OpenOrders, func(int, string) (int, string) { return 200, huge })
	_, err := s.account.OpenOrders(s.t.Context())
	s.plain(err)
}

// redirected places an order that is executed and whose answer sends elsewhere.
func redirected(s *stage) {
	s.warm()
	s.rest.answer(s.harness.Wire.Place, func(int, string) (int, string) { return 302, page })
	proof, err := s.places(venues.StatusOpen)
	s.uncertain(err)
	s.rest.answer(Route{}, nil)
	proof()
}
