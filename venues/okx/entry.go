package okx

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"go.uber.org/zap"

	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/restclient"
	"venuegate/venues/internal/wscall"
)

// entryOperations are the WebSocket operations for the requests that change orders
// (documents "WS / Place order", "WS / Amend order", "WS / Cancel order"). Algo orders
// have none.
var entryOperations = map[string]string{orderPath: "order", amendPath: "amend-order", cancelPath: "cancel-order"}

// connectionRejections are the venue's codes that reject an operation as a message and not
// the order in it: nothing was executed, and the request may be sent by REST.
// codeInstrumentUnknown is one of them because the venue's demo environment rejects on the
// WebSocket the instrument codes that it publishes itself.
var connectionRejections = []int{
	codeLoggedOut, codeInstrumentUnknown, codeChannelUnsupported, codeRequestInvalid, codeArgsInvalid,
	codeURLWrong, codeOperationInvalid, codeParameterEmpty, codeOperationUnsupported, codeParameterWrong,
}

var errNotAccepted = errors.New("the connection for orders does not accept the request")

// entryRequest is a request on the connection for orders.
type entryRequest struct {
	ID      string `json:"id"`
	Op      string `json:"op"`
	ExpTime string `json:"expTime,omitempty"`
	Args    []any  `json:"args"`
}

// codedCommand is the body of a request that can be sent on the connection for orders.
type codedCommand interface {
	// withInstrumentCode returns the command with the instrument's code (instIdCode) in place
	// of its id, as the WebSocket requires.
	withInstrumentCode(code int64) any
	// protects reports whether the command attaches protection. Such a command goes by REST:
	// the venue documents no attached orders for the WebSocket and might drop them silently.
	protects() bool
}

func (o orderCommand) protects() bool { return len(o.AttachAlgoOrds) > 0 }
func (o amendCommand) protects() bool { return len(o.AttachAlgoOrds) > 0 }
func (o orderName) protects() bool    { return false }

func (o orderCommand) withInstrumentCode(code int64) any {
	o.instrumentName = instrumentName{InstIDCode: code}
	return o
}

func (o amendCommand) withInstrumentCode(code int64) any {
	o.instrumentName = instrumentName{InstIDCode: code}
	return o
}

func (o orderName) withInstrumentCode(code int64) any {
	o.instrumentName = instrumentName{InstIDCode: code}
	return o
}

// openEntry opens the account's connection for orders, which uses the path of the private
// stream. ctx cancels the requests for the clock.
func (a *Account) openEntry(ctx context.Context) (closeEntry func()) {
	a.codeRejected.Clear()
	return a.entry.Open(wscall.Options{
		Link: a.privateLink(ctx, pathPrivate), Read: a.readEntry, Timeout: a.c.options.Timeout,
	})
}

// readEntry returns the operation that a message answers and its effect on the connection.
// The venue announces the end of the connection by an event "notice" and an expired login
// by its code. A rejection may lack the id of its operation.
func (a *Account) readEntry(message []byte) (read wscall.Message) {
	var m struct {
		privateMessage
		ID string `json:"id"`
	}
	if err := payload.Decode(message, &m); err != nil && m.ID == "" {
		if string(message) != "pong" {
			a.logEntry("undecodable message", message)
		}
		return read
	}
	read.ID = m.ID
	switch {
	case read.ID != "":
		if codeOf(message) == codeLoggedOut {
			read.Effect = wscall.Ending
		}
	case m.Event == "notice":
		read.Effect = wscall.Ending
	case m.Event == "error":
		a.logEntry("rejection without an id", message)
		read.Effect = wscall.RejectWithoutID
	default:
		a.logEntry("unexpected message", message)
	}
	return read
}

func (a *Account) logEntry(what string, message []byte) {
	a.c.options.Log.Warn("order entry: "+what, zap.String("message", payload.Bounded(string(message))))
}

// transport returns the connection for orders if the request can be sent on it, else nil.
func (r request) transport() restclient.Transport {
	if r.instrument == nil || r.instrument.code == 0 || entryOperations[r.path] == "" || r.body.(codedCommand).protects() {
		return nil
	}
	if _, rejected := r.account.codeRejected.Load(r.instrument.VenueSymbol); rejected {
		return nil
	}
	return r.account.entry.Transport(r.sendOnSocket)
}

// sendOnSocket sends a request once and returns its answer in the form of REST. A request that
// the connection does not accept was not sent.
func (r request) sendOnSocket(ctx context.Context, calls *wscall.Client) (*restclient.Answer, error) {
	a := r.account
	body, err := calls.Call(ctx, func(id string) ([]byte, error) { return a.c.entryMessage(r, id, time.Now()) })
	if err != nil {
		return nil, err
	}
	if code := codeOf(body); slices.Contains(connectionRejections, code) {
		if code == codeInstrumentUnknown {
			a.codeRejected.Store(r.instrument.VenueSymbol, true)
		}
		a.logEntry("the venue does not accept the request", body)
		return nil, restclient.NotSent(errNotAccepted)
	}
	return &restclient.Answer{Status: http.StatusOK, Body: body}, nil
}

// entryMessage returns the message of a request. An error means that nothing was sent.
func (c *Connector) entryMessage(r request, id string, now time.Time) ([]byte, error) {
	o := entryRequest{ID: id, Op: entryOperations[r.path], Args: []any{r.body.(codedCommand).withInstrumentCode(r.instrument.code)}}
	if !r.deadline.IsZero() {
		if !now.Before(r.deadline) {
			return nil, restclient.DeadlinePassed()
		}
		o.ExpTime = c.expTime(r.deadline)
	}
	message, err := json.Marshal(o)
	if err != nil {
		return nil, restclient.NotSent(err)
	}
	return message, nil
}

// codeOf returns the code of an answer: that of its item if the answer only states that all
// items failed.
func codeOf(body []byte) int {
	e, code, _ := parseEnvelope(body)
	var items []itemResult
	if code == codeAllFailed && payload.Decode(e.Data, &items) == nil && len(items) == 1 {
		code, _ = strconv.Atoi(items[0].SCode)
	}
	return code
}
