package venuetest

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"venuegate/venues"
)

var badAnswerCases = []conformanceCase{
	{number: 320, name: "HTML with status 200: a read fails, a change is unknown and found", run: badAnswers(inHTML)},
	{number: 322, name: "an error code with status 200, in any language, is that error", run: errorAnswers},
	{number: 323, name: "truncated answers: a read fails, a change is unknown and found", run: badAnswers(cutShort)},
	{number: 331, name: "empty answers: a read fails, a change is unknown and found", run: badAnswers(emptied)},
	{number: 339, name: "unrelated JSON is no answer", run: badAnswers(foreign)},
	{number: 325, name: "members of a wrong type are errors, never a guess or zero", run: badAnswers(mistyped)},
	{number: 326, name: "unknown values and invalid numbers are errors, never a guess or zero", run: badAnswers(unknown)},
	{number: 335, name: "empty and missing members are errors, never a guess or zero", run: badAnswers(missing)},
	{number: 337, name: "empty and unknown descriptions are left out of the result", run: badAnswers(described)},
	{number: 328, name: "unknown members are ignored", run: badAnswers(novel)},
	{number: 329, name: "an unknown instrument state means not trading", run: unknownInstrumentState},
	{number: 332, name: "an answer of many megabytes is not read completely", run: hugeAnswer},
	{number: 334, name: "redirections of signed requests are not followed", run: redirected},
}

// badAnswers returns a case that corrupts every answer of the table in a way.
func badAnswers(w way) func(*env) {
	return func(s *env) { s.corruptAnswers(w, s.checkOutcome) }
}

// corruptAnswers requests each answer of the table once with each of its corruptions,
// checks the outcomes, and then requests it unchanged.
func (s *env) corruptAnswers(w way, checkOutcome func(w way, a *Answer, what string, err error)) {
	s.t.Helper()
	operations := s.operations()
	for n := range s.harness.Wire.Answers {
		a := &s.harness.Wire.Answers[n]
		for _, c := range w.corrupt(a.Members) {
			what := fmt.Sprintf("%s, %s", a.row(), c.what)
			confirm, err := s.corrupted(a, w, c, operations[a.Operation])
			checkOutcome(w, a, what, err)
			if confirm != nil && (err == nil || errors.Is(err, venues.ErrOutcomeUnknown)) {
				confirm()
			}
		}
		if _, err := operations[a.Operation](); err != nil {
			s.t.Errorf("%s unchanged: %v", a.row(), err)
		}
	}
}

// corrupted requests an answer and corrupts it. It repeats the operation until the
// answer was requested: a connector that does not wait for what merely explains a
// failure may request it later.
func (s *env) corrupted(a *Answer, w way, by corruption, operations operation) (confirm func(), err error) {
	s.t.Helper()
	var changed atomic.Bool
	s.rest.answerAfter(a.After, a.Route, func(status int, body string) (int, string) {
		corrupted := by.apply(body)
		if corrupted != body {
			changed.Store(true)
		}
		return status, corrupted
	})
	s.eventually(a.row()+", "+by.what+": an answer to corrupt", func() bool {
		confirm, err = operations()
		return changed.Load()
	})
	s.rest.answer(Route{}, nil)
	s.seen.recordCorrupted(a.row(), w)
	return confirm, err
}

// checkOutcome checks the outcome of an operation whose answer was corrupted.
func (s *env) checkOutcome(w way, a *Answer, what string, err error) {
	s.t.Helper()
	changes := a.Route.Method != "GET" || a.After != Route{}
	switch {
	case w.harmless, a.Succeeds != "", a.Skipped != "" && err == nil && changes && w.name == foreign.name:
		if err != nil {
			s.t.Errorf("%s: error = %v, want none", what, err)
		}
	case changes:
		if !errors.Is(err, venues.ErrOutcomeUnknown) || errors.Is(err, venues.ErrNotSent) {
			s.t.Errorf("%s: %v, want an unknown outcome", what, err)
		}
	case err == nil || venues.CodeOf(err) == venues.CodeNotFound || errors.Is(err, venues.ErrOutcomeUnknown):
		s.t.Errorf("%s: %v, want a failed read", what, err)
	}
}

// venueText is a text of the venue in other languages, longer than the connector may
// keep.
var venueText = strings.Repeat("保证金不足。Недостаточно маржи 🙁 ", 200)

func errorAnswers(s *env) {
	s.corruptAnswers(withError(fmt.Sprintf(s.harness.Wire.BusyBody, venueText)), func(w way, a *Answer, what string, err error) {
		s.checkOutcome(w, a, what, err)
		if a.Succeeds != "" {
			return
		}
		e, ok := errors.AsType[*venues.Error](err)
		if !ok || e.Code != venues.CodeExchangeUnavailable {
			s.t.Errorf("%s: error = %v, want exchange_unavailable", what, err)
			return
		}
		if said := strings.TrimSuffix(e.VenueMessage, "…"); said == "" || len(said) > 1000 || !strings.HasPrefix(venueText, said) {
			s.t.Errorf("%s: venue message = %d bytes %q, want the beginning of the text", what, len(said), said)
		}
	})
}

func unknownInstrumentState(s *env) {
	state := s.harness.Wire.InstrumentState
	s.rest.answer(s.harness.Wire.Instruments, func(status int, body string) (int, string) { return status, state.in(body) })
	list, err := s.connector.Instruments(s.t.Context())
	if s.rest.changes() == 0 {
		s.t.Fatal("no answer was changed, want one")
	}
	for _, i := range list {
		if i.Status == venues.InstrumentTrading {
			s.t.Errorf("instrument = %+v, want any status but trading", i)
		}
	}
	if err == nil && len(list) == 0 {
		s.t.Error("no instruments and no error, want either")
	}
}

func hugeAnswer(s *env) {
	huge := `{"code":"0","retCode":0,"data":["` + strings.Repeat("x", 40<<20) + `"]}`
	s.rest.answer(s.harness.Wire.OpenOrders, func(int, string) (int, string) { return 200, huge })
	_, err := s.account.OpenOrders(s.t.Context())
	s.checkReadFailed(err)
}

// redirected places an order that is executed and answered with a redirection.
func redirected(s *env) {
	s.warmUp()
	s.rest.answer(s.harness.Wire.Place, func(int, string) (int, string) { return 302, page })
	confirm, err := s.placeOrder(venues.StatusOpen)
	s.checkUnknown(err)
	s.rest.answer(Route{}, nil)
	confirm()
}
