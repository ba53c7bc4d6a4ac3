package binance

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.uber.org/zap"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/refusal"
	"venuegate/venues/internal/restclient"
)

const (
	// retryAfterDefault serves a broken limit without a time.
	retryAfterDefault = time.Minute
	// banMax bounds what is believed of a ban: the longest the venue documents.
	banMax = 72 * time.Hour
	// blockedFor is how long nothing is sent after the firewall refused us.
	blockedFor = 5 * time.Minute
)

// faultBody is the venue's error object. Some answers print code as a string.
type faultBody struct {
	Code json.RawMessage `json:"code"`
	Msg  string          `json:"msg"`
}

// An error object has at least one of these.
var codeMember, messageMember = []byte(`"code"`), []byte(`"msg"`)

// parseFault finds the code and message of an error object. Success bodies of
// commands have a code too, 200: only a negative one is an error.
func parseFault(body []byte) (code int, message string, isJSON bool) {
	body = bytes.TrimLeft(body, " \r\n\t")
	if len(body) == 0 || (body[0] != '{' && body[0] != '[') || !json.Valid(body) {
		return 0, "", false
	}
	if !bytes.Contains(body, codeMember) && !bytes.Contains(body, messageMember) { // most answers: the one who asked reads them
		return 0, "", true
	}
	var f faultBody
	if json.Unmarshal(body, &f) != nil {
		return 0, "", true
	}
	code, err := strconv.Atoi(strings.Trim(string(f.Code), `"`))
	if err != nil {
		code = 0
	}
	return code, f.Msg, true
}

// judge turns an answer into an error, or nil for success. The order of its
// questions is that of the venue's rules for failed calls.
func (c *Connector) judge(r request, a *restclient.Answer) error {
	code, message, isJSON := parseFault(a.Body)
	switch {
	case a.Status == http.StatusTooManyRequests, a.Status == http.StatusTeapot, verdicts[code].Code == venues.CodeRateLimited:
		return c.limited(r, a, code, message)
	case a.Status == http.StatusForbidden && !isJSON:
		if !r.keyHost {
			c.gate.Freeze(blockedFor)
		}
		e := venues.Errorf(venues.CodeExchangeUnavailable, "the venue's firewall refuses requests from here")
		e.RetryAfter = blockedFor
		return uncertain(r, e.With("reason", "blocked"))
	case a.Status == http.StatusRequestTimeout || a.Status >= 500:
		return serverFault(r, a.Status, code, message)
	case code < 0:
		return c.refusal(r, code, message)
	case a.Status >= 200 && a.Status < 300 && isJSON:
		return nil
	default:
		return uncertain(r, refusal.Status(a.Status).Fault(code, message))
	}
}

// uncertain joins ErrOutcomeUnknown to the error of a request that may have
// changed something.
func uncertain(r request, err error) error {
	if r.mutates {
		return restclient.OutcomeUnknown(err)
	}
	return err
}

// limited handles a broken limit: definite, nothing was executed. An order limit
// concerns the account's orders alone, everything else this address.
func (c *Connector) limited(r request, a *restclient.Answer, code int, message string) error {
	wait := retryAfter(a.Header, message, c.clock.Now())
	switch {
	case r.keyHost: // another host's limit
	case code == codeTooManyOrders && r.counted:
		c.gate.Exhaust(r.account.orders10s, wait)
	default:
		c.gate.Freeze(wait)
	}
	e := refusal.Limited().Fault(code, message)
	e.RetryAfter = wait
	return e
}

var bannedUntil = regexp.MustCompile(`banned until (\d{1,16})`)

// retryAfter is the later of the header's seconds and the time in the message.
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

// serverFault handles 408 and 5xx. Only two of them are definite: "Service
// Unavailable." and the throttle. Every other may hide an execution.
func serverFault(r request, status, code int, message string) error {
	v := refusal.Status(status)
	if code == codeShuttingDown {
		v.Code = venues.CodeMaintenance
	}
	e := v.Fault(code, message).Because(errAway)
	definite := status == http.StatusServiceUnavailable &&
		(code == codeThrottled || (code == 0 && message == "Service Unavailable."))
	if definite {
		if v := verdicts[code]; v.Reason != "" {
			e = e.With("reason", v.Reason)
		}
		return e
	}
	return uncertain(r, e)
}

// refusal handles a code by the table.
func (c *Connector) refusal(r request, code int, message string) error {
	v, listed := verdictOf(code)
	if !listed && !isParameterFault(code) {
		c.options.Log.Warn("venue refusal with an unlisted code",
			zap.String("path", r.path), zap.Int("code", code), zap.String("message", payload.Bounded(message)))
	}
	e := v.Fault(code, message)
	if code == codeNotionalTooSmall {
		e = withMinNotional(e, message)
	}
	if v.Unknown {
		return uncertain(r, e)
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

func isClockRefusal(err error) bool { return refusal.Is(err, codeTimestamp, codeEngineTimestamp) }

func isPositionModeRefusal(err error) bool {
	return refusal.Is(err, codePositionSide, codePositionSideReduce, codePositionSideOnly, codeReduceOnlyNotRequired)
}

func isNotFound(err error) bool { return refusal.Is(err, codeUnknownOrder, codeNoSuchOrder) }

// isGone says whether a cancel or query should look in the other place.
func isGone(err error) bool { return isNotFound(err) || refusal.Is(err, codeStopTriggering) }

// isNoChange says whether a refusal means that all is as wanted already.
func isNoChange(err error) bool {
	return refusal.Is(err, codeSameMarginType, codeSamePositionMode, codeSameMultiAssets, codeSameOrder)
}
