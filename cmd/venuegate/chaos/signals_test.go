//go:build chaos

package chaos

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"venuegate/transport/signing"
	"venuegate/venues"
)

const (
	// webhooksPlain is the number of channels without rules; each accepts a limited
	// number of signals per minute.
	webhooksPlain = 8
	// signedFor is how long a signed request may be repeated; the service rejects it
	// after 300 s.
	signedFor = 4 * time.Minute
	// chartFor is how long an equal body of a chart counts as the same signal; the
	// service's limit is 30 s.
	chartFor = 20 * time.Second
)

// hook is a channel of the demo's customer.
type hook struct {
	ID     string `json:"id"`
	URL    string `json:"url"`
	Secret string `json:"secret"`
	Token  string `json:"channelToken"`
	// path is the path of the hook's URL; the host changes with each start.
	path string
	// policy on a signal against an open position.
	policy string
}

// makeHooks creates the channels of the load.
func (w *world) makeHooks(customer string) {
	w.t.Helper()
	w.hooks = append(w.hooks, w.makeHook(customer, "chart", nil))
	for _, policy := range []string{"ignore", "close", "reverse", "reject"} {
		w.hooks = append(w.hooks, w.makeHook(customer, "webhook", map[string]any{"opposite": policy}))
	}
	for range webhooksPlain {
		w.hooks = append(w.hooks, w.makeHook(customer, "webhook", nil))
	}
}

func (w *world) makeHook(customer, kind string, rules map[string]any) hook {
	w.t.Helper()
	var h hook
	body := map[string]any{"customer": customer, "kind": kind, "name": "chaos"}
	if rules != nil {
		body["rules"] = rules
	}
	w.administer(http.MethodPost, "/admin/v1/hooks", body, &h)
	address, err := url.Parse(h.URL)
	if err != nil {
		w.t.Fatal(err)
	}
	h.path = address.Path
	h.policy, _ = rules["opposite"].(string)
	return h
}

// signal is one request of a sender, sent once or more.
type signal struct {
	hook *hook
	// name is its unique comment.
	name string
	body string
	// implied reports whether the sender set no requestId.
	implied bool
	// at is the time of the first signature, which is signed.
	at time.Time
	// answers are the responses; the signals' mutex guards them.
	answers []answer
}

// replayable reports whether the same bytes still count as the same signal.
func (s *signal) replayable() bool {
	switch {
	case s.hook.Secret != "":
		return time.Since(s.at) < signedFor
	case s.implied:
		return time.Since(s.at) < chartFor
	default:
		return true
	}
}

// signals are the sent signals. They are safe for concurrent use.
type signals struct {
	mu   sync.Mutex
	sent []*signal
}

func (s *signals) add(in *signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = append(s.sent, in)
}

func (s *signals) all() []*signal {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*signal{}, s.sent...)
}

func (s *signals) answered(in *signal, a answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	in.answers = append(in.answers, a)
}

// unanswered returns the signals without a response.
func (s *signals) unanswered() []*signal {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []*signal
	for _, in := range s.sent {
		known := false
		for _, a := range in.answers {
			known = known || a.outcome != outcomeUnknown
		}
		if len(in.answers) > 0 && !known {
			list = append(list, in)
		}
	}
	return list
}

// signal sends a new signal, sometimes several times concurrently.
func (c client) signal() {
	s := c.newSignal(&c.hooks[c.random.IntN(len(c.hooks))])
	var wait sync.WaitGroup
	if c.random.IntN(3) == 0 {
		for range 1 + c.random.IntN(repeatsMax) {
			wait.Go(func() { c.fire(s) })
		}
	}
	c.fire(s)
	wait.Wait()
}

// replay sends the bytes of an earlier signal again.
func (c client) replay() {
	if sent := c.signals.all(); len(sent) > 0 {
		if s := sent[c.random.IntN(len(sent))]; s.replayable() {
			c.fire(s)
		}
	}
}

// newSignal returns an order signal, or sometimes a close.
func (c client) newSignal(h *hook) *signal {
	r, instrument := c.random, traded[c.random.IntN(len(traded))]
	side, away := "buy", int64(-1)
	if r.IntN(2) == 0 {
		side, away = "sell", 1
	}
	s := &signal{hook: h, name: "s" + strconv.FormatUint(c.requests.Add(1), 10), implied: r.IntN(2) == 0, at: time.Now()}
	body := map[string]any{
		"action": "order", "exchange": venues.All()[r.IntN(len(venues.All()))], "symbol": instrument.symbol, "side": side,
		"qty": venues.FormatDecimal(hundredths(1 + r.Int64N(instrument.qtyHundredthsMax))), "comment": s.name,
	}
	switch r.IntN(8) {
	case 0:
		body["action"] = "close"
		delete(body, "side")
		delete(body, "qty")
	case 1, 2:
		body["orderType"] = "limit"
		body["price"] = strconv.FormatInt(instrument.price+away*instrument.price/100, 10)
	case 3:
		body["stopLoss"] = strconv.FormatInt(instrument.price+away*instrument.price/4, 10)
	}
	if !s.implied {
		body["requestId"] = s.name
	}
	if h.Token != "" {
		body["channelToken"] = h.Token
	}
	s.body = encode(body)
	c.signals.add(s)
	return s
}

// fire sends the bytes of a signal with its first signature.
func (w *world) fire(s *signal) {
	request, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, *w.base.Load()+s.hook.path, strings.NewReader(s.body))
	if err != nil {
		return // the test ends
	}
	if s.hook.Secret != "" {
		headers := signing.NewHeaders("")
		signature, timestamp := signing.NewKey(s.hook.Secret).Sign(s.at.Unix(), []byte(s.body))
		request.Header.Set(headers.Signature, signature)
		request.Header.Set(headers.Timestamp, timestamp)
	}
	a := classify(exchange(w.client, request))
	if a.status == 0 && a.outcome == outcomeRefused {
		time.Sleep(retryPause)
		return
	}
	w.signals.answered(s, a)
}
