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
	// handshakeWeight is the weight of an attempt to connect.
	handshakeWeight = 5
)

// entryMethods are the methods of the WebSocket API for the requests of the order
// endpoint (document "WebSocket API", trade).
var entryMethods = map[string]string{
	http.MethodPost: "order.place", http.MethodPut: "order.modify", http.MethodDelete: "order.cancel",
}

// openEntry makes an account's connection for orders, to the venue's WebSocket API.
// Requests are signed one by one: a session requires an Ed25519 key.
func (a *Account) openEntry() (closeEntry func()) {
	return a.entry.Open(wscall.Options{
		Link: a.c.linkOptions(a.entryAddress, tradePath),
		Read: a.readEntry, Timeout: a.c.options.Timeout,
	})
}

// entryAddress waits at the gate, because an attempt to connect has a weight.
func (a *Account) entryAddress(ctx context.Context) (string, error) {
	cost := restclient.Cost{Budget: a.c.weight, Units: handshakeWeight}
	if err := a.c.Gate.Wait(ctx, restclient.PriorityReconcile, cost); err != nil {
		return "", err
	}
	return a.c.options.TradeURL + tradePath, nil
}

// readEntry finds the request that a message answers. A server announces its shutdown,
// and a rejection may lack the id.
func (a *Account) readEntry(message []byte) (m wscall.Message) {
	if id, ok := answerID(message); ok {
		m.ID = id
		return m
	}
	// encoding/json does not distinguish "e" from "E".
	if fastjson.GetString(message, "event", "e") == "serverShutdown" {
		m.Effect = wscall.Ending
		return m
	}
	a.c.options.Log.Warn("order entry: message that is not an answer", zap.String("message", payload.Bounded(string(message))))
	var answer entryAnswer
	if payload.Decode(message, &answer) == nil && answer.rejects() {
		m.Effect = wscall.RejectWithoutID
	}
	return m
}

// transport returns the connection for orders if the request can be sent on it, else nil.
func (r request) transport() restclient.Transport {
	if r.path != orderPath || !r.mutates {
		return nil
	}
	return r.account.entry.Transport(r.sendOn)
}

// sendOn sends a request once and returns its answer in the form of REST.
func (r request) sendOn(ctx context.Context, calls *wscall.Client) (*restclient.Answer, error) {
	raw, err := calls.Call(ctx, func(id string) ([]byte, error) { return r.account.c.entryMessage(r, id, time.Now()) })
	if err != nil {
		return nil, err
	}
	answer, err := parseEntryAnswer(raw)
	if err != nil {
		return nil, malformed(r, err)
	}
	return answer, nil
}

// entryMessage returns the message of a request, signed at the time now.
func (c *Connector) entryMessage(r request, id string, now time.Time) ([]byte, error) {
	p, err := c.withTimestamp(r, now)
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

// entryIntegers are the parameters that must be numbers; all others are strings.
var entryIntegers = map[string]bool{"timestamp": true, "recvWindow": true, "orderId": true}

// answerID returns the id of the request that a message answers.
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

// rejects reports whether the answer contains an error.
func (a *entryAnswer) rejects() bool { return len(a.Error) > 0 && string(a.Error) != "null" }

// usedLimit is a rate limit with its counter.
type usedLimit struct {
	RateLimitType string `json:"rateLimitType"`
	Interval      string `json:"interval"`
	IntervalNum   int    `json:"intervalNum"`
	Limit         int    `json:"limit"`
	Count         int    `json:"count"`
}

var errNoStatus = errors.New("answer without a status")

// parseEntryAnswer returns an answer in the form of REST: the counters of the rate limits
// in the headers, result or error in the body.
func parseEntryAnswer(raw []byte) (*restclient.Answer, error) {
	var in entryAnswer
	if err := payload.Decode(raw, &in); err != nil {
		return nil, err
	}
	if in.Status <= 0 {
		return nil, errNoStatus
	}
	answer := &restclient.Answer{Status: in.Status, Header: http.Header{}, Body: in.Result}
	if in.rejects() {
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

// header returns the name of the counter in REST headers, such as X-MBX-ORDER-COUNT-10S.
func (l usedLimit) header() string {
	name := "X-Mbx-Used-Weight-"
	if l.RateLimitType == "ORDERS" {
		name = "X-Mbx-Order-Count-"
	}
	return name + strconv.Itoa(l.IntervalNum) + strings.ToLower(l.Interval[:min(1, len(l.Interval))])
}

// spanMax bounds the span of a rate limit.
const spanMax = 24 * time.Hour

// span returns the time after which the counter restarts.
func (l usedLimit) span() time.Duration {
	unit := map[string]time.Duration{"SECOND": time.Second, "MINUTE": time.Minute, "HOUR": time.Hour}[l.Interval]
	if unit == 0 || l.IntervalNum <= 0 || time.Duration(l.IntervalNum) > spanMax/unit {
		return spanMax
	}
	return time.Duration(l.IntervalNum) * unit
}
