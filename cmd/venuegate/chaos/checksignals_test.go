//go:build chaos

package chaos

import (
	"slices"
	"strings"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
	"venuegate/venues/simcore"
)

// transitMax is how long an order may take to reach a venue: it was sent before its
// signal expired, and its own deadline bounds its arrival.
const transitMax = 6 * time.Second

// signalKey identifies the signal of an order.
type signalKey struct{ channel, requestID string }

// checkSignals compares the responses that senders received with the inbox, the orders
// and the ledger.
func (c *checker) checkSignals(sent []*signal) {
	byName, byKey := map[string][]persistence.SignalRecord{}, map[signalKey][]persistence.SignalRecord{}
	for _, r := range c.signals {
		byName[r.Comment] = append(byName[r.Comment], r)
		byKey[signalKey{r.ChannelID, r.RequestID}] = append(byKey[signalKey{r.ChannelID, r.RequestID}], r)
		if !r.Status.IsFinal() {
			c.add(ruleOpen, "signal %s of %s is %s at step %q", r.ID, r.ReceivedAt, r.Status, r.Step)
		}
	}
	for _, s := range sent {
		c.checkAccepted(s, byName[s.name])
		delete(byName, s.name)
	}
	for name := range byName {
		c.add(ruleTwice, "signal %q was never sent", name)
	}
	c.checkSignalOrders(byKey)
}

// checkAccepted checks that every acknowledged signal is in the inbox and final.
func (c *checker) checkAccepted(s *signal, records []persistence.SignalRecord) {
	for _, a := range s.answers {
		if a.outcome == outcomeOK && !slices.ContainsFunc(records, func(r persistence.SignalRecord) bool {
			return r.ChannelID == s.hook.ID && r.RequestID == a.requestID
		}) {
			c.add(ruleLost, "signal %s was acknowledged as %s: %s; the inbox has %+v", s.name, a.requestID, a.text, records)
		}
	}
	for _, r := range records {
		if r.Status == persistence.SignalDone && len(r.OrderIDs) == 0 {
			c.add(ruleAgreement, "signal %s is done without an order", r.ID)
		}
		for _, id := range r.OrderIDs {
			if c.byID[id] == nil {
				c.add(ruleLost, "signal %s placed order %s, which is not in the store", r.ID, id)
			}
		}
	}
}

// checkSignalOrders checks that an order at a venue belongs to a signal that refers to
// it, that each signal opened at most one, and none after it expired.
func (c *checker) checkSignalOrders(byKey map[signalKey][]persistence.SignalRecord) {
	opened := map[string]string{}
	for i := range c.orders {
		o := &c.orders[i]
		channel, step, _ := strings.Cut(o.Scope, ":")
		rows := c.rowsOf(o.OrderID)
		if o.ChannelID == "" || channel != o.ChannelID || o.Replaces != "" || len(rows) == 0 {
			continue
		}
		records := byKey[signalKey{o.ChannelID, o.RequestID}]
		at := slices.IndexFunc(records, func(r persistence.SignalRecord) bool { return slices.Contains(r.OrderIDs, o.OrderID) })
		if at < 0 {
			c.add(ruleAgreement, "order %s of request %s belongs to no signal: %+v", o.OrderID, o.RequestID, records)
			continue
		}
		if r := &records[at]; step == "" && r.Action == venues.ActionOrder {
			if other := opened[r.Comment]; other != "" {
				c.add(ruleTwice, "signal %s opened orders %s and %s", r.Comment, other, o.OrderID)
			}
			opened[r.Comment] = o.OrderID
			c.checkOpened(r, rows[0])
		}
	}
}

func (c *checker) checkOpened(r *persistence.SignalRecord, row simcore.LedgerOrder) {
	accepted, err := time.Parse(venues.TimeFormat, row.AcceptedAt)
	if err != nil || accepted.After(r.ExpiresAt.Add(transitMax)) {
		c.add(ruleLate, "signal %s expired at %s, the venue accepted its order at %s", r.ID, r.ExpiresAt, row.AcceptedAt)
	}
	if r.Status != persistence.SignalDone {
		c.add(ruleAgreement, "signal %s is %s, the venue has its order %+v", r.ID, r.Status, row)
	}
}

// checkDeliveries checks that every event is delivered, pending or undelivered at every
// endpoint that subscribes to it, that delivered events were received, and that every
// received event equals the stored one with its id.
func (c *checker) checkDeliveries(posts []post, paths map[string]string) {
	c.checkPosts(posts)
	for i := range c.endpoints {
		e := &c.endpoints[i]
		deliveries := map[string]persistence.Delivery{}
		for _, d := range c.deliveries[e.ID] {
			deliveries[d.EventID] = d
		}
		for _, event := range c.stored {
			if !event.CreatedAt.After(e.CreatedAt.Time) || len(e.Types) > 0 && !slices.Contains(e.Types, event.Type) {
				continue
			}
			d, has := deliveries[event.ID]
			switch {
			case !has && event.Seq <= c.cursors[e.ID]:
				c.add(ruleEvents, "%s %s is behind the cursor of %s and has no delivery", event.Type, event.ID, e.ID)
			case (!has || d.Status == persistence.DeliveryPending) && (c.settledAt.IsZero() || event.CreatedAt.Before(c.settledAt)):
				c.add(ruleOpen, "%s %s is still pending at %s: %+v", event.Type, event.ID, e.ID, d)
			case d.Status == persistence.DeliveryDelivered && paths[e.ID] != "" && !wasTaken(posts, paths[e.ID], event.ID):
				c.add(ruleEvents, "%s %s is stored as delivered to %s, which never accepted it", event.Type, event.ID, e.ID)
			}
		}
	}
}

func wasTaken(posts []post, path, event string) bool {
	return slices.ContainsFunc(posts, func(p post) bool { return p.path == path && p.event == event && p.answered/100 == 2 })
}

func (c *checker) checkPosts(posts []post) {
	types, bodies := map[string]persistence.EventType{}, map[string]post{}
	for _, event := range c.stored {
		types[event.ID] = event.Type
	}
	for _, p := range posts {
		switch first, seen := bodies[p.event]; {
		case p.forged != nil:
			c.add(ruleEvents, "attempt %s at %s does not verify: %v", p.attempt, p.event, p.forged)
		case p.named != p.event || types[p.event] == "" || types[p.event] != p.typed:
			c.add(ruleEvents, "%s %s was posted with the body of %s; the store has type %q", p.typed, p.event, p.named, types[p.event])
		case seen && first.body != p.body:
			c.add(ruleEvents, "%s was posted with two bodies", p.event)
		}
		bodies[p.event] = p
	}
}
