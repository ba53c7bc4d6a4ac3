package actors

import "slices"

// owedMin is how many requests are kept before the answered ones are dropped.
const owedMin = 16

// request is a message that embeds a Reply.
type request interface {
	Rejectable
	isOpen() bool
}

// owed are the requests that an incarnation has received and not answered yet,
// among some that were answered meanwhile: to look for one at each answer would
// cost more than to sweep now and then.
type owed struct {
	requests []request
	sweepAt  int
}

func (o *owed) add(q request) {
	if len(o.requests) >= o.sweepAt {
		o.requests = slices.DeleteFunc(o.requests, func(q request) bool { return !q.isOpen() })
		o.sweepAt = max(owedMin, 2*len(o.requests))
	}
	o.requests = append(o.requests, q)
}

// reject answers what is left.
func (o *owed) reject(err error) {
	for _, q := range o.requests {
		q.Reject(err)
	}
	o.requests = nil
}
