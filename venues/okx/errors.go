package okx

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"go.uber.org/zap"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/refusal"
	"venuegate/venues/internal/restclient"
)

// envelope is what every answer of the venue is wrapped in.
type envelope struct {
	Code json.RawMessage `json:"code"`
	Msg  string          `json:"msg"`
	Data json.RawMessage `json:"data"`
}

// itemResult is the verdict on one item of a request; its message may praise a
// success ("Order placed"), so the code alone counts.
type itemResult struct {
	SCode   string `json:"sCode"`
	SMsg    string `json:"sMsg"`
	SubCode string `json:"subCode"`
}

// fault is a code of the venue with its words.
type fault struct {
	code    int
	subCode string
	message string
}

// parseEnvelope reads an answer; false if it is none of the venue's.
func parseEnvelope(body []byte) (e envelope, code int, ok bool) {
	if payload.Decode(body, &e) != nil {
		return e, 0, false
	}
	code, err := strconv.Atoi(payload.Unquote(e.Code))
	return e, code, err == nil
}

// judge turns an answer into its data or an error. The body is asked before the
// status, for the venue refuses with many statuses.
func (c *Connector) judge(r request, a *restclient.Answer) (json.RawMessage, error) {
	e, code, ok := parseEnvelope(a.Body)
	switch {
	case !ok:
		return nil, c.stranger(r, a.Status)
	case code == codeAllFailed || code == codePartlyFailed || code == 0 && r.itemized:
		return e.Data, c.judgeItem(r, a.Status, e, code)
	case code != 0:
		return nil, c.refusal(r, a.Status, fault{code: code, message: e.Msg})
	case !isSuccess(a.Status):
		return nil, uncertain(r, venueFault(refusal.Status(a.Status), fault{}))
	}
	return e.Data, nil
}

// uncertain joins ErrOutcomeUnknown to the error of a request that may have
// changed something.
func uncertain(r request, err error) error {
	if r.mutates {
		return restclient.OutcomeUnknown(err)
	}
	return err
}

func isSuccess(status int) bool { return status >= 200 && status < 300 }

// stranger is an answer that is not the venue's: of a proxy, a firewall, a broken
// server. Only a refusal for too many requests is definite.
func (c *Connector) stranger(r request, status int) error {
	if status == http.StatusTooManyRequests {
		return c.limited(r, fault{})
	}
	v := refusal.Status(status)
	v.Text += " and not in its own words"
	e := venueFault(v, fault{})
	if status >= http.StatusInternalServerError {
		e = e.Because(errAway)
	}
	return uncertain(r, e)
}

// judgeItem reads the one item of an answer: this connector sends no batches.
func (c *Connector) judgeItem(r request, status int, e envelope, code int) error {
	var items []itemResult
	if err := payload.Decode(e.Data, &items); err != nil || len(items) != 1 {
		if code != 0 {
			v := refusal.Verdict{Code: venues.CodeExchangeUnavailable, Text: "the venue failed without a reason"}
			return uncertain(r, venueFault(v, fault{code: code, message: e.Msg}))
		}
		return malformed(r, payload.Missing("data"))
	}
	itemCode, err := strconv.Atoi(items[0].SCode)
	switch {
	case err != nil:
		return malformed(r, payload.Missing("sCode"))
	case itemCode != 0:
		return c.refusal(r, status, fault{code: itemCode, subCode: items[0].SubCode, message: items[0].SMsg})
	case code != 0 || !isSuccess(status):
		return malformed(r, errContradiction)
	}
	return nil
}

var errContradiction = errors.New("the answer contradicts itself")

// refusal handles an error code by the table. A server fault may hide an
// execution whatever its code.
func (c *Connector) refusal(r request, status int, f fault) error {
	v, listed := verdictOf(f.code)
	if !listed && status == http.StatusTooManyRequests {
		v = refusal.Verdict{Code: venues.CodeRateLimited}
	}
	if !listed && !isParameterFault(f.code) {
		c.options.Log.Warn("venue refusal with an unlisted code", zap.String("path", r.path), zap.Int("code", f.code), zap.String("message", payload.Bounded(f.message)))
	}
	if v.Code == venues.CodeRateLimited {
		return c.limited(r, f)
	}
	e := venueFault(v, f)
	if v.Unknown || status >= http.StatusInternalServerError {
		return uncertain(r, e)
	}
	return e
}

// limited handles a broken limit: definite, nothing was executed. The venue names
// no time, but its windows are of rateWindow. What waits for changes of one order
// stands against no other request.
func (c *Connector) limited(r request, f fault) error {
	if f.code == codeAmendsUnderWay {
		v := refusal.Verdict{Code: venues.CodeRateLimited, Text: "as many changes of the order are under way as may be"}
		e := venueFault(v, f)
		e.RetryAfter = rateWindow
		return e
	}
	for _, cost := range c.costs(r) {
		if perAccount := cost.Budget == c.owner(r).budget(accountOrders); perAccount == (f.code == codeAccountLimit) {
			c.gate.Exhaust(cost.Budget, rateWindow)
		}
	}
	e := venueFault(refusal.Limited(), f)
	e.RetryAfter = rateWindow
	return e
}

// venueFault is a verdict on what the venue said.
func venueFault(v refusal.Verdict, f fault) *venues.Error {
	e := v.Fault(f.code, f.message)
	if f.subCode != "" {
		e = e.With("venueSubCode", payload.Bounded(f.subCode))
	}
	return e
}

func isClockRefusal(err error) bool {
	return refusal.Is(err, codeTimestampExpired, codeTimestampInvalid, codeDeadlineEarly)
}

// isPositionModeRefusal: the venue has no code of its own for it.
func isPositionModeRefusal(err error) bool {
	e, ok := errors.AsType[*venues.Error](err)
	return ok && refusal.Is(err, codeParameter) && strings.Contains(e.VenueMessage, "posSide")
}

// isGone says whether the venue does not show an order as active any more.
func isGone(err error) bool {
	return refusal.Is(err, codeCancelGone, codeCancelled, codeCompleted, codeNothingPending, codeOrderUnknown,
		codeTriggered, codeAmendGone, codeAmendCancelled, codeAmendCompleted, codeOrderIDUnknown, codeStatusUnknown)
}

// isNotFound says whether the venue shows no such order now.
func isNotFound(err error) bool {
	e, ok := errors.AsType[*venues.Error](err)
	return ok && e.Code == venues.CodeNotFound &&
		!errors.Is(err, venues.ErrOutcomeUnknown) && !errors.Is(err, venues.ErrNotSent)
}
