package delivery

import (
	"fmt"

	"venuegate/actors"
	"venuegate/persistence"
	"venuegate/venues"
)

// resendPageMax is how many undelivered ones begin anew in one commit.
const resendPageMax = 256

// resend begins one delivery anew. What is in hand is waited for: it may just
// become undelivered.
func (s *state) resend(m moment, in resend) {
	x := s.window.byEvent[in.eventID]
	switch {
	case x == nil:
		s.reads++
		s.do(findDelivery{in})
	case x.busy:
		x.resend = append(x.resend, in.resendReply)
	default:
		s.begin(m, x.Delivery)
		s.answer([]resendReply{in.resendReply})
	}
}

func (s *state) deliveryFound(m moment, in deliveryFound) {
	old := s.touched[in.in.eventID] || s.window.byEvent[in.in.eventID] != nil
	s.readEnds()
	switch {
	case in.err != nil:
		in.in.Reject(in.err)
	case old:
		s.resend(m, in.in)
	case len(in.rows) == 0:
		in.in.Reject(venues.Errorf(venues.CodeNotFound, "the endpoint has no delivery of event %s", in.in.eventID))
	default:
		s.begin(m, in.rows[0])
		s.answer([]resendReply{in.in.resendReply})
	}
}

func (s *state) resendAll(in resendAll) {
	s.reads++
	s.do(findUndelivered{in: in})
}

// undeliveredRead begins one page anew and asks for the next. What is in memory
// is on its way already.
func (s *state) undeliveredRead(m moment, in undeliveredRead) {
	for _, d := range in.page.Items {
		if in.err == nil && s.window.byEvent[d.EventID] == nil && !s.touched[d.EventID] {
			s.begin(m, d)
			in.sent++
		}
	}
	s.readEnds()
	switch {
	case in.err != nil:
		in.in.Reject(in.err)
	case in.page.Next != nil:
		s.out.after = append(s.out.after, nextUndelivered{findUndelivered{in.in, in.sent, in.page.Next}})
	default:
		s.out.after = append(s.out.after, answerCount{in.in, in.sent})
	}
}

// begin gives a delivery all its attempts again, from now on.
func (s *state) begin(m moment, d persistence.Delivery) {
	d.Status, d.Attempts, d.LastError = persistence.DeliveryPending, 0, ""
	d.DueAt, d.UpdatedAt = venues.At(m.now), venues.At(m.now)
	s.note(s.resentRow(m, &d))
	s.store(s.window.hold(d))
}

func (s *state) answer(to []resendReply) {
	s.out.after = append(s.out.after, answerResend{to})
}

// test sends a test event, one at a time.
func (s *state) test(m moment, in test) {
	if s.testing {
		in.Reject(actors.ErrBusy)
		return
	}
	s.testing = true
	s.do(sendTest{in, testEvent(m, s.endpoint.Kind)})
}

func (s *state) tested(m moment, in tested) {
	s.testing = false
	s.note(s.testRow(m, in))
	s.out.after = append(s.out.after, answerTest{in.in, Tested{EventID: in.event.ID, Attempt: in.attempt, Took: in.end.Sub(in.began)}})
}

// testEvent has a public type, so that a receiver handles it like any other: the
// one that reports no trade, or a closed trade of nothing for those that take no
// other.
func testEvent(m moment, to persistence.EndpointKind) persistence.Event {
	now := venues.At(m.now)
	e := persistence.Event{ID: m.newID(persistence.PrefixEvent), Type: persistence.EventAlertFired, CreatedAt: now}
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
