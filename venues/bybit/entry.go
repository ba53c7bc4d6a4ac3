package bybit

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
	"venuegate/venues/internal/wscall"
	"venuegate/venues/internal/wsclient"
)

const (
	tradePath = "/v5/trade"
	// requestIDBytes of chance keep the names of our requests apart from those of
	// other connections of the key: the venue takes a name once.
	requestIDBytes = 8
)

// entryOps are the operations that do what REST calls do.
var entryOps = map[string]string{createPath: "order.create", amendPath: "order.amend", cancelPath: "order.cancel"}

// messageRefusals are the venue's codes for a message that it does not take,
// whatever order it is about: nothing was done, and REST may be asked.
var messageRefusals = []integer{10404, 20006}

var errNotTaken = errors.New("the connection for orders does not take the request")

// errNameless ends a connection whose refusal names no request: it may be that of
// any, and their orders are found sooner by query than by waiting.
var errNameless = errors.New("the venue refuses a request that it does not name")

// orderEntry is the connection for orders of an account (document "WebSocket
// Trade Guideline").
type orderEntry struct {
	c      *Connector
	calls  *wscall.Client
	prefix string
	lastID atomic.Uint64
}

// openEntry makes an account's connection for orders.
func (a *Account) openEntry() *orderEntry {
	o := a.c.options
	e := &orderEntry{c: a.c, prefix: newRequestPrefix()}
	signIn := &login{account: a}
	e.calls = wscall.New(wscall.Options{
		Link: wsclient.Options{
			URL: func(ctx context.Context) (string, error) {
				signIn.prepare(ctx)
				return o.TradeURL + tradePath, nil
			},
			Authenticate: signIn.authenticate,
			Ping:         []byte(heartbeat), PingInterval: o.PingInterval,
			BackoffMin: o.BackoffMin, BackoffMax: o.BackoffMax, TickInterval: o.tickInterval,
			Log: o.Log.With(zap.String("stream", "order entry")),
		},
		AnswerID: answerID,
		Other:    e.notice,
		Timeout:  o.Timeout,
	})
	return e
}

func newRequestPrefix() string {
	chance := make([]byte, requestIDBytes)
	_, _ = rand.Read(chance) // it never fails
	return hex.EncodeToString(chance) + "-"
}

// Close ends the connection. Calls under way end with an unknown outcome.
func (e *orderEntry) Close() { e.calls.Close() }

// entryRequest is a request of the order entry socket.
type entryRequest struct {
	ReqID  string      `json:"reqId"`
	Header entryHeader `json:"header"`
	Op     string      `json:"op"`
	Args   []any       `json:"args"`
}

type entryHeader struct {
	Timestamp  string `json:"X-BAPI-TIMESTAMP"`
	RecvWindow string `json:"X-BAPI-RECV-WINDOW"`
}

// entryAnswer is what an answer tells of the connection, and the fields that REST
// has in its headers.
type entryAnswer struct {
	RetCode integer           `json:"retCode"`
	RetMsg  string            `json:"retMsg"`
	Header  map[string]string `json:"header"`
}

func answerID(message []byte) (string, bool) {
	var a struct {
		ReqID string `json:"reqId"`
	}
	err := json.Unmarshal(message, &a)
	return a.ReqID, err == nil && a.ReqID != ""
}

// notice looks at what answers no request: pongs, and refusals without a name.
func (e *orderEntry) notice(calls *wscall.Client, message []byte) {
	var a entryAnswer
	switch err := json.Unmarshal(message, &a); {
	case err != nil:
		e.c.options.Log.Warn("order entry: undecodable message", zap.String("message", payload.Bounded(redact(string(message)))))
	case a.RetCode != 0:
		e.c.options.Log.Warn("order entry: nameless refusal", zap.Int64("code", int64(a.RetCode)),
			zap.String("message", payload.Bounded(redact(a.RetMsg))))
		calls.Reconnect(errNameless)
	}
}

// send carries a request of the account and gives its answer the form of one by
// REST, so that both are judged alike.
func (e *orderEntry) send(ctx context.Context, r request) (*restclient.Answer, error) {
	id := e.prefix + strconv.FormatUint(e.lastID.Add(1), 10)
	message, err := e.c.entryMessage(r, id, time.Now())
	if err != nil {
		return nil, err
	}
	body, err := e.calls.Call(ctx, id, message)
	if err != nil {
		return nil, err
	}
	answer := &restclient.Answer{Status: http.StatusOK, Header: http.Header{}, Body: body}
	var told entryAnswer
	if json.Unmarshal(body, &told) == nil {
		for name, value := range told.Header {
			answer.Header.Set(name, value)
		}
		if told.RetCode == codeRestarting {
			e.calls.Renew()
		}
		if slices.Contains(messageRefusals, told.RetCode) {
			return nil, fmt.Errorf("%w: %d %s", errNotTaken, told.RetCode, payload.Bounded(redact(told.RetMsg)))
		}
	}
	return answer, nil
}

// entryMessage is the request with the time of now. The connection is signed in,
// so that the request is not signed.
func (c *Connector) entryMessage(r request, id string, now time.Time) ([]byte, error) {
	timestamp, recvWindow, err := c.stamp(r, now)
	if err != nil {
		return nil, notSent(err)
	}
	message, err := json.Marshal(entryRequest{
		ReqID: id, Header: entryHeader{timestamp, recvWindow}, Op: entryOps[r.path], Args: []any{r.body},
	})
	if err != nil {
		return nil, notSent(err)
	}
	return message, nil
}

// entry is the connection that can carry the request; nil if REST must.
func (r request) entry() *orderEntry {
	if r.account == nil || entryOps[r.path] == "" {
		return nil
	}
	e := r.account.entry.Load()
	if e == nil || !e.calls.Up() {
		return nil
	}
	return e
}

// exchange carries a request one way or the other and gives the venue's answer.
// What the connection for orders proves not sent, or does not take, goes by REST,
// within the same deadline and under the units of the account's allowance that it
// has used.
func (c *Connector) exchange(ctx context.Context, r request) (*restclient.Answer, error) {
	call := restclient.Call{
		Lane:    r.lane,
		Mutates: r.mutates,
		SendBy:  r.deadline,
		Build:   func() (restclient.Request, error) { return c.build(r, time.Now()) },
	}
	address, account := restclient.Cost{Budget: c.requests, Units: 1}, r.costs()
	e := r.entry()
	if e == nil {
		call.Costs = append(account, address)
		return c.rest.Do(ctx, call)
	}
	call.Costs = account
	if err := c.rest.Admit(ctx, call); err != nil {
		return nil, err
	}
	answer, err := e.send(ctx, r)
	if !errors.Is(err, venues.ErrNotSent) && !errors.Is(err, errNotTaken) {
		return answer, err
	}
	c.options.Log.Debug("order entry: the request goes by REST", zap.String("path", r.path), zap.Error(err))
	call.Costs = []restclient.Cost{address}
	return c.rest.Do(ctx, call)
}
