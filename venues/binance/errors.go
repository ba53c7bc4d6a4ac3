package binance

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/rejection"
	"venuegate/venues/internal/restclient"
)

const (
	// retryAfterDefault is the wait after an exceeded rate limit without a time.
	retryAfterDefault = time.Minute
	// banMax bounds the duration of a ban: the longest that the venue documents.
	banMax = 72 * time.Hour
	// blockedFor is how long nothing is sent after the firewall has rejected a request.
	blockedFor = 5 * time.Minute
)

// errorBody is the venue's error object. Some answers print code as a string.
type errorBody struct {
	Code json.RawMessage `json:"code"`
	Msg  string          `json:"msg"`
}

// An error object has at least one of these.
var codeMember, messageMember = []byte(`"code"`), []byte(`"msg"`)

// parseError returns code and message of an error object. Successful commands have a code
// too, 200: only negative ones are errors.
func parseError(body []byte) (code int, message string, isJSON bool) {
	body = bytes.TrimLeft(body, " \r\n\t")
	if len(body) == 0 || (body[0] != '{' && body[0] != '[') || !json.Valid(body) {
		return 0, "", false
	}
	if !bytes.Contains(body, codeMember) && !bytes.Contains(body, messageMember) { // most answers: the caller decodes them
		return 0, "", true
	}
	var f errorBody
	if json.Unmarshal(body, &f) != nil {
		return 0, "", true
	}
	code, err := strconv.Atoi(strings.Trim(string(f.Code), `"`))
	if err != nil {
		code = 0
	}
	return code, f.Msg, true
}

// classify returns the error of an answer, or nil for success. The order of the cases
// follows the venue's rules for failed calls.
func (c *Connector) classify(r request, a *restclient.Answer) error {
	code, message, isJSON := parseError(a.Body)
	switch {
	case a.Status == http.StatusTooManyRequests, a.Status == http.StatusTeapot, classes[code].Code == venues.CodeRateLimited:
		return c.rateLimited(r, a, code, message)
	case a.Status == http.StatusForbidden && !isJSON:
		if !r.keyHost {
			c.Gate.Freeze(blockedFor)
		}
		e := venues.Errorf(venues.CodeExchangeUnavailable, "the venue's firewall rejects requests from this address")
		e.RetryAfter = blockedFor
		return connector.Uncertain(r.mutates, e.With("reason", "blocked"))
	case a.Status == http.StatusRequestTimeout || a.Status >= 500:
		return serverError(r, a.Status, code, message)
	case code < 0:
		return c.reject(r, code, message)
	case a.Status >= 200 && a.Status < 300 && isJSON:
		return nil
	default:
		return connector.Uncertain(r.mutates, rejection.StatusClass(a.Status).Err(code, message))
	}
}

// rateLimited handles an exceeded rate limit, which is definite: nothing was executed. An
// order limit concerns only the account's orders, all others this address.
func (c *Connector) rateLimited(r request, a *restclient.Answer, code int, message string) error {
	wait := retryAfter(a.Header, message, c.Clock.Now())
	switch {
	case r.keyHost: // the limit of another host
	case code == codeTooManyOrders && r.countsOrder:
		c.Gate.Exhaust(r.account.orders10s, wait)
	default:
		c.Gate.Freeze(wait)
	}
	e := rejection.RateLimited().Err(code, message)
	e.RetryAfter = wait
	return e
}

var bannedUntil = regexp.MustCompile(`banned until (\d{1,16})`)

// retryAfter returns the later of the time in the header and the time in the message.
func retryAfter(header http.Header, message string, now time.Time) time.Duration {
	wait := restclient.RetryAfter(header, banMax)
	if m := bannedUntil.FindStringSubmatch(message); m != nil {
		if ms, err := strconv.ParseInt(m[1], 10, 64); err == nil {
			wait = max(wait, time.UnixMilli(ms).Sub(now))
		}
	}
	if wait <= 0 {
		return retryAfterDefault
	}
	return min(wait, banMax)
}

// serverError handles 408 and 5xx. Only "Service Unavailable." and throttling are
// definite; after all others the request may have been executed.
func serverError(r request, status, code int, message string) error {
	class := rejection.StatusClass(status)
	if code == codeShuttingDown {
		class.Code = venues.CodeMaintenance
	}
	e := class.Err(code, message).Because(connector.ErrUnavailable)
	definite := status == http.StatusServiceUnavailable &&
		(code == codeThrottled || (code == 0 && message == "Service Unavailable."))
	if definite {
		if class := classes[code]; class.Reason != "" {
			e = e.With("reason", class.Reason)
		}
		return e
	}
	return connector.Uncertain(r.mutates, e)
}

// reject returns the error of a code by the table.
func (c *Connector) reject(r request, code int, message string) error {
	class, listed := classOf(code)
	if !listed && !isParameterError(code) {
		c.LogUnlisted(r.path, code, message)
	}
	e := class.Err(code, message)
	if code == codeNotionalTooSmall {
		e = withMinNotional(e, message)
	}
	if class.Unknown {
		return connector.Uncertain(r.mutates, e)
	}
	return e
}

var notionalBelow = regexp.MustCompile(`no smaller than ([0-9.]{1,36})`)

func withMinNotional(e *venues.Error, message string) *venues.Error {
	m := notionalBelow.FindStringSubmatch(message)
	if m == nil {
		return e
	}
	least, err := venues.ParseVenueDecimal(strings.TrimSuffix(m[1], "."))
	if err != nil {
		return e
	}
	return e.With("minNotional", venues.FormatDecimal(least))
}

func isClockRejection(err error) bool { return rejection.Is(err, codeTimestamp, codeEngineTimestamp) }

func isPositionModeRejection(err error) bool {
	return rejection.Is(err, codePositionSide, codePositionSideReduce, codePositionSideOnly, codeReduceOnlyNotRequired)
}

func isNotFound(err error) bool { return rejection.Is(err, codeUnknownOrder, codeNoSuchOrder) }

// isGone reports whether an order service does not have the order, or no longer, so that the
// other service is tried.
func isGone(err error) bool { return isNotFound(err) || rejection.Is(err, codeStopTriggering) }

// isNoChange reports whether a rejection means that the requested state already exists.
func isNoChange(err error) bool {
	return rejection.Is(err, codeSameMarginType, codeSamePositionMode, codeSameMultiAssets, codeSameOrder)
}
