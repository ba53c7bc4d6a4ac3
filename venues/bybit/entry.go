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
	// requestIDBytes is the length of the random prefix of request ids. It distinguishes
	// them from those of other connections of the key: the venue accepts an id once.
	requestIDBytes = 8
)

// entryOps are the WebSocket operations for the requests that change orders.
var entryOps = map[string]string{createPath: "order.create", amendPath: "order.amend", cancelPath: "order.cancel"}

// connectionRejections are the venue's codes that concern a request as a message and not
// the order: nothing was done, and the request may be sent by REST.
var connectionRejections = []integer{codeRestarting, codeUnknownOperation, codeRequestIDSpent}

var errNotAccepted = errors.New("the connection for orders does not accept the request")

// openEntry opens the account's connection for orders (document "WebSocket Trade
// Guideline").
func (a *Account) openEntry() (closeEntry func()) {
	signIn := &login{account: a}
	link := a.c.linkOptions(func(ctx context.Context) (string, error) {
		signIn.prepare(ctx)
		return a.c.options.TradeURL + tradePath, nil
	}, "order entry")
	link.Authenticate = signIn.authenticate
	return a.entry.Open(wscall.Options{Link: link, Read: a.readEntry, IDPrefix: newIDPrefix(), Timeout: a.c.options.Timeout})
}

func newIDPrefix() string {
	random := make([]byte, requestIDBytes)
	_, _ = rand.Read(random) // it never fails
	return hex.EncodeToString(random) + "-"
}

// entryRequest is a request on the connection for orders.
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

// entryAnswer is the part of an answer that concerns the connection, and the fields that
// REST has in its headers.
type entryAnswer struct {
	ReqID   string            `json:"reqId"`
	RetCode integer           `json:"retCode"`
	RetMsg  string            `json:"retMsg"`
	Header  map[string]string `json:"header"`
}

// readEntry finds the request that a message answers. A restarting part of the venue
// accepts no more requests, and a rejection may lack the id. Pongs are ignored.
func (a *Account) readEntry(message []byte) (m wscall.Message) {
	var answer entryAnswer
	if err := payload.Decode(message, &answer); err != nil && answer.ReqID == "" {
		a.c.options.Log.Warn("order entry: undecodable message", zap.String("message", payload.Bounded(redact(string(message)))))
		return m
	}
	m.ID = answer.ReqID
	switch {
	case answer.RetCode == codeRestarting:
		m.Effect = wscall.Ending
	case m.ID == "" && answer.RetCode != 0:
		a.c.options.Log.Warn("order entry: rejection without an id", zap.Int64("code", int64(answer.RetCode)),
			zap.String("message", payload.Bounded(redact(answer.RetMsg))))
		m.Effect = wscall.RejectWithoutID
	}
	return m
}

// transport returns the connection for orders if the request can be sent on it, else nil.
func (r request) transport() restclient.Transport {
	if r.account == nil || entryOps[r.path] == "" {
		return nil
	}
	return r.account.entry.Transport(r.sendOn)
}

// sendOn sends a request once and returns its answer in the form of REST, so that both
// are classified alike. A request that the connection does not accept was not sent.
func (r request) sendOn(ctx context.Context, calls *wscall.Client) (*restclient.Answer, error) {
	body, err := calls.Call(ctx, func(id string) ([]byte, error) { return r.account.c.entryMessage(r, id, time.Now()) })
	if err != nil {
		return nil, err
	}
	rest := &restclient.Answer{Status: http.StatusOK, Header: http.Header{}, Body: body}
	var answer entryAnswer
	_ = payload.Decode(body, &answer) // an undecodable answer is classified later
	for name, value := range answer.Header {
		rest.Header.Set(name, value)
	}
	if slices.Contains(connectionRejections, answer.RetCode) {
		r.account.c.options.Log.Warn("order entry: the venue does not accept the request",
			zap.Int64("code", int64(answer.RetCode)), zap.String("message", payload.Bounded(redact(answer.RetMsg))))
		return nil, restclient.NotSent(errNotAccepted)
	}
	return rest, nil
}

// entryMessage returns the message of a request with the time now. The connection is
// logged in, so the request is not signed.
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
