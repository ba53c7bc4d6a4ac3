package bybit

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"go.uber.org/zap"

	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
	"venuegate/venues/internal/wscall"
)

const (
	tradePath = "/v5/trade"
	// requestIDBytes of chance keep the names of our requests apart from those of
	// other connections of the key: the venue takes a name once.
	requestIDBytes = 8
)

// entryOps are the operations that do what REST calls do.
var entryOps = map[string]string{createPath: "order.create", amendPath: "order.amend", cancelPath: "order.cancel"}

// carrierRefusals are the venue's codes that concern a request as a message of the
// connection, not the order that it is about: nothing was done, and REST may be asked.
var carrierRefusals = []integer{codeRestarting, codeUnknownOperation, codeRequestIDSpent}

var errNotTaken = errors.New("the connection for orders does not take the request")

// orderEntry is the connection for orders of an account (document "WebSocket
// Trade Guideline").
type orderEntry struct {
	account *Account
	calls   *wscall.Client
}

// openEntry makes an account's connection for orders.
func (a *Account) openEntry() *orderEntry {
	o := a.c.options
	e, signIn := &orderEntry{account: a}, &login{account: a}
	link := a.c.linkOptions(func(ctx context.Context) (string, error) {
		signIn.prepare(ctx)
		return o.TradeURL + tradePath, nil
	}, "order entry")
	link.Authenticate = signIn.authenticate
	e.calls = wscall.New(wscall.Options{Link: link, Read: e.read, IDPrefix: newIDPrefix(), Timeout: o.Timeout})
	a.entry.Store(e)
	return e
}

func newIDPrefix() string {
	chance := make([]byte, requestIDBytes)
	_, _ = rand.Read(chance) // it never fails
	return hex.EncodeToString(chance) + "-"
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
	ReqID   string            `json:"reqId"`
	RetCode integer           `json:"retCode"`
	RetMsg  string            `json:"retMsg"`
	Header  map[string]string `json:"header"`
}

// read finds the request that a message answers. A part of the venue that restarts
// takes no more requests, and a refusal may lack the id; pongs say nothing.
func (e *orderEntry) read(message []byte) (m wscall.Message) {
	var told entryAnswer
	if err := payload.Decode(message, &told); err != nil && told.ReqID == "" {
		e.account.c.options.Log.Warn("order entry: undecodable message", zap.String("message", payload.Bounded(redact(string(message)))))
		return m
	}
	m.ID = told.ReqID
	switch {
	case told.RetCode == codeRestarting:
		m.Says = wscall.Ending
	case m.ID == "" && told.RetCode != 0:
		e.account.c.options.Log.Warn("order entry: nameless refusal", zap.Int64("code", int64(told.RetCode)),
			zap.String("message", payload.Bounded(redact(told.RetMsg))))
		m.Says = wscall.Nameless
	}
	return m
}

// carrier is what can send a request beside REST; nil if REST must.
func (r request) carrier() restclient.Carrier {
	if r.account == nil || entryOps[r.path] == "" {
		return nil
	}
	e := r.account.entry.Load()
	if !e.up() {
		return nil
	}
	return func(ctx context.Context) (*restclient.Answer, error) { return e.send(ctx, r) }
}

// send sends a request once and reads its answer as one of REST, so that both are
// judged alike. What the connection does not take is proved not sent.
func (e *orderEntry) send(ctx context.Context, r request) (*restclient.Answer, error) {
	body, err := e.calls.Call(ctx, func(id string) ([]byte, error) { return e.account.c.entryMessage(r, id, time.Now()) })
	if err != nil {
		return nil, err
	}
	answer := &restclient.Answer{Status: http.StatusOK, Header: http.Header{}, Body: body}
	var told entryAnswer
	_ = payload.Decode(body, &told) // what cannot be read is judged with the answer
	for name, value := range told.Header {
		answer.Header.Set(name, value)
	}
	if slices.Contains(carrierRefusals, told.RetCode) {
		e.account.c.options.Log.Warn("order entry: the venue does not take the request",
			zap.Int64("code", int64(told.RetCode)), zap.String("message", payload.Bounded(redact(told.RetMsg))))
		return nil, restclient.NotSent(errNotTaken)
	}
	return answer, nil
}

// entryMessage is the request with the time of now. The connection is signed in,
// so that the request is not signed.
func (c *Connector) entryMessage(r request, id string, now time.Time) ([]byte, error) {
	timestamp, recvWindow, err := c.stamp(r, now)
	if err != nil {
		return nil, restclient.NotSent(err)
	}
	message, err := json.Marshal(entryRequest{
		ReqID: id, Header: entryHeader{timestamp, recvWindow}, Op: entryOps[r.path], Args: []any{r.body},
	})
	if err != nil {
		return nil, restclient.NotSent(err)
	}
	return message, nil
}
