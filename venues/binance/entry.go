package binance

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/valyala/fastjson"
	"go.uber.org/zap"

	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
	"venuegate/venues/internal/wscall"
)

const (
	tradePath = "/ws-fapi/v1"
	// handshakeWeight is what an attempt to connect costs.
	handshakeWeight = 5
)

// entryMethods are the methods of the WebSocket API that do what the methods of the
// order endpoint do (document "WebSocket API", trade).
var entryMethods = map[string]string{
	http.MethodPost: "order.place", http.MethodPut: "order.modify", http.MethodDelete: "order.cancel",
}

// orderEntry is the connection for orders of an account, to the venue's WebSocket
// API. Requests are signed one by one: a session takes an Ed25519 key.
type orderEntry struct {
	account *Account
	calls   *wscall.Client
}

// openEntry makes an account's connection for orders.
func (a *Account) openEntry() *orderEntry {
	e := &orderEntry{account: a}
	e.calls = wscall.New(wscall.Options{
		Link: a.c.linkOptions(e.address, tradePath),
		Read: e.read, Timeout: a.c.options.Timeout,
	})
	a.entry.Store(e)
	return e
}

// close ends the connection; orders go by REST from then on. It is safe on nil.
func (e *orderEntry) close() {
	if e == nil {
		return
	}
	e.account.entry.CompareAndSwap(e, nil)
	e.calls.Close()
}

// up says whether an order would be sent now; it is safe on nil.
func (e *orderEntry) up() bool { return e != nil && e.calls.Up() }

// address waits at the gate: an attempt to connect is weighed.
func (e *orderEntry) address(ctx context.Context) (string, error) {
	cost := restclient.Cost{Budget: e.account.c.weight, Units: handshakeWeight}
	if err := e.account.c.gate.Wait(ctx, restclient.LaneReconcile, cost); err != nil {
		return "", err
	}
	return e.account.c.options.TradeURL + tradePath, nil
}

// read finds the request that a message answers. A server that is about to shut
// down says so, and a refusal may lack the id.
func (e *orderEntry) read(message []byte) (m wscall.Message) {
	if id, ok := answerID(message); ok {
		m.ID = id
		return m
	}
	// encoding/json would take "e" and "E" for one.
	if fastjson.GetString(message, "event", "e") == "serverShutdown" {
		m.Says = wscall.Ending
		return m
	}
	e.account.c.options.Log.Warn("order entry: message that answers nothing", zap.String("message", payload.Bounded(string(message))))
	var told entryAnswer
	if payload.Decode(message, &told) == nil && told.refuses() {
		m.Says = wscall.Nameless
	}
	return m
}

// carrier is what can send a request beside REST; nil if REST must.
func (r request) carrier() restclient.Carrier {
	if r.path != orderPath || !r.mutates {
		return nil
	}
	e := r.account.entry.Load()
	if !e.up() {
		return nil
	}
	return func(ctx context.Context) (*restclient.Answer, error) { return e.send(ctx, r) }
}

// send sends a request once and reads its answer as one of REST.
func (e *orderEntry) send(ctx context.Context, r request) (*restclient.Answer, error) {
	raw, err := e.calls.Call(ctx, func(id string) ([]byte, error) { return e.account.c.entryMessage(r, id, time.Now()) })
	if err != nil {
		return nil, err
	}
	answer, err := parseEntryAnswer(raw)
	if err != nil {
		return nil, malformed(r, err)
	}
	return answer, nil
}

// entryMessage signs a request for the moment now.
func (c *Connector) entryMessage(r request, id string, now time.Time) ([]byte, error) {
	p, err := c.stamped(r, now)
	if err != nil {
		return nil, err
	}
	credentials := r.account.credentials
	p = p.With("apiKey", credentials.APIKey.Reveal())
	p = p.With("signature", sign(credentials.APISecret, sortedText(p), ""))
	values := make(map[string]any, len(p))
	for _, one := range p {
		name, value := one[0], one[1]
		values[name] = value
		if entryIntegers[name] {
			values[name] = json.Number(value)
		}
	}
	message, err := json.Marshal(struct {
		ID     string         `json:"id"`
		Method string         `json:"method"`
		Params map[string]any `json:"params"`
	}{id, entryMethods[r.method], values})
	if err != nil {
		return nil, restclient.NotSent(err)
	}
	return message, nil
}

// entryIntegers are the parameters that this API wants as numbers; all others
// are text.
var entryIntegers = map[string]bool{"timestamp": true, "recvWindow": true, "orderId": true}

// answerID is the id of the request that a message answers.
func answerID(message []byte) (string, bool) {
	var answer struct {
		ID any `json:"id"`
	}
	if payload.Decode(message, &answer) != nil {
		return "", false
	}
	id, ok := answer.ID.(string)
	return id, ok
}

// entryAnswer is the envelope of an answer.
type entryAnswer struct {
	Status     int             `json:"status"`
	Result     json.RawMessage `json:"result"`
	Error      json.RawMessage `json:"error"`
	RateLimits []usedLimit     `json:"rateLimits"`
}

// refuses says whether there is an error in it.
func (a *entryAnswer) refuses() bool { return len(a.Error) > 0 && string(a.Error) != "null" }

// usedLimit is a limit with what is used of it.
type usedLimit struct {
	RateLimitType string `json:"rateLimitType"`
	Interval      string `json:"interval"`
	IntervalNum   int    `json:"intervalNum"`
	Limit         int    `json:"limit"`
	Count         int    `json:"count"`
}

var errNoStatus = errors.New("answer without a status")

// parseEntryAnswer reads an answer as REST would bring it: what is used of the
// limits stands in the headers, result or error in the body.
func parseEntryAnswer(raw []byte) (*restclient.Answer, error) {
	var in entryAnswer
	if err := payload.Decode(raw, &in); err != nil {
		return nil, err
	}
	if in.Status <= 0 {
		return nil, errNoStatus
	}
	answer := &restclient.Answer{Status: in.Status, Header: http.Header{}, Body: in.Result}
	if in.refuses() {
		answer.Body = in.Error
	}
	wait := time.Duration(0)
	for _, limit := range in.RateLimits {
		answer.Header.Set(limit.header(), strconv.Itoa(limit.Count))
		if limit.Limit > 0 && limit.Count >= limit.Limit {
			wait = max(wait, limit.span())
		}
	}
	if in.Status == http.StatusTooManyRequests && wait > 0 {
		answer.Header.Set("Retry-After", strconv.Itoa(int(wait/time.Second)))
	}
	return answer, nil
}

// header is what REST calls the counter: X-MBX-ORDER-COUNT-10S.
func (l usedLimit) header() string {
	name := "X-Mbx-Used-Weight-"
	if l.RateLimitType == "ORDERS" {
		name = "X-Mbx-Order-Count-"
	}
	return name + strconv.Itoa(l.IntervalNum) + strings.ToLower(l.Interval[:min(1, len(l.Interval))])
}

// spanMax bounds what is believed of the span of a limit.
const spanMax = 24 * time.Hour

// span is within which time the counter begins anew.
func (l usedLimit) span() time.Duration {
	unit := map[string]time.Duration{"SECOND": time.Second, "MINUTE": time.Minute, "HOUR": time.Hour}[l.Interval]
	if unit == 0 || l.IntervalNum <= 0 || time.Duration(l.IntervalNum) > spanMax/unit {
		return spanMax
	}
	return time.Duration(l.IntervalNum) * unit
}
