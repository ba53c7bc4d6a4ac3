//go:build chaos

package chaos

import (
	"math"
	"slices"
	"sync"
	"time"
)

// forever is the end of a call whose response was never received.
const forever = math.MaxInt64

// op is one call under a request id as its client saw it.
type op struct {
	requestID string
	// began and ended are nanoseconds since the history began.
	began, ended int64
	answer
}

// history records the calls of clients and their responses. It is safe for concurrent
// use.
type history struct {
	begun time.Time

	mu       sync.Mutex
	requests map[string]sent
	order    []string
	ops      []op
	// working are the ids of orders that are active according to the clients.
	working []string
	// trespasses are responses that exceeded the scope of a client's key.
	trespasses []string
}

func newHistory() *history { return &history{begun: time.Now(), requests: map[string]sent{}} }

// workingMax bounds the orders that clients keep for later changes.
const workingMax = 200

func (h *history) now() int64 { return int64(time.Since(h.begun)) }

// register records the body of a request id.
func (h *history) register(requestID string, s sent) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.requests[requestID] = s
	h.order = append(h.order, requestID)
}

// record records a call and its response.
func (h *history) record(o op) {
	if o.outcome == outcomeUnknown {
		o.ended = forever
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ops = append(h.ops, o)
	if o.outcome == outcomeOK && (o.orderStatus == "open" || o.orderStatus == "partially_filled" || o.orderStatus == "untriggered") {
		h.working = append(h.working, o.orderID)
		h.working = h.working[max(0, len(h.working)-workingMax):]
	}
}

func (h *history) trespass(what string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.trespasses = append(h.trespasses, what)
}

// pick returns one of the recorded ids by a number.
func pick(list []string, at uint64) (string, bool) {
	if len(list) == 0 {
		return "", false
	}
	return list[at%uint64(len(list))], true
}

func (h *history) anyWorking(at uint64) (orderID string, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return pick(h.working, at)
}

func (h *history) anyRequest(at uint64) (requestID string, s sent, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	requestID, ok = pick(h.order, at)
	return requestID, h.requests[requestID], ok
}

// unanswered returns the request ids without a response, which clients repeat as the
// API advises.
func (h *history) unanswered() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	last := map[string]outcome{}
	for _, o := range h.ops {
		if o.outcome != outcomeUnknown || last[o.requestID] == "" {
			last[o.requestID] = o.outcome
		}
	}
	var ids []string
	for id, known := range last {
		if known == outcomeUnknown {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// acknowledged returns the orders whose acceptance was acknowledged.
func (h *history) acknowledged() map[string]string {
	h.mu.Lock()
	defer h.mu.Unlock()
	orders := map[string]string{}
	for _, o := range h.ops {
		if o.outcome == outcomeOK || o.outcome == outcomeDuplicate {
			orders[o.orderID] = o.requestID
		}
	}
	return orders
}

// byRequest returns the calls of each request id.
func (h *history) byRequest() map[string][]op {
	h.mu.Lock()
	defer h.mu.Unlock()
	calls := map[string][]op{}
	for _, o := range h.ops {
		calls[o.requestID] = append(calls[o.requestID], o)
	}
	return calls
}
