package okx

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/rejection"
	"venuegate/venues/internal/restclient"
)

// envelope wraps every answer of the venue.
type envelope struct {
	Code json.RawMessage `json:"code"`
	Msg  string          `json:"msg"`
	Data json.RawMessage `json:"data"`
}

// itemResult is the result of one item of a request. Success has a message too ("Order
// placed"), so only the code counts.
type itemResult struct {
	SCode   string `json:"sCode"`
	SMsg    string `json:"sMsg"`
	SubCode string `json:"subCode"`
}

// venueError is an error code of the venue with its message.
type venueError struct {
	code    int
	subCode string
	message string
}

// parseEnvelope decodes an answer; false if it does not come from the venue's API.
func parseEnvelope(body []byte) (e envelope, code int, ok bool) {
	if payload.Decode(body, &e) != nil {
		return e, 0, false
	}
	code, err := strconv.Atoi(payload.Unquote(e.Code))
	return e, code, err == nil
}

// classify returns the data of an answer, or its error. The code in the body takes
// precedence over the HTTP status, because the venue sends rejections with many statuses.
// After an exceeded rate limit it closes the budget of the limit.
func (c *Connector) classify(r request, a *restclient.Answer) (json.RawMessage, error) {
	e, code, ok := parseEnvelope(a.Body)
	switch {
	case !ok:
		return nil, c.foreignAnswer(r, a.Status)
	case code == codeAllFailed || code == codePartlyFailed || code == 0 && r.itemized:
		return e.Data, c.classifyItem(r, a.Status, e, code)
	case code != 0:
		return nil, c.reject(r, a.Status, venueError{code: code, message: e.Msg})
	case !isSuccess(a.Status):
		return nil, connector.Uncertain(r.mutates, errorOf(rejection.StatusClass(a.Status), venueError{}))
	}
	return e.Data, nil
}

func isSuccess(status int) bool { return status >= 200 && status < 300 }

// foreignAnswer returns the error for an answer of a proxy, a firewall or a broken
// server. Only "too many requests" is definite.
func (c *Connector) foreignAnswer(r request, status int) error {
	if status == http.StatusTooManyRequests {
		return c.rateLimited(r, venueError{})
	}
	class := rejection.StatusClass(status)
	class.Text += " and not by its API"
	e := errorOf(class, venueError{})
	if status >= http.StatusInternalServerError {
		e = e.Because(connector.ErrUnavailable)
	}
	return connector.Uncertain(r.mutates, e)
}

// classifyItem returns the error of the only item of an answer: this connector sends no
// batches.
func (c *Connector) classifyItem(r request, status int, e envelope, code int) error {
	var items []itemResult
	if err := payload.Decode(e.Data, &items); err != nil || len(items) != 1 {
		if code != 0 {
			class := rejection.Class{Code: venues.CodeExchangeUnavailable, Text: "the venue reported a failure without a reason"}
			return connector.Uncertain(r.mutates, errorOf(class, venueError{code: code, message: e.Msg}))
		}
		return malformed(r, payload.Missing("data"))
	}
	itemCode, err := strconv.Atoi(items[0].SCode)
	switch {
	case err != nil:
		return malformed(r, payload.Missing("sCode"))
	case itemCode != 0:
		return c.reject(r, status, venueError{code: itemCode, subCode: items[0].SubCode, message: items[0].SMsg})
	case code != 0 || !isSuccess(status):
		return malformed(r, errContradiction)
	}
	return nil
}

var errContradiction = errors.New("the answer contradicts itself")

// reject returns the error of a code by the table in error_table.go. If the HTTP status is
// a server error, the request may have been executed whatever the code.
func (c *Connector) reject(r request, status int, venueErr venueError) error {
	class, listed := classOf(venueErr.code)
	if !listed && status == http.StatusTooManyRequests {
		class = rejection.Class{Code: venues.CodeRateLimited}
	}
	if !listed && !isParameterError(venueErr.code) {
		c.LogUnlisted(r.path, venueErr.code, venueErr.message)
	}
	if class.Code == venues.CodeRateLimited {
		return c.rateLimited(r, venueErr)
	}
	e := errorOf(class, venueErr)
	if class.Unknown || status >= http.StatusInternalServerError {
		return connector.Uncertain(r.mutates, e)
	}
	return e
}

// rateLimited handles an exceeded rate limit, which is definite: nothing was executed. The
// budget of the exceeded limit is closed for rateWindow, the length of the venue's windows:
// the answer has no time to retry at. Too many pending changes of one order do not affect
// other requests.
func (c *Connector) rateLimited(r request, venueErr venueError) error {
	if venueErr.code == codeTooManyAmends {
		class := rejection.Class{Code: venues.CodeRateLimited, Text: "too many changes of the order are pending"}
		e := errorOf(class, venueErr)
		e.RetryAfter = rateWindow
		return e
	}
	exceeded := r.limit
	if venueErr.code == codeAccountLimit {
		exceeded = accountOrders
	}
	c.Gate.Exhaust(c.limitsOf(r).budget(exceeded), rateWindow)
	e := errorOf(rejection.RateLimited(), venueErr)
	e.RetryAfter = rateWindow
	return e
}

// errorOf returns the error of a class with the venue's code and message.
func errorOf(class rejection.Class, venueErr venueError) *venues.Error {
	e := class.Err(venueErr.code, venueErr.message)
	if venueErr.subCode != "" {
		e = e.With("venueSubCode", payload.Bounded(venueErr.subCode))
	}
	return e
}

func isClockRejection(err error) bool {
	return rejection.Is(err, codeTimestampExpired, codeTimestampInvalid, codeDeadlinePast)
}

// isPositionModeRejection reports whether the venue rejected the posSide of an order. It
// has no code of its own for that, only the name of the parameter in the message.
func isPositionModeRejection(err error) bool {
	e, ok := errors.AsType[*venues.Error](err)
	return ok && rejection.Is(err, codeParameter) && strings.Contains(e.VenueMessage, "posSide")
}

// isGone reports whether a change was rejected because the order is no longer open.
func isGone(err error) bool {
	return rejection.Is(err, codeCancelGone, codeCancelled, codeCompleted, codeNothingPending, codeOrderUnknown,
		codeTriggered, codeAmendGone, codeAmendCancelled, codeAmendCompleted, codeOrderIDUnknown, codeStatusUnknown)
}

// isNotFound reports whether the venue does not return the order now.
func isNotFound(err error) bool {
	e, ok := errors.AsType[*venues.Error](err)
	return ok && e.Code == venues.CodeNotFound &&
		!errors.Is(err, venues.ErrOutcomeUnknown) && !errors.Is(err, venues.ErrNotSent)
}
