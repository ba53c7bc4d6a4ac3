package delivery

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"venuegate/actors/step"
	"venuegate/persistence"
	"venuegate/venues"
)

// Kinds of journal rows. Every attempt has one: kindDelivered if it succeeded,
// kindAttempt if it failed.
const (
	kindAttempt     = "delivery.attempt"
	kindDelivered   = "delivery.delivered"
	kindUndelivered = "delivery.undelivered"
	kindResent      = "delivery.resent"
	kindDisabled    = "endpoint.disabled"
)

// errorCharsMax bounds the error text of a delivery and of a row.
const errorCharsMax = 256

func (s *state) row(m step.Context, kind, subject, result string) persistence.JournalEntry {
	return persistence.JournalEntry{
		ID: m.NewID(persistence.PrefixJournal), At: venues.At(m.Now), Kind: kind, Subject: subject,
		Channel: s.endpoint.ID, Result: result,
	}
}

// attemptRow returns the row of one attempt; d is the delivery after the attempt.
func (s *state) attemptRow(m step.Context, d *persistence.Delivery, in attemptDone) persistence.JournalEntry {
	kind, result := kindAttempt, "failed"
	switch {
	case in.attempt.Err == nil:
		kind, result = kindDelivered, "delivered"
	case in.attempt.Gone != "":
		result = "gone"
	case in.attempt.Throttled:
		result = "throttled"
	}
	e := s.row(m, kind, d.EventID, result)
	e.Fields = append([]persistence.JournalField{{Name: "type", Value: string(d.Type)}, {Name: "attempt", Value: strconv.Itoa(in.number)}},
		answerFields(in.attempt, in.end.Sub(in.began))...)
	if in.attempt.Err != nil && d.Attempts < s.schedule.Attempts {
		e.Fields = append(e.Fields, persistence.JournalField{Name: "nextAt", Value: d.DueAt.UTC().Format(venues.TimeFormat)})
	}
	return e
}

func answerFields(a persistence.Attempt, took time.Duration) []persistence.JournalField {
	fields := []persistence.JournalField{{Name: "durationMs", Value: strconv.FormatInt(took.Milliseconds(), 10)}}
	if a.Code != 0 {
		fields = append(fields, persistence.JournalField{Name: "status", Value: strconv.Itoa(a.Code)})
	}
	if a.Err != nil {
		fields = append(fields, persistence.JournalField{Name: "error", Value: clip(a.Err.Error(), errorCharsMax)})
	}
	if len(a.Answer) > 0 {
		answer := a.Answer[:min(len(a.Answer), persistence.AttemptAnswerBytesMax)]
		fields = append(fields, persistence.JournalField{Name: "answer", Value: strings.ToValidUTF8(string(answer), "\uFFFD")})
	}
	return fields
}

func (s *state) undeliveredRow(m step.Context, d *persistence.Delivery) persistence.JournalEntry {
	e := s.row(m, kindUndelivered, d.EventID, "undelivered")
	e.Fields = []persistence.JournalField{
		{Name: "type", Value: string(d.Type)}, {Name: "attempts", Value: strconv.Itoa(d.Attempts)}, {Name: "error", Value: d.LastError},
	}
	return e
}

func (s *state) resentRow(m step.Context, d *persistence.Delivery) persistence.JournalEntry {
	e := s.row(m, kindResent, d.EventID, "pending")
	e.Fields = []persistence.JournalField{{Name: "type", Value: string(d.Type)}}
	return e
}

func (s *state) testRow(m step.Context, in testDone) persistence.JournalEntry {
	e := s.row(m, kindAttempt, in.event.ID, "test")
	e.Fields = append([]persistence.JournalField{{Name: "type", Value: string(in.event.Type)}}, answerFields(in.attempt, in.end.Sub(in.began))...)
	return e
}

func (s *state) disabledRow(m step.Context, why string) persistence.JournalEntry {
	e := s.row(m, kindDisabled, s.endpoint.ID, "disabled")
	e.Fields = []persistence.JournalField{{Name: "reason", Value: why}}
	return e
}

// clip shortens a text without breaking a character.
func clip(text string, bytesMax int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= bytesMax {
		return text
	}
	for !utf8.RuneStart(text[bytesMax]) {
		bytesMax--
	}
	return text[:bytesMax]
}
