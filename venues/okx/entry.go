package okx

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"go.uber.org/zap"

	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
	"venuegate/venues/internal/wscall"
)

// entryOperations are the socket's names of the requests that change orders
// (documents "WS / Place order", "WS / Amend order", "WS / Cancel order"). Algo
// orders have none.
var entryOperations = map[string]string{orderPath: "order", amendPath: "amend-order", cancelPath: "cancel-order"}

// carrierRefusals are the venue's codes that concern an operation as a message of
// the socket, not the order that it is about: nothing was done, and REST may be
// asked. The venue's demo environment denies on the socket the codes of instruments
// that it publishes itself.
var carrierRefusals = []int{
	codeLoggedOut, codeInstrumentUnknown, codeChannelUnsupported, codeRequestInvalid, codeArgsInvalid,
	codeURLWrong, codeOperationInvalid, codeParameterEmpty, codeOperationUnsupported, codeParameterWrong,
}

var errNotTaken = errors.New("the socket for orders does not take the request")

// orderEntry is the connection for orders of an account, to the venue's private
// stream. It is safe for concurrent use.
type orderEntry struct {
	account *Account
	calls   *wscall.Client
	// uncoded are the venue's names of instruments whose code it denies. There are as
	// many as the venue has instruments at most.
	uncoded sync.Map
}

// operation is a request on the socket.
type operation struct {
	ID      string `json:"id"`
	Op      string `json:"op"`
	ExpTime string `json:"expTime,omitempty"`
	Args    []any  `json:"args"`
}

// coded is a command that can name its instrument by a code. One that protects goes
// by REST: the venue documents no attached orders for the socket, and what it does not
// read there would be missing without a word.
type coded interface {
	withCode(code int64) any
	protects() bool
}

func (o orderCommand) protects() bool { return len(o.AttachAlgoOrds) > 0 }
func (o amendCommand) protects() bool { return len(o.AttachAlgoOrds) > 0 }
func (o orderName) protects() bool    { return false }

func (o orderCommand) withCode(code int64) any {
	o.instrumentName = instrumentName{InstIDCode: code}
	return o
}

func (o amendCommand) withCode(code int64) any {
	o.instrumentName = instrumentName{InstIDCode: code}
	return o
}

func (o orderName) withCode(code int64) any {
	o.instrumentName = instrumentName{InstIDCode: code}
	return o
}

// openEntry makes an account's connection for orders; ctx ends what waits for the
// venue.
func (a *Account) openEntry(ctx context.Context) *orderEntry {
	e := &orderEntry{account: a}
	e.calls = wscall.New(wscall.Options{
		Link: a.privateLink(ctx, pathPrivate), Read: e.read, Timeout: a.c.options.Timeout,
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

// read finds the operation that a message answers. The venue announces an end by a
// notice, a login that has run out by its code, and a refusal may lack the id.
func (e *orderEntry) read(message []byte) (m wscall.Message) {
	var told struct {
		privateMessage
		ID string `json:"id"`
	}
	if err := payload.Decode(message, &told); err != nil && told.ID == "" {
		if string(message) != "pong" {
			e.log("undecodable message", message)
		}
		return m
	}
	m.ID = told.ID
	switch {
	case m.ID != "":
		if codeOf(message) == codeLoggedOut {
			m.Says = wscall.Ending
		}
	case told.Event == "notice":
		m.Says = wscall.Ending
	case told.Event == "error":
		e.log("nameless refusal", message)
		m.Says = wscall.Nameless
	default:
		e.log("message that answers nothing", message)
	}
	return m
}

func (e *orderEntry) log(what string, message []byte) {
	e.account.c.options.Log.Warn("order entry: "+what, zap.String("message", payload.Bounded(string(message))))
}

// carrier is what can send a request beside REST; nil if REST must.
func (r *request) carrier() restclient.Carrier {
	if r.changes == nil || r.changes.code == 0 || entryOperations[r.path] == "" || r.body.(coded).protects() {
		return nil
	}
	e := r.account.entry.Load()
	if !e.up() {
		return nil
	}
	if _, denied := e.uncoded.Load(r.changes.VenueSymbol); denied {
		return nil
	}
	return func(ctx context.Context) (*restclient.Answer, error) { return e.send(ctx, *r) }
}

// send sends a request once and reads its answer as one of REST. What the socket
// does not take is proved not sent.
func (e *orderEntry) send(ctx context.Context, r request) (*restclient.Answer, error) {
	body, err := e.calls.Call(ctx, func(id string) ([]byte, error) { return e.operation(id, r, time.Now()) })
	if err != nil {
		return nil, err
	}
	if code := codeOf(body); slices.Contains(carrierRefusals, code) {
		if code == codeInstrumentUnknown {
			e.uncoded.Store(r.changes.VenueSymbol, true)
		}
		e.log("the venue does not take the request", body)
		return nil, restclient.NotSent(errNotTaken)
	}
	return &restclient.Answer{Status: http.StatusOK, Body: body}, nil
}

// operation is a request as a message. Its error means that nothing was sent.
func (e *orderEntry) operation(id string, r request, now time.Time) ([]byte, error) {
	o := operation{ID: id, Op: entryOperations[r.path], Args: []any{r.body.(coded).withCode(r.changes.code)}}
	if !r.deadline.IsZero() {
		if !now.Before(r.deadline) {
			return nil, restclient.DeadlinePassed()
		}
		o.ExpTime = e.account.c.expTime(r.deadline)
	}
	message, err := json.Marshal(o)
	if err != nil {
		return nil, restclient.NotSent(err)
	}
	return message, nil
}

// codeOf is the code that counts in an answer: of the item if it has one.
func codeOf(body []byte) int {
	e, code, _ := parseEnvelope(body)
	var items []itemResult
	if code == codeAllFailed && payload.Decode(e.Data, &items) == nil && len(items) == 1 {
		code, _ = strconv.Atoi(items[0].SCode)
	}
	return code
}
