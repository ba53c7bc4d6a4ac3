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

	"go.uber.org/zap"

	"venuegate/venues"
	"venuegate/venues/internal/payload"
	"venuegate/venues/internal/refusal"
	"venuegate/venues/internal/restclient"
)

const (
	// limitWaitMin is the shortest wait after a broken limit, limitWaitMax the
	// longest that is believed.
	limitWaitMin = time.Second
	limitWaitMax = time.Minute
	// blockedFor is how long nothing is sent after the venue shut our address
	// out: it lifts that after ten minutes of silence.
	blockedFor = 10 * time.Minute
	// overloadedFor is how long nothing is sent after the venue's own protection
	// turned us away.
	overloadedFor = time.Second
)

// envelope holds every answer of the venue: the result of a REST call, the data of
// an operation of the order entry socket.
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

// parseEnvelope reads an answer; ok says that it is one, with a code.
func parseEnvelope(body []byte) (code int, e envelope, ok bool) {
	if !bytes.HasPrefix(bytes.TrimLeft(body, " \r\n\t"), []byte("{")) || payload.Decode(body, &e) != nil {
		return 0, envelope{}, false
	}
	code, err := strconv.Atoi(payload.Unquote(e.RetCode))
	return code, e, err == nil
}

// judge turns an answer into its result or an error. Only code 0 with a good
// status is success; only a listed code is a definite no.
func (c *Connector) judge(r request, a *restclient.Answer) (json.RawMessage, error) {
	code, e, ok := parseEnvelope(a.Body)
	switch {
	case a.Status == http.StatusForbidden && !ok:
		return nil, c.blocked(r, a)
	case a.Status >= 500, a.Status == http.StatusRequestTimeout, !ok:
		return nil, uncertain(r, turnedAway(a.Status, code, e.RetMsg))
	case verdicts[code].Code == venues.CodeRateLimited:
		return nil, c.limited(r, a, code, e.RetMsg)
	case code == codeOverloaded, a.Status == http.StatusTooManyRequests:
		c.gate.Freeze(overloadedFor)
		return nil, uncertain(r, venueFault(verdicts[codeOverloaded], code, e.RetMsg))
	case code != 0:
		return nil, c.refusal(r, code, e.RetMsg)
	case a.Status == http.StatusOK:
		return e.outcome(), nil
	default:
		return nil, uncertain(r, venueFault(refusal.Status(a.Status), code, e.RetMsg))
	}
}

// turnedAway is an answer of a broken or absent server, or of something before it.
func turnedAway(status, code int, message string) error {
	e := venueFault(refusal.Status(status), code, message)
	if status < http.StatusInternalServerError {
		return e
	}
	return e.Because(errAway)
}

// uncertain joins ErrOutcomeUnknown to the error of a request that may have
// changed something.
func uncertain(r request, err error) error {
	if r.mutates {
		return restclient.OutcomeUnknown(err)
	}
	return err
}

// blocked handles a 403 that is not the API's own. One that names the limit is
// definite; any other may come from anything in between.
func (c *Connector) blocked(r request, a *restclient.Answer) error {
	c.gate.Freeze(blockedFor)
	if isAddressLimit(a.Body) {
		e := venues.Errorf(venues.CodeRateLimited, "the venue's limit of this address is used up")
		e.RetryAfter = blockedFor
		return e
	}
	e := venues.Errorf(venues.CodeExchangeUnavailable, "the venue refuses requests from here")
	e.RetryAfter = blockedFor
	return uncertain(r, e.With("reason", "blocked"))
}

// isAddressLimit says whether a 403 names the limit of requests from here.
func isAddressLimit(body []byte) bool { return bytes.Contains(body, []byte("access too frequent")) }

// addressLimits are the codes of limits that concern whatever comes from here.
var addressLimits = []int{10018, 10403, 10429}

// limited handles a broken limit: definite, nothing was executed. Most concern the
// account's use of one endpoint.
func (c *Connector) limited(r request, a *restclient.Answer, code int, message string) error {
	wait := limitWaitMin
	if ms, err := strconv.ParseInt(a.Header.Get("X-Bapi-Limit-Reset-Timestamp"), 10, 64); err == nil {
		wait = min(max(time.UnixMilli(ms).Sub(c.clock.Now()), limitWaitMin), limitWaitMax)
	}
	if budget := r.budget(); budget != nil && !slices.Contains(addressLimits, code) {
		c.gate.Exhaust(budget, wait)
	} else {
		c.gate.Freeze(wait)
	}
	e := venueFault(refusal.Limited(), code, message)
	e.RetryAfter = wait
	return e
}

// refusal handles a code by the table.
func (c *Connector) refusal(r request, code int, message string) error {
	v, listed := verdictOf(code)
	switch {
	case code == codeParameter:
		v = parameterVerdict(message)
	case !listed:
		c.options.Log.Warn("venue refusal with an unlisted code",
			zap.String("path", r.path), zap.Int("code", code), zap.String("message", payload.Bounded(redact(message))))
	}
	e := venueFault(v, code, message)
	if v.Unknown {
		return uncertain(r, e)
	}
	return e
}

// parameterHints read the text of 10001, which stands for many things. It may be
// in any language, so nothing but the words of a refusal depends on it.
var parameterHints = []struct {
	text    string
	verdict refusal.Verdict
}{
	{"position idx not match", refusal.Verdict{Code: venues.CodeInvalidRequest, Reason: "position_mode", Text: "the order does not fit the account's position mode"}},
	{"Not supported symbols", refusal.Verdict{Code: venues.CodeSymbolNotTradable, Reason: venues.ReasonUnknownSymbol}},
	{"symbol invalid", refusal.Verdict{Code: venues.CodeSymbolNotTradable, Reason: venues.ReasonUnknownSymbol}},
	{"]buy: [", refusal.Verdict{Code: venues.CodeInvalidRequest, Reason: "no_liquidity"}},
	{"]sell: [", refusal.Verdict{Code: venues.CodeInvalidRequest, Reason: "no_liquidity"}},
	{"empty value: api", refusal.Verdict{Code: venues.CodeUnauthorized, Text: "the venue refuses the API key"}},
}

func parameterVerdict(message string) refusal.Verdict {
	for _, hint := range parameterHints {
		if strings.Contains(message, hint.text) {
			return hint.verdict
		}
	}
	return verdicts[codeParameter]
}

// secrets are the parts of messages that repeat the key or what was signed.
var secrets = regexp.MustCompile(`(?i)(origin_string|api_?key|api_?signature|sign)\s*\[[^\]]*\]?`)

// redact takes out of a message what the venue repeats of our credentials.
func redact(message string) string { return secrets.ReplaceAllString(message, "$1[...]") }

// venueFault is a verdict on what the venue said, without our credentials.
func venueFault(v refusal.Verdict, code int, message string) *venues.Error {
	return v.Fault(code, redact(message))
}

func isClockRefusal(err error) bool { return refusal.Is(err, codeClock, codeExpired) }
