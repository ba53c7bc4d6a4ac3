package okx

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"venuegate/venues"
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
	codeLoggedOut, codeInstrumentUnknown,
	60008, 60012, 60013, 60018, 60019, 60027, 60028, 60033,
}

// Causes why an operation goes by REST, or is lost.
var (
	errNotTaken   = errors.New("the socket for orders did not take the request")
	errEntryFault = errors.New("socket for orders: an error of no operation in particular")
)

// entry is an account's socket for orders. It is safe for concurrent use.
type entry struct {
	account *Account
	lastID  atomic.Uint64
	calls   *wscall.Client
	// uncoded are the venue's names of instruments whose code it denies.
	uncoded sync.Map
}

// operation is a request on the socket.
type operation struct {
	ID      string `json:"id"`
	Op      string `json:"op"`
	ExpTime string `json:"expTime,omitempty"`
	Args    []any  `json:"args"`
}

// coded is a command that can name its instrument by a code.
type coded interface{ withCode(code int64) any }

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

// openEntry dials the socket for orders; ctx ends what waits for the venue.
func (a *Account) openEntry(ctx context.Context) *entry {
	e := &entry{account: a}
	e.calls = wscall.New(wscall.Options{
		Link:     a.privateLink(ctx, pathPrivate, nil),
		AnswerID: answeredOperation, Other: hearOfEntry, Timeout: a.c.options.Timeout,
	})
	a.orderEntry.Store(e)
	return e
}

// close ends the socket; operations go by REST from then on. It is safe on nil.
func (e *entry) close() {
	if e == nil {
		return
	}
	e.account.orderEntry.CompareAndSwap(e, nil)
	e.calls.Close()
}

// answeredOperation reads which operation a message answers.
func answeredOperation(message []byte) (id string, ok bool) {
	var m struct {
		ID string `json:"id"`
	}
	err := json.Unmarshal(message, &m)
	return m.ID, err == nil && m.ID != ""
}

// hearOfEntry takes what the venue says about the socket itself. An error that
// names no operation may be that of any.
func hearOfEntry(calls *wscall.Client, message []byte) {
	var m privateMessage
	if json.Unmarshal(message, &m) != nil {
		return // a pong
	}
	switch m.Event {
	case "notice":
		calls.Renew()
	case "error":
		calls.Reconnect(fmt.Errorf("%w: %s %s", errEntryFault, payload.Bounded(m.Code), payload.Bounded(m.Msg)))
	}
}

// entry is the socket that a request can go over; nil if it must go by REST.
func (r *request) entry() *entry {
	if r.changes == nil || r.changes.code == 0 || entryOperations[r.path] == "" {
		return nil
	}
	e := r.account.orderEntry.Load()
	if e == nil || !e.calls.Up() {
		return nil
	}
	if _, denied := e.uncoded.Load(r.changes.VenueSymbol); denied {
		return nil
	}
	return e
}

// exchange sends a request over the socket, once it is admitted, and gives its
// answer the form of one by REST. It fails with errNotTaken if the venue has done
// nothing and REST may be asked.
func (e *entry) exchange(ctx context.Context, r request) (*restclient.Answer, error) {
	id := strconv.FormatUint(e.lastID.Add(1), 10)
	message, err := e.operation(id, r, time.Now())
	if err != nil {
		return nil, err
	}
	body, err := e.calls.Call(ctx, id, message)
	switch {
	case errors.Is(err, venues.ErrNotSent):
		return nil, errors.Join(errNotTaken, err)
	case err != nil:
		return nil, err
	}
	if code := codeOf(body); slices.Contains(carrierRefusals, code) {
		e.refused(r, code, body)
		return nil, errNotTaken
	}
	return &restclient.Answer{Status: http.StatusOK, Body: body}, nil
}

// operation is a request as a message. Its error means that nothing was sent.
func (e *entry) operation(id string, r request, now time.Time) ([]byte, error) {
	o := operation{ID: id, Op: entryOperations[r.path], Args: []any{r.body.(coded).withCode(r.changes.code)}}
	if !r.deadline.IsZero() {
		if !now.Before(r.deadline) {
			return nil, deadlinePassed()
		}
		o.ExpTime = e.account.c.expTime(r.deadline)
	}
	message, err := json.Marshal(o)
	if err != nil {
		return nil, notSent(err)
	}
	return message, nil
}

// codeOf is the code that counts in an answer: of the item if it has one.
func codeOf(body []byte) int {
	e, code, _ := parseEnvelope(body)
	var items []itemResult
	if code == codeAllFailed && json.Unmarshal(e.Data, &items) == nil && len(items) == 1 {
		code, _ = strconv.Atoi(items[0].SCode)
	}
	return code
}

// refused notes that the venue turned an operation away because of the way it came.
func (e *entry) refused(r request, code int, body []byte) {
	switch code {
	case codeInstrumentUnknown:
		e.uncoded.Store(r.changes.VenueSymbol, true)
	case codeLoggedOut:
		e.calls.Renew()
	}
	e.account.c.options.Log.Warn("the venue does not take an order over the socket",
		zap.String("symbol", r.changes.Symbol), zap.Int("code", code), zap.String("answer", payload.Bounded(string(body))))
}
