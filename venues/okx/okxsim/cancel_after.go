package okxsim

import (
	"sort"
	"strconv"
	"sync"
	"time"

	"venuegate/venues/simcore"
)

// Bounds of the dead-man switch, and the cancel source of its orders.
const (
	cancelAfterMin  = 10 * time.Second
	cancelAfterMax  = 120 * time.Second
	endedByTimer    = "20"
	cancelTimersMax = 1000
)

// timerKey identifies a switch: an account has one for all orders and one for the
// orders of each tag.
type timerKey struct{ account, tag string }

// cancelTimers are the dead-man switches that are set.
type cancelTimers struct {
	mu  sync.Mutex
	due map[timerKey]time.Time
}

func newCancelTimers() *cancelTimers { return &cancelTimers{due: map[timerKey]time.Time{}} }

// set restarts a switch, or removes it for a zero time. It returns false where there
// are too many.
func (t *cancelTimers) set(key timerKey, due time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.due, key)
	if due.IsZero() {
		return true
	}
	if len(t.due) >= cancelTimersMax {
		return false
	}
	t.due[key] = due
	return true
}

// takeDue removes and returns the switches that are due, sorted.
func (t *cancelTimers) takeDue(base time.Time) []timerKey {
	t.mu.Lock()
	defer t.mu.Unlock()
	var keys []timerKey
	for key, due := range t.due {
		if !base.Before(due) {
			keys = append(keys, key)
			delete(t.due, key)
		}
	}
	sort.Slice(keys, func(i, j int) bool { return keys[i].account+keys[i].tag < keys[j].account+keys[j].tag })
	return keys
}

type cancelAfterArg struct {
	TimeOut numeral `json:"timeOut"`
	Tag     string  `json:"tag"`
}

// cancelAfterBody has its times in seconds.
type cancelAfterBody struct {
	TriggerTime string `json:"triggerTime"`
	Tag         string `json:"tag"`
	TS          string `json:"ts"`
}

// cancelAllAfter sets the dead-man switch of an account, which does not cancel algo
// orders.
func (s *Sim) cancelAllAfter(c *call) (any, *apiError) {
	var arg cancelAfterArg
	if failed := decode(c.body, &arg); failed != nil {
		return nil, failed
	}
	seconds, err := strconv.ParseInt(string(arg.TimeOut), 10, 32)
	span := time.Duration(seconds) * time.Second
	switch {
	case err != nil || span != 0 && (span < cancelAfterMin || span > cancelAfterMax):
		return nil, errParameter("timeOut")
	case !validTag(arg.Tag):
		return nil, errParameter("tag")
	}
	body := cancelAfterBody{TriggerTime: "0", Tag: arg.Tag, TS: strconv.FormatInt(c.now.Unix(), 10)}
	due := time.Time{}
	if span > 0 {
		due = s.Clock.Base().Add(span)
		body.TriggerTime = strconv.FormatInt(c.now.Add(span).Unix(), 10)
	}
	if !s.timers.set(timerKey{c.account.ID, arg.Tag}, due) {
		return nil, rejectWith("51071", "You've reached the maximum limit for tag level cancel all after timers.")
	}
	return []cancelAfterBody{body}, nil
}

// cancelOverdue cancels the orders of accounts that did not call in time.
func (s *Sim) cancelOverdue() {
	for _, key := range s.timers.takeDue(s.Clock.Base()) {
		orders := s.Exchange().OpenOrders(key.account, "")
		for i := range orders {
			o, detail := &orders[i], detailOf(&orders[i])
			if key.tag != "" && detail.tag != key.tag {
				continue
			}
			detail.endAs(endedByTimer)
			// One that was filled meanwhile keeps its own reason.
			_, _ = s.Exchange().Cancel(key.account, o.Symbol, simcore.OrderRef{ID: o.ID})
		}
	}
}
