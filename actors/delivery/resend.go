package delivery

import (
	"fmt"

	"venuegate/actors"
	"venuegate/actors/step"
	"venuegate/persistence"
	"venuegate/venues"
)

// resendPageMax bounds the deliveries that are restarted in one commit.
const resendPageMax = 256

// resend restarts one delivery. A busy one is restarted later, since it may just be
// becoming undelivered.
func (s *state) resend(m step.Context, in resend) {
	x := s.window.byEvent[in.eventID]
	switch {
	case x == nil:
		s.reads++
		s.now(findDelivery{in})
	case x.busy:
		x.resend = append(x.resend, in.resendReply)
	default:
		s.restart(m, x.Delivery)
		s.answer([]resendReply{in.resendReply})
	}
}

func (s *state) deliveryFound(m step.Context, in deliveryFound) {
	old := s.changed[in.in.eventID] || s.window.byEvent[in.in.eventID] != nil
	s.readDone()
	switch {
	case in.err != nil:
		in.in.Reject(in.err)
	case old:
		s.resend(m, in.in)
	case len(in.rows) == 0:
		in.in.Reject(venues.Errorf(venues.CodeNotFound, "the endpoint has no delivery of event %s", in.in.eventID))
	default:
		s.restart(m, in.rows[0])
		s.answer([]resendReply{in.in.resendReply})
	}
}

func (s *state) resendAll(in resendAll) {
	s.readUndelivered(findUndelivered{in: in})
}

func (s *state) readUndelivered(e findUndelivered) {
	s.reads++
	s.now(e)
}

// undeliveredRead restarts one page and requests the next. Deliveries in memory are
// pending already.
func (s *state) undeliveredRead(m step.Context, in undeliveredRead) {
	for _, d := range in.page.Items {
		if in.err == nil && s.window.byEvent[d.EventID] == nil && !s.changed[d.EventID] {
			s.restart(m, d)
			in.sent++
		}
	}
	s.readDone()
	switch {
	case in.err != nil:
		in.in.Reject(in.err)
	case in.page.Next != nil:
		s.out.After = append(s.out.After, nextUndelivered{findUndelivered{in.in, in.sent, in.page.Next}})
	default:
		s.out.After = append(s.out.After, answerCount{in.in, in.sent})
	}
}

// restart gives a delivery all its attempts again, from now on.
func (s *state) restart(m step.Context, d persistence.Delivery) {
	d.Status, d.Attempts = persistence.DeliveryPending, 0
	d.LastError, d.LastCode, d.LastMS = "", 0, 0
	d.DueAt, d.UpdatedAt = venues.At(m.Now), venues.At(m.Now)
	s.journal(s.resentRow(m, &d))
	s.store(s.window.markBusy(d))
}

func (s *state) answer(to []resendReply) {
	s.out.After = append(s.out.After, answerResend{to})
}

// test sends a test event, one at a time.
func (s *state) test(m step.Context, in test) {
	if s.testing {
		in.Reject(actors.ErrBusy)
		return
	}
	s.testing = true
	s.now(sendTest{in, testEvent(m, s.endpoint.Kind)})
}

func (s *state) testDone(m step.Context, in testDone) {
	s.testing = false
	s.journal(s.testRow(m, in))
	s.out.After = append(s.out.After, answerTest{in.in, TestResult{EventID: in.event.ID, Attempt: in.attempt, Took: in.end.Sub(in.began)}})
}

// testEvent returns an event of a public type, so that a receiver handles it like any
// other: one that reports no trade, or, for endpoints that accept closed trades only, a
// closed trade of quantity zero.
func testEvent(m step.Context, to persistence.EndpointKind) persistence.Event {
	now := venues.At(m.Now)
	e := persistence.Event{ID: m.NewID(persistence.PrefixEvent), Type: persistence.EventAlertFired, CreatedAt: now}
	data := `{"alertId":"test","exchange":"binance","symbol":"BTCUSDT",` +
		`"condition":{"field":"last","op":"above","value":"1"},"price":"1","firedAt":%q,"test":true}`
	if to == persistence.EndpointSheet || to == persistence.EndpointFile {
		e.Type = persistence.EventPositionClosed
		data = `{"exchange":"binance","symbol":"BTCUSDT","side":"long","qty":"0","entryPrice":"1","exitPrice":"1",` +
			`"realizedPnl":"0","fee":"0","reason":"manual","openedAt":%q,"comment":"test","test":true}`
	}
	e.Data = fmt.Appendf(nil, data, now.Format(venues.TimeFormat))
	return e
}
