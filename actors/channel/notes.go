package channel

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"venuegate/actors/step"
	"venuegate/persistence"
	"venuegate/venues"
)

// Rows of a signal's timeline. Each is in the same commit as what it records.

func (s *state) note(m step.Context, t *task, kind, result string, fields ...persistence.JournalField) {
	s.out.Batch.Journal = append(s.out.Batch.Journal, persistence.JournalEntry{
		ID: m.NewID(persistence.PrefixJournal), At: venues.At(m.Now), Kind: kind, Subject: t.ID,
		Channel: s.channel.ID, Symbol: t.Symbol, Result: result, Fields: fields,
	})
}

func field(name, value string) persistence.JournalField {
	return persistence.JournalField{Name: name, Value: value}
}

func (s *state) noteReceived(m step.Context, t *task) {
	fields := []persistence.JournalField{field("action", string(t.Action)), field("request_id", t.RequestID)}
	for _, f := range []persistence.JournalField{
		field("verified_by", string(t.Auth)), field("exchange", string(t.Exchange)), field("side", string(t.Side)), field("order_type", string(t.Type)),
		field("qty", venues.FormatOptional(t.Qty)), field("price", venues.FormatOptional(t.Price)),
		field("stop_loss", venues.FormatOptional(t.StopLoss)), field("take_profit", venues.FormatOptional(t.TakeProfit)),
		field("comment", t.Comment), field("ignored_members", strings.Join(t.Ignored, " ")),
		field(persistence.FieldRequestID, t.Origin.RequestID), field(persistence.FieldTraceparent, t.Origin.Traceparent),
	} {
		if f.Value != "" {
			fields = append(fields, f)
		}
	}
	if t.Test {
		fields = append(fields, field("mode", "test"))
	}
	s.note(m, t, "signal.received", string(t.Action), fields...)
}

// noteRepeat adds a row to the timeline of the first signal. The caller is answered
// behind that signal's own commit.
func (s *state) noteRepeat(m step.Context, first string, in *venues.Signal) {
	s.note(m, &task{SignalRecord: persistence.SignalRecord{Signal: *in, ID: first}}, "signal.repeat", "duplicate")
}

func (s *state) noteRule(m step.Context, t *task, v *ruleResult) {
	result := "passed"
	if v.rejection != nil {
		result = "refused"
	}
	s.note(m, t, "signal.rule", result, v.fields()...)
}

func (s *state) noteStep(m step.Context, t *task, result string) {
	s.note(m, t, "signal.step", result, field("step", t.Step))
}

func (s *state) noteOrder(m step.Context, t *task, o *venues.Order) {
	fields := []persistence.JournalField{
		field("step", t.Step), field("order_id", o.OrderID), field("status", string(o.Status)),
		field("filled_qty", venues.FormatDecimal(o.FilledQty)),
	}
	if o.AvgPrice.Valid {
		fields = append(fields, field("avg_price", venues.FormatOptional(o.AvgPrice)))
	}
	s.note(m, t, "signal.step", string(o.Status), fields...)
}

// noteRest records the step that closes what the previous one has left.
func (s *state) noteRest(m step.Context, t *task, rest decimal.Decimal) {
	s.note(m, t, "signal.step", "begun", field("step", t.Step), field("left", venues.FormatDecimal(rest)))
}

func (s *state) noteResults(m step.Context, t *task, results []venues.CancelResult) {
	counts := map[string]int{}
	for _, r := range results {
		counts[r.Result]++
	}
	fields := []persistence.JournalField{field("step", t.Step)}
	for _, result := range []string{venues.CancelDone, venues.CancelNotFound, venues.CancelFailed, venues.CancelUnknown} {
		if counts[result] > 0 {
			fields = append(fields, field(result, strconv.Itoa(counts[result])))
		}
	}
	s.note(m, t, "signal.step", "done", fields...)
}

func (s *state) noteDryRun(m step.Context, t *task, notes []persistence.JournalField, err error) {
	if err != nil {
		notes = append(notes, field("error", err.Error()))
	}
	s.note(m, t, "signal.step", "test", notes...)
}

func (s *state) noteAnswer(m step.Context, t *task) {
	kind := "signal.answer"
	if t.Status == persistence.SignalExpired {
		kind = "signal.expired"
	}
	fields := []persistence.JournalField{field("status", string(t.Status))}
	if t.newest != nil {
		fields = append(fields, field("order_id", t.newest.OrderID), field("order_status", string(t.newest.Status)))
	}
	if t.Error != nil {
		fields = append(fields, field("code", string(t.Error.Code)), field("reason", t.Error.Reason), field("message", t.Error.Message))
	}
	if t.Status == persistence.SignalExpired {
		fields = append(fields, field("expires_at", t.ExpiresAt.UTC().Format(venues.TimeFormat)))
	}
	s.note(m, t, kind, string(t.Status), fields...)
}

// notification is the payload of an event for messaging channels.
type notification struct {
	ChannelID string       `json:"channelId"`
	Channel   string       `json:"channel"`
	Exchange  venues.Venue `json:"exchange,omitempty"`
	Symbol    string       `json:"symbol,omitempty"`
	Comment   string       `json:"comment"`
}

// notify carries out a notification, which trades nothing, in the commit that accepts
// it.
func (s *state) notify(m step.Context, t *task) {
	data, err := json.Marshal(notification{s.channel.ID, s.channel.Name, t.Exchange, t.Symbol, t.Comment})
	if err != nil {
		panic("channel: " + err.Error()) // plain strings
	}
	status := persistence.SignalDone
	if t.Test {
		status = persistence.SignalTested
	} else {
		s.out.Batch.Events = append(s.out.Batch.Events, persistence.Event{
			ID: m.NewID(persistence.PrefixEvent), Type: persistence.EventNotification, CreatedAt: venues.At(m.Now), Data: data,
		})
	}
	s.remember(&t.SignalRecord)
	s.end(m, t, status, nil)
}
