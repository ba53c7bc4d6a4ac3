package bybit

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"venuegate/venues"
	"venuegate/venues/internal/connector"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/rejection"
	"venuegate/venues/internal/restclient"
)

const (
	// limitWaitMin and limitWaitMax bound the wait after an exceeded rate limit.
	limitWaitMin = time.Second
	limitWaitMax = time.Minute
	// blockedFor is how long nothing is sent after the venue has blocked this address: it
	// unblocks it after ten minutes without requests.
	blockedFor = 10 * time.Minute
	// overloadedFor is how long nothing is sent after the venue has rejected a request
	// because of overload.
	overloadedFor = time.Second
)

// envelope wraps every answer of the venue: the result of a REST call, or the data of an
// operation on the connection for orders.
type envelope struct {
	RetCode json.RawMessage `json:"retCode"`
	RetMsg  string          `json:"retMsg"`
	Result  json.RawMessage `json:"result"`
	Data    json.RawMessage `json:"data"`
}

func (e *envelope) outcome() json.RawMessage {
	if e.Result == nil {
		return e.Data
	}
	return e.Result
}

// parseEnvelope decodes an answer; ok is false if it has no code.
func parseEnvelope(body []byte) (code int, e envelope, ok bool) {
	if !bytes.HasPrefix(bytes.TrimLeft(body, " \r\n\t"), []byte("{")) || payload.Decode(body, &e) != nil {
		return 0, envelope{}, false
	}
	code, err := strconv.Atoi(payload.Unquote(e.RetCode))
	return code, e, err == nil
}

// classify returns the result of an answer, or its error. Only code 0 with a successful
// status is success; only a listed code is a definite rejection.
func (c *Connector) classify(r request, a *restclient.Answer) (json.RawMessage, error) {
	code, e, ok := parseEnvelope(a.Body)
	switch {
	case a.Status == http.StatusForbidden && !ok:
		return nil, c.blocked(r, a)
	case a.Status >= 500, a.Status == http.StatusRequestTimeout, !ok:
		return nil, connector.Uncertain(r.mutates, serverError(a.Status, code, e.RetMsg))
	case classes[code].Code == venues.CodeRateLimited:
		return nil, c.rateLimited(r, a, code, e.RetMsg)
	case code == codeOverloaded, a.Status == http.StatusTooManyRequests:
		c.Gate.Freeze(overloadedFor)
		return nil, connector.Uncertain(r.mutates, errorOf(classes[codeOverloaded], code, e.RetMsg))
	case code != 0:
		return nil, c.reject(r, code, e.RetMsg)
	case a.Status == http.StatusOK:
		return e.outcome(), nil
	default:
		return nil, connector.Uncertain(r.mutates, errorOf(rejection.StatusClass(a.Status), code, e.RetMsg))
	}
}

// serverError returns the error for an answer of a broken or absent server, or of
// something in front of it.
func serverError(status, code int, message string) error {
	e := errorOf(rejection.StatusClass(status), code, message)
	if status < http.StatusInternalServerError {
		return e
	}
	return e.Because(connector.ErrUnavailable)
}

// blocked handles a 403 that does not come from the API. One that names the rate limit is
// definite; any other may come from an intermediary.
func (c *Connector) blocked(r request, a *restclient.Answer) error {
	c.Gate.Freeze(blockedFor)
	if isAddressLimit(a.Body) {
		e := venues.Errorf(venues.CodeRateLimited, "the venue's rate limit of this address is used up").With("scope", venues.LimitOfVenue)
		e.RetryAfter = blockedFor
		return e
	}
	e := venues.Errorf(venues.CodeExchangeUnavailable, "the venue rejects requests from this address")
	e.RetryAfter = blockedFor
	return connector.Uncertain(r.mutates, e.With("reason", "blocked"))
}

// isAddressLimit reports whether a 403 names the rate limit of this address.
func isAddressLimit(body []byte) bool { return bytes.Contains(body, []byte("access too frequent")) }

// addressLimits are the codes of rate limits of this address.
var addressLimits = []int{10018, 10403, 10429}

// rateLimited handles an exceeded rate limit, which is definite: nothing was executed.
// Most concern the account's use of one endpoint.
func (c *Connector) rateLimited(r request, a *restclient.Answer, code int, message string) error {
	wait := limitWaitMin
	if ms, err := strconv.ParseInt(a.Header.Get("X-Bapi-Limit-Reset-Timestamp"), 10, 64); err == nil {
		wait = min(max(time.UnixMilli(ms).Sub(c.Clock.Now()), limitWaitMin), limitWaitMax)
	}
	if budget := r.budget(); budget != nil && !slices.Contains(addressLimits, code) {
		c.Gate.Exhaust(budget, wait)
	} else {
		c.Gate.Freeze(wait)
	}
	e := errorOf(rejection.RateLimited(), code, message)
	e.RetryAfter = wait
	return e
}

// reject returns the error of a code by the table.
func (c *Connector) reject(r request, code int, message string) error {
	class, listed := classOf(code)
	switch {
	case code == codeParameter:
		class = parameterClass(message)
	case !listed:
		c.LogUnlisted(r.path, code, redact(message))
	}
	e := errorOf(class, code, message)
	if class.Unknown {
		return connector.Uncertain(r.mutates, e)
	}
	return e
}

// parameterHints classify the message of 10001, which has many meanings. The message may
// be in any language, so only the wording of a rejection depends on it.
var parameterHints = []struct {
	text  string
	class rejection.Class
}{
	{"position idx not match", rejection.Class{Code: venues.CodeInvalidRequest, Reason: "position_mode", Text: "the order does not fit the account's position mode"}},
	{"Not supported symbols", rejection.Class{Code: venues.CodeSymbolNotTradable, Reason: venues.ReasonUnknownSymbol}},
	{"symbol invalid", rejection.Class{Code: venues.CodeSymbolNotTradable, Reason: venues.ReasonUnknownSymbol}},
	{"]buy: [", rejection.Class{Code: venues.CodeInvalidRequest, Reason: venues.ReasonNoLiquidity}},
	{"]sell: [", rejection.Class{Code: venues.CodeInvalidRequest, Reason: venues.ReasonNoLiquidity}},
	{"empty value: api", rejection.Class{Code: venues.CodeUnauthorized, Text: "the venue rejects the API key"}},
}

func parameterClass(message string) rejection.Class {
	for _, hint := range parameterHints {
		if strings.Contains(message, hint.text) {
			return hint.class
		}
	}
	return classes[codeParameter]
}

// secrets are the parts of messages that repeat the key or the signed text.
var secrets = regexp.MustCompile(`(?i)(origin_string|api_?key|api_?signature|sign)\s*\[[^\]]*\]?`)

// redact removes repeated credentials from a message.
func redact(message string) string { return secrets.ReplaceAllString(message, "$1[...]") }

// errorOf returns the error of a class with the venue's code and message, without
// credentials.
func errorOf(class rejection.Class, code int, message string) *venues.Error {
	return class.Err(code, redact(message))
}

func isClockRejection(err error) bool { return rejection.Is(err, codeClock, codeExpired) }
